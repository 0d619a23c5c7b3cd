import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../support/oracle/random.js';
import { attack, conditionsOf } from './attack.js';
import { CORES } from './random-conditions.js';
import { SEED, rounds } from '../support/effort.js';

// Conditions made of all functions and macros, with requests designed to be expensive.

const CONDITIONS = rounds(CORES.length, CORES.length);
const REQUESTS = 3;
const BATCH = 500;
const COST = 1_000_000;

const test = suite('expensive conditions');

test('every call decides as without limits or fails, whatever the request, in a process with little memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-attack-'));
  try {
    const random = new Random(SEED);
    const conditions = conditionsOf(random, CONDITIONS).map(({ text }) => text);
    const results = { allow: 0, deny: 0, limit: 0, different: 0, error: 0 };
    const findings: string[] = [];
    let slowest = 0;
    for (let begin = 0; begin < conditions.length; begin += BATCH) {
      const batch = conditions.slice(begin, begin + BATCH);
      const { outcomes, findings: found } = await attack(folder, batch, {
        requests: REQUESTS,
        seed: SEED * 1_000_003 + begin,
        evaluationCost: COST,
      });
      for (const { result, microseconds } of outcomes) {
        results[result]++;
        slowest = Math.max(slowest, microseconds);
      }
      findings.push(...found.map(({ condition, told, trouble }) => `${condition}\n  ${told}\n  ${trouble}`));
      if (process.env.LIMITS_LOG !== undefined) {
        for (const { result, microseconds, steps, told, condition } of outcomes)
          if (microseconds > 100_000)
            console.log(
              `${Math.round(microseconds / 1000)} ms ${Math.round(steps)} ${result} | ${condition} | ${told}`,
            );
        for (const finding of found) console.log(finding);
      }
    }
    const outcomes = `${results.allow + results.deny} decided, ${results.limit} over the limit`;
    console.log(
      `seed ${SEED}: ${conditions.length * REQUESTS} pairs of condition and request (${outcomes}), ` +
        `at most ${Math.round(slowest / 1000)} ms; ${findings.length} findings`,
    );
    assert.is(findings.length, 0, findings.slice(0, 20).join('\n'));
    assert.ok(
      results.deny > CONDITIONS / 50 && results.allow > CONDITIONS / 5 && results.limit > CONDITIONS / 50,
      JSON.stringify(results),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
