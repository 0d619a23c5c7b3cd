import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decidesPartially } from '../../packages/analysis/partial/index.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { serialiseProgram } from '../../compiler/ir/serialised.js';
import { fold } from '../../compiler/optimise/index.js';
import { createEngine, type ResourceInput } from '../../runtime/engine/index.js';
import { absent, createFactsEngine, type FactSource, type FactType } from '../../runtime/facts/index.js';
import { compileTexts } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { FAULT_SCRIPTS, type FaultScript } from '../support/facts/fault-scripts.js';
import { randomCondition } from '../support/facts/random-condition.js';
import { Random } from '../support/oracle/random.js';

/*
 * Sources that fail in every way: what is allowed is what an engine with all facts allows, and what is not known is
 * named with its reason. Nothing is rejected that nobody handles.
 */

const test = suite('faults of sources');

const TYPES: { readonly [attribute: string]: FactType } = {
  flag: 'boolean',
  n: 'number',
  s: 'string',
  l: 'list',
  m: 'map',
  t: 'timestamp',
};

const clock = () => ({ seconds: 1_700_000_000, nanos: 0, offset: 0 });

/** What conditions are made of. */
const LEAVES = [
  'R.attr.flag',
  'R.attr.n < 5',
  'R.attr.n == 3',
  'R.attr.s == "a"',
  '"a" in R.attr.l',
  'has(R.attr.m.a)',
  'R.attr.m.a == 1',
  'timestamp(R.attr.t) < now()',
  'P.attr.team == R.attr.s',
  'P.attr.level > R.attr.n',
  'has(R.attr.s)',
  'size(R.attr.l) > 1',
  'size(R.attr) > 3',
];

function randomPolicy(random: Random): string {
  const rules = random.times(2, 4, (index) => ({
    actions: ['view'],
    effect: index === 0 || random.chance(0.3) ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
    roles: ['user'],
    condition: { match: { expr: index === 0 && random.chance(0.5) ? 'true' : randomCondition(random, LEAVES) } },
  }));
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'doc', version: 'default', rules },
  });
}

function randomRow(random: Random): { readonly [name: string]: unknown } {
  const all = {
    flag: random.chance(0.5),
    n: random.pick([1, 3, 7, -0, 2.5]),
    s: random.pick(['a', 'b', '']),
    l: random.some(['a', 'b', 1, null], 0, 3),
    m: random.pick([{}, { a: 1 }, { a: null }]),
    t: random.pick(['2020-01-01T00:00:00Z', '2090-01-01T00:00:00+02:00']),
  };
  return Object.fromEntries(Object.entries(all).filter(() => random.chance(0.85)));
}

/** Ids that are names of something else in JavaScript. */
const IDS = ['1', '__proto__', 'constructor', 'toString', 'r"\u0000'];

const rejections: unknown[] = [];
process.on('unhandledRejection', (error) => rejections.push(error));

async function compare(random: Random, script: FaultScript, at: string): Promise<void> {
  const { lowered, diagnostics } = compileTexts({ 'p.yaml': randomPolicy(random) });
  assert.ok(lowered, JSON.stringify(diagnostics.map(({ message }) => message)));
  const program = fold(lowered);
  const bundle = { ...makeBundle(program).bundle, partial: decidesPartially(serialiseProgram(program)) };
  const engine = createEngine(bundle, { clock });
  const principal = { id: 'ann', roles: ['user'] };
  const person = { team: random.pick(['a', 'b']), level: random.below(9) };
  const rows = new Map(IDS.map((id) => [id, randomRow(random)]));
  const names = Object.keys(TYPES);
  const [first, second] = [names.filter((_, index) => index % 2 === 0), names.filter((_, index) => index % 2 > 0)];
  const source = (provides: readonly string[], isFaulty: boolean): FactSource => ({
    of: 'doc',
    provides,
    types: TYPES,
    cost: random.pick([1, 2]),
    ...(isFaulty ? script.source : {}),
    load: (keys, { signal }) => {
      const right = new Map(
        keys.map((key) => {
          const own = Object.entries(rows.get(key) ?? {}).filter(([name]) => provides.includes(name));
          // A row says that it has none of its attributes.
          return [key, Object.fromEntries(own.length > 0 ? own : provides.map((name) => [name, absent]))];
        }),
      );
      return (isFaulty ? script.answer(right, keys, signal) : right) as never;
    },
  });
  const isFirst = random.chance(0.5);
  let disagreements = 0;
  const authz = createFactsEngine(bundle, {
    sources: [
      source(first, isFirst),
      source(second, !isFirst),
      {
        of: 'principal',
        provides: ['team', 'level'],
        types: { team: 'string', level: 'number' },
        load: async () => ({ ann: person }),
      },
    ],
    deadline: 60_000,
    order: random.pick(['frugal', 'fast']),
    engine: { clock },
    onDisagreement: () => {
      disagreements += 1;
    },
  });
  const controller = new AbortController();
  if (script.aborts === true) setTimeout(() => controller.abort(), 2);
  const resources: readonly ResourceInput[] = IDS.map((id) => ({ kind: 'doc', id }));
  const decisions = await authz.decideMany({ principal, resources, actions: ['view'] }, { signal: controller.signal });
  assert.is(disagreements, 0, `${at}: the engine disagrees`);
  for (const [index, resource] of resources.entries()) {
    const decision = decisions.get(index)?.get('view');
    assert.ok(decision, at);
    const whole = {
      principal: { ...principal, attr: person },
      resource: { ...resource, attr: rows.get(resource.id) ?? {} },
    };
    const expected = engine.isAllowed({ ...whole, action: 'view' });
    const told = `${at}, ${JSON.stringify([resource.id, decision, whole])}`;
    if (decision.allowed || decision.why === 'policy') {
      assert.is(decision.allowed, expected, told);
      continue;
    }
    assert.ok(decision.unknown.length > 0, told);
    for (const { reason } of decision.unknown) assert.ok(script.reasons.includes(reason as never), told);
  }
}

for (const [number, script] of FAULT_SCRIPTS.entries())
  test(script.name, async () => {
    for (let round = 0; round < rounds(10, 1); round += 1) {
      const seed = SEED * 100_000 + number * 1000 + round;
      await compare(new Random(seed), script, `seed ${seed}`);
    }
    assert.equal(rejections, []);
  });

test.run();
