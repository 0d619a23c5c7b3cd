import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { silentTestsOf } from './silent-tests.js';

const root = mkdtempSync(join(tmpdir(), 'authz-silent-'));

test.after(() => rmSync(root, { recursive: true }));

function write(file: string, ...lines: readonly string[]): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), `${lines.join('\n')}\n`);
}

test('a test without assertions is found, and one that asserts through helpers is not', () => {
  write('product.ts', "export function parse(text: string): void { if (text === '') throw new Error('empty'); }");
  write('tests/wait.ts', "export function until(holds: boolean): void { if (!holds) throw new Error('never'); }");
  write(
    'tests/a.test.ts',
    "import { parse } from '../product.js';",
    "import { until as eventually } from './wait.js';",
    "test('calls the product', () => { parse('a'); });",
    "test('asserts', () => { assert.is(1, 1); });",
    "test('asserts in a function of the file', () => expectOne(1));",
    "test('waits in a helper', async () => { eventually(true); });",
    "for (const name of ['a']) test(`nothing about ${name}`, () => {});",
    'function expectOne(n: number): void { assert.is(n, 1); }',
  );
  assert.equal(silentTestsOf(root, 'tests/a.test.ts'), [
    { line: 3, name: "'calls the product'" },
    { line: 7, name: '`nothing about ${name}`' },
  ]);
});

test.run();
