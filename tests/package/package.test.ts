import type { Explainer } from '../../runtime/engine/parts.js';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packedPackages, REPOSITORY, unpackInto } from '../support/packed-packages.js';
import { PACKAGES } from '../../scripts/packages/packages.js';
import { launch, stop } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';

/** The packages as users get them: packed, unpacked into the node_modules of a separate project, type-checked and run. */
const test = suite('the npm packages');

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'authz-packages-'));
const consumer = join(folder, 'consumer');
const modules = join(consumer, 'node_modules');
const program = join(modules, 'authzc/dist/authzc.js');
const tool = (path: string): string => join(ROOT, 'node_modules', path);
let archives: readonly string[] = [];

test.before(() => {
  archives = packedPackages();
  cpSync(join(ROOT, 'tests/package/consumer'), consumer, { recursive: true });
  // What a project adds: the solver, what the gRPC client needs and, for the type check, the types of Node.
  unpackInto(modules, ['z3-solver', '@grpc/grpc-js', '@types/node']);
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

test('authzc compiles policies', async () => {
  const { stderr } = await run(process.execPath, [program, 'compile', 'policies'], { cwd: consumer });
  assert.is(stderr, '');
  assert.match(readFileSync(join(consumer, 'generated/types.ts'), 'utf8'), "readonly 'owner': string;");
  const { policies } = (await import(join(consumer, 'dist/policies.js'))) as {
    readonly policies: { readonly hash: string };
  };
  assert.type(policies.hash, 'string');
});

test('authzc has the pages of diagnostics', async () => {
  const { stdout } = await run(process.execPath, [program, 'docs', 'policy/disabled'], { cwd: consumer });
  assert.match(stdout, /^# policy\/disabled\n/);
});

test('each package names the repository that it was packed with', () => {
  for (const { name, directory } of PACKAGES) {
    const manifest = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as object;
    const { homepage, repository, bugs } = manifest as { readonly [key: string]: unknown };
    assert.equal(
      { homepage, repository, bugs },
      {
        homepage: `${REPOSITORY}#readme`,
        repository: { type: 'git', url: `git+${REPOSITORY}.git`, directory },
        bugs: { url: `${REPOSITORY}/issues` },
      },
    );
  }
});

test('policies that explain their decisions compile', async () => {
  const { stderr } = await run(process.execPath, [program, 'compile', 'policies', '--explain'], { cwd: consumer });
  assert.is(stderr, '');
  const { explainer } = (await import(`${join(consumer, 'dist/policies.js')}?explained`)) as {
    readonly explainer: () => Promise<Explainer>;
  };
  const resource = { kind: 'note', id: '1', attr: { owner: 'bert' } };
  const explanation = (await explainer()).explain({
    principal: { id: 'anna', roles: ['user'] },
    resource,
    action: 'edit',
  });
  assert.is(explanation.decision, 'DENY');
  assert.equal(explanation.steps[0]?.rules[0]?.place, { file: 'note.yaml', line: 8, column: 7 });
});

for (const [module, moduleResolution] of [
  ['NodeNext', 'NodeNext'],
  ['ESNext', 'Bundler'],
] as const) {
  test(`a project type-checks with the types of its policies and moduleResolution ${moduleResolution}`, async () => {
    const options = {
      target: 'ES2022',
      module,
      moduleResolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      types: ['node'],
    };
    writeFileSync(
      join(consumer, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, include: ['*.ts', 'generated'] }),
    );
    // TypeScript 6 checks each entry point in entries.test.ts.
    const { stdout } = await run(process.execPath, [
      tool('typescript-7/bin/tsc'),
      '--singleThreaded',
      '-p',
      consumer,
    ]).catch((error: { readonly stdout: string }) => error);
    assert.is(stdout, '');
  });
}

test('a program runs with every entry point', async () => {
  const { stdout } = await run(process.execPath, ['--import', tool('tsx/dist/esm/index.mjs'), 'use.ts'], {
    cwd: consumer,
  });
  assert.equal(JSON.parse(stdout), {
    answers: [true, true, true, 'AuthzError', 'AuthzError', 'AuthzError'],
    misspelt: false,
    text: JSON.parse(stdout).text,
    selected: [true, false],
    sql: 'function',
    files: JSON.parse(stdout).files,
    errors: [],
    bundles: true,
    explained: 'ALLOW',
  });
});

test('a program analyses policies, and z3 proves what it needs', async () => {
  const { stdout } = await run(process.execPath, ['--import', tool('tsx/dist/esm/index.mjs'), 'analyse.ts'], {
    cwd: consumer,
  });
  assert.equal(JSON.parse(stdout), {
    differences: [
      ['read', 'unchanged', 'solver'],
      ['something', 'unchanged', 'same'],
    ],
    statements: [
      ['guests do not read', 'proved'],
      ['users read', 'refuted'],
    ],
    decision: 'DENY',
    changes: [{ path: 'resource.attr.size', from: 2, to: 1 }],
    tests: {
      overallResult: 'RESULT_PASSED',
      testsCount: 1,
      resultCounts: [{ result: 'RESULT_PASSED', count: 1 }],
    },
    coverage: { rules: { covered: 1, all: 1 }, clauses: { covered: 1, all: 2 }, mcdc: { covered: 0, all: 1 } },
    refused: { new: ['expression/invalid'] },
  });
});

test('z3 starts for a program that is an option of Node', async () => {
  const program = `import { z3 } from 'authz/analysis';
    const solver = await z3();
    console.log(solver.name, await solver.run('(declare-const a Bool)(assert (and a (not a)))(check-sat)'));
    await solver.close();`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: consumer });
  assert.is(stdout, 'z3 5.2.0 unsat\n\n');
});

test('authz-server serves the bundle that authzc compiled', async () => {
  const addresses = ['httpListenAddr', 'grpcListenAddr'].flatMap((key) => ['--set', `server.${key}=127.0.0.1:0`]);
  const server = launch(join(modules, 'authz-server/dist/server.js'), addresses, consumer);
  try {
    const [, url] = /REST and Connect on (\S+),/.exec(await server.firstLine) ?? [];
    const response = await fetch(`${url}/api/check/resources`, {
      method: 'POST',
      body: JSON.stringify({
        principal: { id: 'anna', roles: ['user'] },
        resources: [{ resource: { kind: 'note', id: '1', attr: { owner: 'anna' } }, actions: ['edit'] }],
      }),
    });
    const { results } = (await response.json()) as { readonly results: readonly { readonly actions: unknown }[] };
    assert.equal(results[0]?.actions, { edit: 'EFFECT_ALLOW' });
    assert.match(await (await fetch(`${url}/`)).text(), '<html lang="en" data-server>');
    const names = (await (await fetch(`${url}/explorer/names.json`)).json()) as { readonly kinds: readonly unknown[] };
    assert.is(names.kinds.length, 1);
  } finally {
    await stop(server);
  }
});

test('every entry point has declarations', () => {
  for (const { name, entries = {}, facades = {} } of PACKAGES) {
    const { exports } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as {
      readonly exports: { readonly [entry: string]: { readonly types: string; readonly default: string } };
    };
    for (const entry of [...Object.keys(entries), ...Object.keys(facades)]) {
      const { types, default: code } = exports[entry] ?? { types: '', default: '' };
      for (const file of [types, code]) assert.ok(existsSync(join(modules, name, file)), `${name}: ${entry}`);
    }
  }
});

test('browser bundles import nothing of Node, and no package except RE2', async () => {
  const entries = [
    'packages/client/index',
    'runtime/engine/index',
    'runtime/residual/filters',
    'packages/json-schema/index',
    'runtime/engine/parts',
    'packages/analysis/explain/index',
  ].map((entry) => join(modules, 'authz/dist', `${entry}.js`));
  const { build } = await import('esbuild');
  for (const entry of entries) {
    const { metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      metafile: true,
      logLevel: 'silent',
      nodePaths: [modules],
      external: ['re2js'],
    });
    const outside = Object.values(metafile.outputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external).map(({ path }) => path),
    );
    assert.equal(
      outside.filter((path) => path !== 're2js'),
      [],
      entry,
    );
  }
});

for (const [index, { name, entries }] of PACKAGES.entries()) {
  test(`publint reports nothing about ${name}`, async () => {
    const { publint } = await import('publint');
    const { messages } = await publint({ pkgDir: join(modules, name), strict: true, pack: false });
    assert.equal(messages, []);
  });

  if (entries === undefined) continue;
  test(`the types of ${name} match its modules`, async () => {
    const checker = tool('@arethetypeswrong/cli/dist/index.js');
    const { stdout } = await run(
      process.execPath,
      [checker, archives[index] ?? '', '--profile', 'esm-only', '--format', 'json'],
      // The report describes each module of the package.
      { maxBuffer: 2 ** 26 },
    ).catch((error: { readonly stdout: string }) => error);
    const { analysis } = JSON.parse(stdout) as {
      readonly analysis: { readonly problems: readonly { readonly kind: string; readonly resolutionKind?: string }[] };
    };
    // Of the kinds of imports, only those of ES modules are checked.
    assert.equal(
      analysis.problems.filter(({ resolutionKind = '' }) => !['node10', 'node16-cjs'].includes(resolutionKind)),
      [],
    );
  });
}

test.run();
