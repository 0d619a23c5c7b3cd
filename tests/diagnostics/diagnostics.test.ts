import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { type Code, messages } from '../../compiler/diagnostics/messages.js';
import { ROOT } from '../support/compiled.js';
import { CASES, fileNameOf, shownFor } from './cases.js';

const test = suite('diagnostics as a terminal shows them');
const codes = Object.keys(messages) as Code[];
const folders = readdirSync(CASES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

test('every code has a folder of policies that cause it, and every folder has a code', () => {
  assert.equal(folders.toSorted(), codes.map(fileNameOf).toSorted());
});

for (const code of codes) {
  const folder = join(CASES, fileNameOf(code));
  if (!existsSync(folder)) continue;
  test(`${code} is shown with its location, its notes and the affected lines`, async () => {
    const shown = await shownFor(folder);
    assert.match(shown, `${messages[code].severity}[${code}]: `);
    const recorded = join(folder, 'diagnostics.txt');
    if (process.env['RECORD'] === '1') writeFileSync(recorded, shown);
    assert.fixture(shown, readFileSync(recorded, 'utf8'));
  });
}

test('errors of policies that newcomers make suggest a fix', () => {
  const silent = codes.filter(
    (code) =>
      messages[code].severity === 'error' &&
      !/\n {2}note: /.test(readFileSync(join(CASES, fileNameOf(code), 'diagnostics.txt'), 'utf8')),
  );
  // Single codes, so that a new one of the same family is seen, and an old one that has a note by now.
  assert.equal(silent.toSorted(), SAYS_ALL);
});

/** Errors whose message has the way out itself, such as the place of the other definition, or a limit. */
const SAYS_ALL: readonly Code[] = [
  'export/legacy-variables',
  'output/empty',
  'policy/alternative-set',
  'policy/duplicate-field',
  'policy/empty-item',
  'policy/enum-choice',
  'policy/integer',
  'policy/not-json',
  'policy/repeated-item',
  'rls/action',
  'rls/not-in-sql',
  'scope/too-deep',
  'tables/closure',
  'tables/collation',
  'tables/column-type',
  'tables/missing',
  'tables/not-unique',
  'tables/nullable',
  'tables/roles',
  'tenant-roles/reserved-role',
];

test('every explanation ends with a sentence, and every warning suggests a fix', async () => {
  for (const code of codes) {
    const { severity, explanation } = messages[code];
    assert.match(explanation.trim(), /[.`)]$/, code);
    if (severity !== 'warning') continue;
    assert.match(readFileSync(join(CASES, fileNameOf(code), 'diagnostics.txt'), 'utf8'), /\n {2}note: /, code);
  }
});

test('the policies of this repository cause no diagnostics', async () => {
  assert.equal((await compileFolder(join(ROOT, 'policies'))).diagnostics, []);
});

test.run();
