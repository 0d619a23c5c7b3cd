import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { importedMembersOnly } from './builtin-modules.js';

const folder = mkdtempSync(join(tmpdir(), 'authz-builtin-'));

test.after(() => rmSync(folder, { recursive: true }));

/** What a program prints, bundled with the plugin. */
async function run(source: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: folder },
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    plugins: [importedMembersOnly],
    write: false,
    logLevel: 'silent',
  });
  const file = join(folder, 'program.mjs');
  writeFileSync(file, outputFiles[0]?.text ?? '');
  return JSON.parse(execFileSync(process.execPath, ['--no-warnings', file], { encoding: 'utf8' }));
}

test('members, the default export, namespaces and names without a prefix are those of the module', async () => {
  assert.equal(
    await run(`
      import fs, { readFileSync, readFileSync as read } from 'node:fs';
      import * as path from 'node:path';
      import { join } from 'path/posix';
      import { setTimeout } from 'node:timers/promises';
      import { EventEmitter } from 'events';
      import { once } from 'node:events';
      const { sep } = await import('node:path');
      await setTimeout(1);
      console.log(JSON.stringify([
        fs.readFileSync === readFileSync,
        read === readFileSync,
        path.posix.join === join,
        Object.keys(path).includes('resolve'),
        new EventEmitter() instanceof EventEmitter && typeof once,
        sep === path.sep,
      ]));
    `),
    [true, true, true, true, 'function', true],
  );
});

test('every module of Node can be imported', async () => {
  const names = builtinModules
    .filter((name) => !/^_|^sys$|^punycode$/.test(name))
    .map((name) => name.replace('node:', ''));
  const source = names.map((name, index) => `import m${index} from 'node:${name}';`).join('\n');
  assert.is(await run(`${source}\nconsole.log([${names.map((_, index) => `m${index}`)}].length);`), names.length);
});

test('an import of one member reads no others', async () => {
  const loaded = (await run(`
    import { createServer } from 'node:http';
    import { createHash } from 'node:crypto';
    createServer();
    createHash('sha256');
    console.log(JSON.stringify(process.moduleLoadList));
  `)) as readonly string[];
  assert.equal(
    loaded.filter((name) => /undici|webcrypto/.test(name)),
    [],
  );
});

test.run();
