import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadOnce } from './load-once.js';
import { writeOutputs } from './write-outputs.js';

const test = suite('loading a bundle before it is written');

const POLICIES = "var policies = { hash: 'h' };\n";
const END = 'export {\n  policies\n};\n';

const BROKEN: readonly (readonly [js: string, reason: RegExp])[] = [
  ['var policies = rule001;\n', /rule001 is not defined/],
  ["var policies = 'it's';\n", /Unexpected|Invalid|missing/],
  ['var policies = 1;\n', /it exports no policies/],
  [`${POLICIES}throw new Error('at once');\n`, /at once/],
];

test('a bundle that loads is returned', async () => {
  assert.equal((await loadOnce(`${POLICIES}${END}`, 'policies.js'))['policies'], { hash: 'h' });
});

test('the second emission is loaded, too', async () => {
  const js = `${POLICIES}var traced = async () => { throw new Error('not traced'); };\nexport { policies, traced };\n`;
  await rejects(loadOnce(js, 'policies.js'), /internal error: .*not traced/);
});

test('the error says that it is internal and what was not written', async () => {
  for (const [js, reason] of BROKEN) {
    const message = await rejects(loadOnce(`${js}${END}`, 'dist/policies.js'), reason);
    assert.match(message, /^internal error: the bundle cannot be loaded/);
    assert.match(message, '`dist/policies.js` was not written');
  }
});

test('a bundle that cannot be loaded leaves all files as they were', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-load-once-'));
  try {
    const paths = { policies: join(folder, 'policies'), out: join(folder, 'out'), bundle: join(folder, 'policies.js') };
    mkdirSync(paths.policies);
    const before = `${POLICIES}${END}`;
    writeFileSync(paths.bundle, before);
    for (const [js] of BROKEN) {
      const bundling = Promise.resolve({ parts: [js, END], js: `${js}${END}`, map: '{}' });
      await rejects(writeOutputs(paths, { modules: [], bundling, declarations: '' }), /internal error/);
      assert.is(readFileSync(paths.bundle, 'utf8'), before);
      assert.not(existsSync(join(folder, 'policies.d.ts')));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();

async function rejects(promise: Promise<unknown>, message: RegExp): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  assert.match(error?.message ?? '', message);
  return error?.message ?? '';
}
