import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NotEncodable } from '../../packages/analysis/encode/smt.js';
import { holds, makeSurroundings } from '../../packages/analysis/program/conditions.js';
import { Random } from '../support/oracle/random.js';
import { concreteQuery } from '../support/solve/concrete.js';
import { PAIR_FAMILIES, type Pair, pairsOf, randomPairs } from '../support/solve/pairs.js';
import { WRONG_RULES } from '../support/solve/wrong-rules.js';
import { z3 } from '../support/solve/z3.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * The number of stores of random conditions of each family, of conditions in each, and of requests for each condition;
 * SEED is the first seed. 1,500 pairs by default.
 */
const STORES = rounds(2);
const CONDITIONS = Math.min(40, rounds(40, 12));
const REQUESTS = rounds(5);

const test = suite('encoding');
const solver = z3();

test.after(() => solver.close());

/** Whether what a condition decides for a request is possible in the encoding; undefined if the solver gives up. */
async function admits({ condition, module, request }: Pair, seeded?: (query: string) => string) {
  const result = holds(condition, makeSurroundings(module, request));
  const query = concreteQuery(condition, module, request, result);
  const output = await solver.run(`(set-option :rlimit 1000000)\n${seeded?.(query) ?? query}\n(check-sat)\n`);
  assert.match(output ?? 'unknown', /^(sat|unsat|unknown)\s*$/, `${output}: ${query}`);
  return output === undefined || output.startsWith('unknown') ? undefined : output.startsWith('sat');
}

function shown({ expression, request: { principal, resource } }: Pair): string {
  return `${expression}: ${JSON.stringify({ principal, resource })}`;
}

for (const [name, family] of Object.entries(PAIR_FAMILIES)) {
  test(`admits what conditions ${name} decide`, async () => {
    let asked = 0;
    let open = 0;
    for (let seed = SEED; seed < SEED + STORES; seed += 1) {
      for (const pair of randomPairs(family, new Random(seed), CONDITIONS, REQUESTS)) {
        try {
          const isAdmitted = await admits(pair);
          assert.is.not(isAdmitted, false, `seed ${seed}, ${shown(pair)}`);
          asked += 1;
          if (isAdmitted === undefined) open += 1;
        } catch (error) {
          if (!(error instanceof NotEncodable)) throw error;
        }
      }
    }
    assert.ok(open <= 2 + asked / 10, `${open} of ${asked} were not decided`);
  });
}

for (const { name, expression, attributes, seeded } of WRONG_RULES) {
  test(`admits what shows that it would be wrong ${name}`, async () => {
    const pairs = pairsOf(expression, attributes, new Random(1));
    const results = await Promise.all(pairs.map((pair) => admits(pair)));
    assert.not(results.includes(false), expression);
    const wrong = await Promise.all(pairs.map((pair) => admits(pair, seeded)));
    assert.ok(wrong.includes(false), `the wrong rule is not noticed by ${expression}`);
  });
}

test.run();
