import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { build, type Metafile } from 'esbuild';
import { ROOT } from '../support/compiled.js';

/* What commands load when they start: modules that a run may not need are imported when it does. */

const test = suite('packages that commands load');

/** Commands that read policies, and need no generated code unless a request has to be decided. */
const ANALYSES = ['diff', 'facts', 'lint', 'matrix', 'rls', 'rls-diff', 'rls-verify', 'verify', 'who-can'];

test('analyses of policies load no bundler', async () => {
  const inputs = await listInputs(ANALYSES.map((name) => `packages/cli/commands/${name}.ts`));
  for (const name of ANALYSES) {
    const loaded = listLoaded(inputs, `packages/cli/commands/${name}.ts`);
    assert.ok(loaded.has('compiler/parse/index.ts'), name);
    assert.not.ok(loaded.has('esbuild'), name);
  }
});

test('a command that only prints loads nothing of conditions and policies', async () => {
  const inputs = await listInputs(['packages/cli/authzc-process.ts']);
  const loaded = [...listLoaded(inputs, 'packages/cli/authzc-process.ts')];
  assert.ok(loaded.includes('packages/cel/runtime/timestamp.ts'));
  const isHeavy = (path: string): boolean =>
    ['packages/cel/runtime/index.ts', 'compiler/compile.ts', 'runtime/engine/index.ts', 're2js', 'yaml'].includes(path);
  assert.equal(loaded.filter(isHeavy), []);
});

async function listInputs(entryPoints: readonly string[]): Promise<Metafile['inputs']> {
  const { metafile } = await build({
    entryPoints: [...entryPoints],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outdir: 'unused',
    absWorkingDir: ROOT,
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return metafile.inputs;
}

/** The modules and packages that are loaded together with a module. */
function listLoaded(inputs: Metafile['inputs'], entry: string): ReadonlySet<string> {
  const loaded = new Set([entry]);
  for (const path of loaded)
    for (const { path: imported, kind } of inputs[path]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(imported);
  return loaded;
}

test.run();
