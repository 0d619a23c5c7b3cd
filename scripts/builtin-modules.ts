import { builtinModules, createRequire } from 'node:module';
import { relative } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Makes programs read only the members of Node's modules that they import. An `import` of such a module reads all of its
 * members, and some are getters that load more: those of `node:http` load undici, those of `node:crypto` the Web Crypto
 * API, those of `node:tls` the root certificates (docs/decisions/packages-page-and-tools.md#0150). Dynamic imports are
 * left as they are.
 */
export const importedMembersOnly: Plugin = {
  name: 'imported-members-only',
  setup({ onResolve, onLoad }) {
    // One for each importer: a shared one would be a file of its own among the chunks.
    onResolve({ filter: BUILT_IN }, ({ path, kind, importer }) =>
      kind === 'import-statement'
        ? {
            path: path.replace(/^node:/, ''),
            namespace: NAMESPACE,
            suffix: `?${relative('.', importer)}`,
            sideEffects: false,
          }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({ contents: membersOf(path) }));
  },
};

/** Whether an input of a bundle is made here. */
export function isMadeOfBuiltin(input: string): boolean {
  return input.startsWith(`${NAMESPACE}:`);
}

const NAMESPACE = 'node';
const require = createRequire(import.meta.url);
const BUILT_IN = new RegExp(`^(?:node:)?(?:${builtinModules.map((name) => name.replace('node:', '')).join('|')})$`);

/**
 * A module with the members of a module of Node, of which the bundler leaves out those that are not imported. Its names are
 * short: they are not minified, and each importer has them.
 */
function membersOf(name: string): string {
  const members = Object.keys(require(`node:${name}`) as object).filter((member) => member !== 'default');
  return [
    `const $m = require('node:${name}');`,
    'const $r = (n) => $m[n];',
    'export default $m;',
    ...members.map((member) => `export const ${member} = /* @__PURE__ */ $r('${member}');`),
  ].join('\n');
}
