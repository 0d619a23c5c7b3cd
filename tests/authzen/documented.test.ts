import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import type { Exchange, Requirement } from './conformance/requirement.js';
import { REQUIREMENTS } from './conformance/requirements.js';

/** `RECORD=1` writes the table into the page. */
test('docs/api.md has each requirement of the certification, its test and the result', () => {
  const path = join(ROOT, 'docs/api.md');
  const page = readFileSync(path, 'utf8');
  const table = `<!-- certification -->\n\n${tableOf()}\n\n<!-- /certification -->`;
  const recorded = page.replace(/<!-- certification -->[\s\S]*<!-- \/certification -->/, () => table);
  if (process.env['RECORD'] === '1') writeFileSync(path, recorded);
  else assert.is(page, recorded, 'run RECORD=1 node --import tsx tests/authzen/documented.test.ts');
});

test('each requirement has a name of its own, and something that it sends', () => {
  const names = REQUIREMENTS.map(({ test: name }) => name);
  assert.equal(names, [...new Set(names)]);
  for (const { test: name, exchanges } of REQUIREMENTS) assert.ok(exchanges.length > 0, name);
});

test.run();

function tableOf(): string {
  const rows = REQUIREMENTS.map((one) => `| ${one.plan} | ${one.test} | ${one.requirement} | ${resultOf(one)} |`);
  return ['| plan | test | requirement | result |', '|---|---|---|---|', ...rows].join('\n');
}

/** How many different results a row names; others are counted. */
const MOST = 2;
const LONGEST = 90;

function resultOf({ exchanges }: Requirement): string {
  const all = [...new Set(exchanges.map(shown))];
  const statuses = [...new Set(exchanges.map(({ expected }) => expected.status))];
  return all.length <= MOST ? all.join('<br>') : `${statuses.join(' and ')}, for ${exchanges.length} requests`;
}

function shown({ expected }: Exchange): string {
  const said = expected.status === 200 ? `\`${JSON.stringify(expected.json)}\`` : expected.message.split('\n')[0];
  return said === undefined || said.length > LONGEST ? String(expected.status) : `${expected.status}: ${said}`;
}
