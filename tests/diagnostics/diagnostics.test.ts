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
