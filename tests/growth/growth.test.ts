import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import type { Measured } from './measure.js';
import { totalOf } from '../support/work.js';

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
  assert.equal(lasting('shapes', measured('shapes')), []);
});

test('for thousands of mistakes of every kind, each of which could be a slip of the pen', () => {
  const results = measured('mistakes');
  assert.equal(lasting('mistakes', results), []);
  for (const { name, outcome } of results)
    assert.match(outcome, /^[1-9]\d* of [1-9]\d* problems have a suggestion/, name);
});

test.run();

/** The complaints about shapes that are complained about each time: V8 loses the counts of a function now and then. */
function lasting(table: Table, results: readonly Measured[], times = 3): readonly string[] {
  const found = results.flatMap(complaints);
  if (found.length === 0 || times === 1) return found;
  const names = results.filter((result) => complaints(result).length > 0).map(({ name }) => name);
  return lasting(table, measured(table, names), times - 1);
}

type Table = 'shapes' | 'mistakes';

function measured(table: Table, names: readonly string[] = []): readonly Measured[] {
  const program = ['--import', 'tsx', 'tests/growth/measure.ts', table, ...names];
  const output = execFileSync(process.execPath, program, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 29 });
  const results = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Measured);
  assert.ok(results.length > (names.length === 0 ? 7 : 0) && results.every(({ large }) => totalOf(large) > 1000));
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
