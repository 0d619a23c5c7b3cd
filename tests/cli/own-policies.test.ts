import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { callAuthzc } from '../support/cli/call-authzc.js';

const test = suite('tests and invariants of the policies that this repository shows to others');

/** The least percentages, of rules and of clauses, and of mutants that tests notice. */
const THRESHOLDS = ['--min-coverage', '100', '--min-score', '90'];

for (const folder of ['policies', 'examples/contact-api/policies']) {
  test(`${folder}: every clause is tested, and nine of ten mistakes are noticed`, async () => {
    const { code, stdout, stderr } = await callAuthzc(['test', folder, ...THRESHOLDS], ROOT);
    assert.is(code, 0, stdout + stderr);
    assert.match(stdout, /score \d+/);
  });

  test(`${folder}: every statement is proved`, async () => {
    const { code, stdout, stderr } = await callAuthzc(['verify', folder, '--no-solver'], ROOT);
    assert.is(code, 0, stdout + stderr);
  });
}

test('so it is in the project that authzc init creates', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-init-'));
  try {
    assert.is((await callAuthzc(['init'], folder)).code, 0);
    const { code, stdout, stderr } = await callAuthzc(['test', ...THRESHOLDS], folder);
    assert.is(code, 0, stdout + stderr);
    const verified = await callAuthzc(['verify', '--no-solver'], folder);
    assert.is(verified.code, 0, verified.stdout + verified.stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
