import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPolicy } from '../support/cli/policies.js';
import { PROGRAMS } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';
import { EFFORT } from '../support/effort.js';
import { isRegistryReachable, nodeEnvironment, npmProgram } from '../support/npm.js';
import { packedPackages } from '../support/packed-packages.js';
import { skip } from '../support/skip.js';

/*
 * Projects with the settings of others: package managers, resolutions of TypeScript, test runners and bundlers.
 * .ci/run installs their tools, which foreign-projects.json names.
 */
const test = suite('projects of others');

const TOOLS = join(ROOT, '.cache/foreign');
const isInstalled = existsSync(join(TOOLS, 'node_modules'));
const run = promisify(execFile);
/** Below the folder of the tools, so that projects find them. */
const folder = isInstalled ? mkdtempSync(join(TOOLS, 'projects-')) : '';
test.after(() => {
  if (isInstalled) rmSync(folder, { recursive: true, force: true });
});

/** As seen from the folder `src`. */
const PROJECT = '..';

const PROGRAM = `import { createEngine } from 'authz/runtime';
import { policies } from '${PROJECT}/dist/policies.js';
const engine = createEngine(policies);
export const decide = (action) =>
  engine.isAllowed({ principal: { id: 'ann', roles: ['user'] }, resource: { kind: 'document', id: 'd1' }, action });
`;
const MAIN = `import { decide } from './decide.js';\nconsole.log(decide('view'), decide('edit'));\n`;

/** What all projects have: the packages of this repository and a compiled bundle. */
async function writeCommon(): Promise<string> {
  const home = join(folder, 'common');
  mkdirSync(join(home, 'policies'), { recursive: true });
  writeFileSync(join(home, 'policies/document.yaml'), documentPolicy('view'));
  const modules = join(home, 'node_modules');
  const [library = ''] = packedPackages();
  mkdirSync(join(modules, 'authz'), { recursive: true });
  execFileSync('tar', ['-xzf', library, '--strip-components=1', '-C', join(modules, 'authz')]);
  cpSync(join(ROOT, 'node_modules/re2js'), join(modules, 're2js'), { recursive: true });
  await run(process.execPath, [PROGRAMS.authzc, 'compile'], { cwd: home });
  return home;
}

let common: Promise<string> | undefined;

/** A project with what all have, and a program that decides. */
async function project(name: string, files: { readonly [path: string]: string } = {}): Promise<string> {
  common ??= writeCommon();
  const home = join(folder, name);
  // As links: no tool writes into what is installed.
  execFileSync('cp', ['-al', await common, home]);
  const written = {
    'package.json': '{"private": true, "type": "module"}',
    'src/decide.js': PROGRAM,
    'src/main.js': MAIN,
    ...files,
  };
  for (const [path, text] of Object.entries(written)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return home;
}

const tool = (path: string): string => join(TOOLS, 'node_modules', path);

async function succeeds(home: string, program: string, options: readonly string[] = []): Promise<string> {
  const ended = await run(process.execPath, [program, ...options], { cwd: home, env: nodeEnvironment() }).catch(
    (error: { readonly stdout?: string; readonly stderr?: string }) => {
      throw new Error(`${error.stdout ?? ''}${error.stderr ?? String(error)}`);
    },
  );
  return `${ended.stdout}${ended.stderr}`;
}

const TESTS = `name: documents
principals: {ann: {id: ann, roles: [user]}}
resources: {plan: {kind: document, id: d1}}
tests:
  - name: users view documents
    input: {principals: [ann], resources: [plan], actions: [view]}
    expected: [{principal: ann, resource: plan, actions: {view: EFFECT_ALLOW}}]
`;

/** At the effort `quick`, each version with one resolution, and each resolution with one version. */
const isTried = (version: number, resolution: number): boolean => EFFORT !== 'quick' || version === resolution;

const TYPESCRIPTS: readonly (readonly [name: string, program: string, resolutions: readonly string[]])[] = [
  ['TypeScript 5.4', tool('typescript54/bin/tsc'), ['node10', 'bundler', 'nodenext']],
  ['TypeScript 5.9', tool('typescript59/bin/tsc'), ['node10', 'bundler', 'nodenext']],
  ['TypeScript 7', join(ROOT, 'node_modules/typescript-7/bin/tsc'), ['bundler', 'nodenext']],
];
const RESOLUTIONS: readonly string[] = ['node10', 'bundler', 'nodenext'];
const MODULES: { readonly [resolution: string]: string } = {
  node10: 'commonjs',
  bundler: 'esnext',
  nodenext: 'nodenext',
};

/** What test runners need, as docs/install.md says, and tests in their words. */
const JEST = {
  'jest.config.json': JSON.stringify({
    transform: { '\\.[jt]sx?$': '@swc/jest' },
    transformIgnorePatterns: ['/node_modules/(?!(authz|re2js)/)'],
  }),
  '.swcrc': '{"module": {"type": "commonjs"}}',
  'package.json': '{"private": true}',
};
const SPEC = `import { decide } from './decide.js';
test('users view', () => {
  expect([decide('view'), decide('edit')]).toEqual([true, false]);
});
`;

const BUNDLERS: {
  readonly [name: string]: {
    readonly program: string;
    readonly options: readonly string[];
    readonly files?: { readonly [path: string]: string };
  };
} = {
  webpack: {
    program: tool('webpack/bin/webpack.js'),
    options: ['--mode', 'production', '--target', 'node', '--entry', './src/main.js', '-o', 'out'],
  },
  Vite: { program: tool('vite/bin/vite.js'), options: ['build', '--ssr', 'src/main.js', '--outDir', 'out'] },
  Rollup: {
    program: tool('rollup/dist/bin/rollup'),
    options: ['src/main.js', '-d', 'out', '-p', '@rollup/plugin-node-resolve', '-p', '@rollup/plugin-commonjs'],
  },
  Parcel: {
    program: tool('parcel/lib/bin.js'),
    options: ['build', 'src/main.js', '--dist-dir', 'out', '--no-source-maps'],
    files: {
      // Parcel reads its options beside the lock file.
      'package-lock.json': '{}',
      'package.json':
        '{"private": true, "type": "module", "targets": {"default": {"context": "node", "outputFormat": "esmodule", "includeNodeModules": true}}, "@parcel/resolver-default": {"packageExports": true}}',
    },
  },
};

if (!isInstalled) {
  skip(import.meta.url, 'the tools of other projects are not installed (.cache/foreign, by .ci/run)');
} else {
  for (const [version, [name, program, resolutions]] of TYPESCRIPTS.entries()) {
    for (const resolution of resolutions) {
      if (!isTried(version, RESOLUTIONS.indexOf(resolution))) continue;
      test(`${name} finds the declarations with moduleResolution ${resolution}`, async () => {
        const home = await project(`${name}-${resolution}`.replaceAll(' ', '-'), {
          'package.json': resolution === 'node10' ? '{"private": true}' : '{"private": true, "type": "module"}',
          'tsconfig.json': JSON.stringify({
            compilerOptions: {
              module: MODULES[resolution],
              moduleResolution: resolution,
              target: 'es2022',
              strict: true,
              skipLibCheck: true,
              noEmit: true,
              types: [],
              allowImportingTsExtensions: true,
            },
            include: ['generated', 'src/main.ts'],
          }),
          'src/main.ts': `import { createEngine } from 'authz/runtime';
import { policies } from '${PROJECT}/generated/index.js';
const engine = createEngine(policies);
export const isAllowed: boolean = engine.isAllowed({
  principal: { id: 'ann', roles: ['user'] },
  resource: { kind: 'document', id: 'd1' },
  action: 'view',
});
`,
        });
        await succeeds(home, program, ['-p', home]);
      });
    }
  }

  for (const version of EFFORT === 'quick' ? ['30'] : ['29', '30']) {
    test(`Jest ${version} runs with the documented settings`, async () => {
      const home = await project(`jest-${version}`, { ...JEST, 'src/decide.test.js': SPEC });
      const output = await succeeds(home, tool(`jest${version}/bin/jest.js`), ['--rootDir', home]);
      assert.match(output, /1 passed/);
    });
  }

  test('Vitest runs without settings', async () => {
    const home = await project('vitest', {
      'src/decide.test.js': `import { expect, test } from 'vitest';\n${SPEC}`,
    });
    assert.match(await succeeds(home, tool('vitest/vitest.mjs'), ['run', '--root', home]), /1 passed/);
  });

  for (const [name, { program, options, files }] of Object.entries(BUNDLERS)) {
    test(`${name} bundles a program that decides`, async () => {
      const home = await project(name.toLowerCase(), files);
      await succeeds(home, program, options);
      const output = readdirSync(join(home, 'out')).find((file) => file.startsWith('main') && /\.m?js$/.test(file));
      assert.is(await succeeds(home, join(home, 'out', output ?? '')), 'true false\n');
    });
  }

  for (const manager of ['pnpm', "Yarn Plug'n'Play"]) {
    test(`${manager} installs what compiles, tests and checks`, async () => {
      if (!(await isRegistryReachable())) return skip(import.meta.url, 'no registry of packages');
      const [library, compiler] = packedPackages();
      const home = join(folder, manager.replaceAll(/\W/g, ''));
      mkdirSync(join(home, 'policies'), { recursive: true });
      writeFileSync(join(home, 'policies/document.yaml'), documentPolicy('view'));
      writeFileSync(join(home, 'policies/document_test.yaml'), TESTS);
      writeFileSync(join(home, 'ann.json'), '{"id": "ann", "roles": ["user"]}');
      writeFileSync(join(home, 'document.json'), '{"kind": "document", "id": "d1"}');
      writeFileSync(
        join(home, 'package.json'),
        JSON.stringify({
          name: 'project',
          private: true,
          dependencies: { authz: `file:${library}` },
          devDependencies: { authzc: `file:${compiler}` },
        }),
      );
      const registry = execFileSync(process.execPath, [npmProgram(), 'config', 'get', 'registry'], {
        encoding: 'utf8',
      }).trim();
      writeFileSync(join(home, 'yarn.lock'), '');
      writeFileSync(join(home, 'pnpm-workspace.yaml'), 'packages: []\n');
      writeFileSync(
        join(home, '.yarnrc.yml'),
        `nodeLinker: pnp\nenableTelemetry: false\nenableImmutableInstalls: false\nnpmRegistryServer: "${registry.replace(/\/$/, '')}"\nunsafeHttpWhitelist: ["*"]\n`,
      );
      const program = manager === 'pnpm' ? tool('pnpm/bin/pnpm.cjs') : tool('@yarnpkg/cli-dist/bin/yarn.js');
      await succeeds(home, program, ['install']);
      const authzc = manager === 'pnpm' ? ['exec', 'authzc'] : ['authzc'];
      await succeeds(home, program, [...authzc, 'compile']);
      await succeeds(home, program, [...authzc, 'test']);
      const check = ['check', '--principal', 'ann.json', '--resource', 'document.json', '--action', 'view'];
      assert.match(await succeeds(home, program, [...authzc, ...check]), /allow/i);
    });
  }
}

test.run();
