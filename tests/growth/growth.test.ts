import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import type { Measured } from './measure.js';
import { totalOf } from './work.js';

/**
 * What four times the input may come to, in all and in one function: sorting takes a little more than four times the
 * work.
 */
const MOST_IN_ALL = 5;
const MOST_IN_ONE = 6;

/**
 * Functions with a smaller share of the work are not looked at, nor those that ran less often; nor those of the YAML
 * library, which read characters: nested blocks have more of them for indentation.
 */
const SHARE = 0.1;
const FEWEST = 10_000;

const test = suite('what compiling costs grows with the size of the input');

test('for inputs of every shape, in all and in each function', () => {
  assert.equal(measured('shapes').flatMap(complaints), []);
});

test('for thousands of mistakes of every kind, each of which could be a slip of the pen', () => {
  const results = measured('mistakes');
  assert.equal(results.flatMap(complaints), []);
  for (const { name, outcome } of results)
    assert.match(outcome, /^[1-9]\d* of [1-9]\d* problems have a suggestion/, name);
});

test.run();

function measured(table: 'shapes' | 'mistakes'): readonly Measured[] {
  const program = ['--import', 'tsx', 'tests/growth/measure.ts', table];
  const output = execFileSync(process.execPath, program, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 29 });
  const results = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Measured);
  assert.ok(results.length > 7 && results.every(({ large }) => totalOf(large) > 1000));
  return results;
}

function complaints({ name, small, large }: Measured): readonly string[] {
  const [before, after] = [totalOf(small), totalOf(large)];
  const all = after > MOST_IN_ALL * before ? [`${name}: ${before} to ${after}`] : [];
  const own = Object.entries(large).filter(
    ([code, count]) => !code.startsWith('node_modules/') && count > Math.max(SHARE * after, FEWEST),
  );
  const single = own.filter(([code, count]) => count > MOST_IN_ONE * (small[code] ?? 0));
  return [...all, ...single.map(([code, count]) => `${name}: ${code}: ${small[code] ?? 0} to ${count}`)];
}
