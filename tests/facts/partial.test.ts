import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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

/*
 * Decisions with unknown facts are those of every completion: the real one, the one without any of them, and random
 * ones. What a decision depends on is unknown, and never grows while facts become known.
 */

const test = suite('partial decisions');

const OPTIONS = { clock: () => ({ seconds: 1_700_000_000, nanos: 0, offset: 0 }) };

interface Counts {
  answers: number;
  yes: number;
  no: number;
}

function compare(name: string, family: Family, seed: number, questions: number, counts: Counts): void {
  const random = new Random(seed);
  const policies = compiled(family.policies(random), OPTIONS);
  if (policies === undefined) return;
  const { program, engine } = policies;
  const decider = new PartialDecisions(program, guard, OPTIONS);
  for (let question = 0; question < questions; question += 1) {
    const request = family.request(random);
    const real = sidesOf(request);
    const completions = [real, NO_SIDES, ...random.times(6, 6, () => family.attributes(random))];
    const share = random.pick([0.2, 0.5, 0.8, 1]);
    const unknown = new Set(factsIn(...completions).filter(() => random.chance(share)));
    if (unknown.size === 0) continue;
    const partial = withSides(request, filled(real, NO_SIDES, unknown));
    const answer = decider.partial(partial, unknown);
    counts.answers += 1;
    const at = `family ${name}, seed ${seed}, question ${question}`;
    if (typeof answer !== 'boolean') {
      assert.ok(answer.size > 0, `${at}: open, and asks for nothing`);
      for (const fact of answer) assert.ok(unknown.has(fact), `${at}: asks for ${fact}, which is known`);
      // One of them becomes known.
      const fact = random.pick([...answer]);
      const fewer = new Set([...unknown].filter((other) => other !== fact));
      const after = fewer.size === 0 || decider.partial(withSides(request, filled(real, NO_SIDES, fewer)), fewer);
      if (typeof after === 'boolean') continue;
      for (const other of after) assert.ok(answer.has(other), `${at}: ${other} matters once ${fact} is known`);
      continue;
    }
    if (answer) counts.yes += 1;
    else counts.no += 1;
    for (const [index, completion] of completions.entries()) {
      const whole = withSides(request, filled(real, completion, unknown));
      if (engine.isAllowed(whole) !== answer)
        assert.unreachable(
          `${at}: ${answer}, but completion ${index} decides otherwise: ${JSON.stringify({ whole, unknown: [...unknown] })}`,
        );
    }
  }
}

for (const [name, family] of Object.entries(FAMILIES)) {
  test(`${name}: decides as every completion`, () => {
    const counts: Counts = { answers: 0, yes: 0, no: 0 };
    const { policies, questions } = sampleOf(200, 6, 60);
    const isEnough = (): boolean =>
      counts.yes > 0 && counts.no > counts.yes / 10 && counts.yes + counts.no < counts.answers;
    for (const store of roundsUntil(policies, isEnough))
      compare(name, family, SEED * 100_000 + store, questions, counts);
    assert.ok(isEnough(), JSON.stringify(counts));
    if (process.env['COUNTS']) console.log(name, counts, process.cpuUsage().user / 1e6);
  });
}

/** What a broken decider could take for missing, or for known. */
const FAULTS: { readonly [name: string]: (fact: string) => boolean } = {
  'every fact': () => true,
  'facts of principals': (fact) => fact.startsWith('principal.'),
  'facts of resources': (fact) => fact.startsWith('resource.'),
  claims: (fact) => fact.startsWith('auxData.'),
  'a map': (fact) => fact.endsWith('.map'),
  'a list': (fact) => fact.endsWith('.list'),
  'names in brackets': (fact) => fact.endsWith(']'),
};

for (const [name, isForgotten] of Object.entries(FAULTS))
  test(`a decider that takes ${name} for missing is contradicted`, () => {
    const family = FAMILIES.hazard;
    for (let store = 0; store < 400; store += 1) {
      const random = new Random(SEED * 100_000 + store);
      const policies = compiled(family.policies(random), OPTIONS);
      if (policies === undefined) continue;
      const decider = new PartialDecisions(policies.program, guard, OPTIONS);
      for (let question = 0; question < 30; question += 1) {
        const request = family.request(random);
        const real = sidesOf(request);
        const unknown = new Set(factsIn(real));
        const less = new Set([...unknown].filter((fact) => !isForgotten(fact)));
        if (less.size === unknown.size) continue;
        const partial = withSides(request, filled(real, NO_SIDES, unknown));
        const answer = less.size === 0 ? policies.engine.isAllowed(partial) : decider.partial(partial, less);
        if (typeof answer === 'boolean' && answer !== policies.engine.isAllowed(request)) return;
      }
    }
    assert.unreachable('no request shows it');
  });

test.run();
