/*
 * The facts by which a decision is made: whatever the others are, it is the same, and none of them can be left out.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LeastFacts } from '../../packages/analysis/replay/least.js';
import { ReadSets } from '../../packages/analysis/facts/of-point.js';
import { readSetsOfCheck } from '../../runtime/facts/of-check.js';
import { PartialDecisions } from '../../packages/analysis/partial/partial-decisions.js';
import { guard } from '../../runtime/engine/parts.js';
import { roundsUntil, sampleOf, SEED } from '../support/effort.js';
import {
  compiled,
  FAMILIES,
  factsIn,
  type Family,
  filled,
  NO_SIDES,
  sidesOf,
  withSides,
} from '../support/facts/families.js';
import { Random } from '../support/oracle/random.js';

const test = suite('least facts');

const OPTIONS = { clock: () => ({ seconds: 1_700_000_000, nanos: 0, offset: 0 }) };

interface Counts {
  decisions: number;
  facts: number;
  read: number;
}

function compare(family: Family, seed: number, questions: number, counts: Counts): void {
  const random = new Random(seed);
  const policies = compiled(family.policies(random), OPTIONS);
  if (policies === undefined) return;
  const { program, engine } = policies;
  const least = new LeastFacts(program, engine, guard, OPTIONS);
  const sets = new ReadSets(program, {}, false);
  const partial = new PartialDecisions(program, guard, OPTIONS);
  for (let question = 0; question < questions; question += 1) {
    const request = JSON.parse(JSON.stringify(family.request(random)));
    const { action } = request;
    const allowed = engine.isAllowed(request);
    const found = least.find({ ...request, actions: [action], kept: undefined }, action, allowed);
    const at = `seed ${seed}, question ${question}`;
    // Rules that share a result have no formula.
    if (found === undefined) continue;
    const real = sidesOf(request);
    const had = new Set(factsIn(real));
    const kept = new Set(found.map(({ fact }) => fact));
    counts.decisions += 1;
    counts.facts += kept.size;
    counts.read += factsIn(real).length;
    for (const completion of [NO_SIDES, ...random.times(6, 6, () => family.attributes(random))]) {
      const others = new Set(
        factsIn(real, completion).filter((fact) => !kept.has(fact) && (had.has(fact) || !isOther(fact, kept))),
      );
      const whole = withSides(request, filled(real, completion, others));
      assert.is(engine.isAllowed(whole), allowed, `${at}: ${JSON.stringify({ request, whole, kept: [...kept] })}`);
    }
    const read = readSetsOfCheck((query) => sets.of(query), engine, { ...request, actions: [action] }, 'effect');
    const named = read.flatMap(({ facts }) => [...facts]).filter((fact) => !fact.includes('*'));
    for (const { fact, value } of found) {
      if (fact.endsWith('.*')) continue;
      const others = new Set([...[...had, ...named].filter((one) => !kept.has(one)), fact]);
      const answer = partial.partial(withSides(request, filled(real, NO_SIDES, others)), others);
      assert.ok(typeof answer !== 'boolean', `${at}: ${fact} (${JSON.stringify(value)}) can be left out`);
    }
  }
}

/** Whether a fact is one of a side that has no others. */
function isOther(fact: string, kept: ReadonlySet<string>): boolean {
  return [...kept].some((one) => one.endsWith('.*') && fact.startsWith(one.slice(0, -2)));
}

for (const [name, family] of Object.entries(FAMILIES))
  test(`${name}: decide alone, and none can be left out`, () => {
    const counts: Counts = { decisions: 0, facts: 0, read: 0 };
    const { policies, questions } = sampleOf(60, 2, 30);
    const isEnough = (): boolean => counts.decisions > 0 && counts.facts > 0 && counts.facts < counts.read;
    for (const store of roundsUntil(policies, isEnough)) compare(family, SEED * 100_000 + store, questions, counts);
    if (process.env['COUNTS']) console.log(name, counts);
    assert.ok(isEnough(), JSON.stringify(counts));
  });

test.run();
