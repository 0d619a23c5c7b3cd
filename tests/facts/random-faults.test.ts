import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decidesPartially } from '../../packages/analysis/partial/index.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { serialiseProgram } from '../../compiler/ir/serialised.js';
import { fold } from '../../compiler/optimise/index.js';
import { createEngine, delegation, type ResourceInput } from '../../runtime/engine/index.js';
import { absent, createFactsEngine, type FactSource, type FactType } from '../../runtime/facts/index.js';
import { compileTexts } from '../support/compiled.js';
import { rounds, roundsUntil, SEED } from '../support/effort.js';
import { randomCondition } from '../support/facts/random-condition.js';
import { type Faults, faultyAnswer } from '../support/facts/random-faults.js';
import { Random } from '../support/oracle/random.js';

/*
 * Several sources that fail now and then, at random and together, with caches, keys that are facts, sources for one scope,
 * and facts that the caller sends. What is allowed is what an engine with all facts allows; what is denied by the policies
 * is what it denies; and where no source failed, everything is decided.
 */

const test = suite('random faults of sources');

const TYPES: { readonly [attribute: string]: FactType } = {
  flag: 'boolean',
  n: 'number',
  s: 'string',
  l: 'list',
  folder: 'string',
  locked: 'boolean',
  quota: 'number',
  team: 'string',
  level: 'number',
};

const OF_ID = [['flag', 'n'], ['s', 'l'], ['folder']] as const;
const OF_FOLDER = ['locked', 'quota'] as const;
const OF_PRINCIPAL = ['team', 'level'] as const;
const IDS = ['1', '2', '3', '__proto__', 'constructor'];
const FOLDERS = ['f', 'g', ''];
const PEOPLE = ['ann', 'bob', '__proto__'];

const clock = () => ({ seconds: 1_700_000_000, nanos: 0, offset: 0 });

type Row = { readonly [attribute: string]: unknown };

/** What is true: the rows by source and key. */
interface World {
  readonly docs: ReadonlyMap<string, Row>;
  readonly folders: ReadonlyMap<string, Row>;
  readonly people: ReadonlyMap<string, Row>;
}

/** What conditions are made of. */
const LEAVES = [
  'R.attr.flag',
  '!R.attr.flag',
  'R.attr.n < 5',
  'R.attr.s == "a"',
  '"a" in R.attr.l',
  'R.attr.l.exists(x, x == P.attr.team)',
  'has(R.attr.s)',
  '!has(R.attr.locked)',
  'R.attr.locked',
  'R.attr.quota > R.attr.n',
  'R.attr.folder == "f"',
  'P.attr.team == R.attr.s',
  'P.attr.level > 2',
  'R.attr[P.attr.team] == 1',
  'size(R.attr) > 4',
  'P.id == "ann"',
  'R.attr.?quota.orValue(9) > 4',
  '"locked" in R.attr',
];

function randomPolicies(random: Random): { readonly [path: string]: string } {
  const policy = (scope: string): string =>
    JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        ...(scope !== '' && { scope }),
        rules: random.times(2, 4, (index) => ({
          actions: [random.pick(['view', '*'])],
          effect: index === 0 || random.chance(0.3) ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
          roles: ['user'],
          condition: { match: { expr: index === 0 && random.chance(0.5) ? 'true' : randomCondition(random, LEAVES) } },
        })),
      },
    });
  return { 'p.yaml': policy(''), 'q.yaml': policy('acme') };
}

function randomWorld(random: Random): World {
  const rows = (keys: readonly string[], make: () => Row): ReadonlyMap<string, Row> =>
    new Map(
      keys.map((key) => [key, Object.fromEntries(Object.entries(make()).filter(() => random.chance(0.85)))] as const),
    );
  return {
    docs: rows(IDS, () => ({
      flag: random.chance(0.5),
      n: random.pick([1, 3, 7, -0]),
      s: random.pick(['a', 'b', '']),
      l: random.some(['a', 'b', 1, null], 0, 3),
      folder: random.pick(FOLDERS),
    })),
    folders: rows(FOLDERS, () => ({ locked: random.chance(0.5), quota: random.below(9) })),
    people: rows(PEOPLE, () => ({ team: random.pick(['a', 'b', 'n']), level: random.below(5) })),
  };
}

/** All attributes of a resource. */
function attributesOf({ docs, folders }: World, id: string): Row {
  const own = docs.get(id) ?? {};
  return { ...own, ...(typeof own['folder'] === 'string' ? folders.get(own['folder']) : {}) };
}

interface Counts {
  decided: number;
  unknown: number;
  allowed: number;
}

const rejections: unknown[] = [];
process.on('unhandledRejection', (error) => rejections.push(error));

async function compare(random: Random, at: string, counts: Counts): Promise<void> {
  const { lowered } = compileTexts(randomPolicies(random));
  assert.ok(lowered, at);
  const program = fold(lowered);
  const bundle = { ...makeBundle(program).bundle, partial: decidesPartially(serialiseProgram(program)) };
  const engine = createEngine(bundle, { clock });
  const world = randomWorld(random);
  const faults: Faults = { share: random.pick([0, 0.1, 0.4, 1]), count: 0 };
  const source = (
    of: string,
    provides: readonly string[],
    rows: ReadonlyMap<string, Row>,
    more: Partial<FactSource> = {},
    own: Faults = faults,
  ): FactSource => ({
    of,
    provides,
    types: TYPES,
    cost: random.below(3),
    deadline: 3,
    maxKeys: random.pick([1, 2, 100]),
    ...(random.chance(0.5) && { cache: { maxAge: random.pick([0, 1000]), maxStale: random.pick([0, 2000]) } }),
    ...more,
    load: (keys) => {
      const right = new Map(
        keys.map((key) => {
          const own = Object.entries(rows.get(key) ?? {}).filter(([name]) => provides.includes(name));
          return [key, Object.fromEntries(own.length > 0 ? own : provides.map((name) => [name, absent]))];
        }),
      );
      return faultyAnswer(random, right, provides, own) as never;
    },
  });
  let disagreements = 0;
  const isScoped = random.chance(0.3);
  const isAbsent = random.chance(0.5);
  const authz = createFactsEngine(bundle, {
    sources: [
      ...OF_ID.map((provides) => source('doc', provides, world.docs)),
      source(
        'doc',
        OF_FOLDER,
        world.folders,
        {
          key: { fact: 'resource.attr.folder' },
          keyField: 'folder',
          ...(isScoped && { when: { scope: 'acme' } }),
          ...(isAbsent && { notFound: 'absent' as const }),
        },
        // A row that is left out could not be told from one that there is not. That of its key can.
        isAbsent ? { share: 0, count: 0 } : faults,
      ),
      source('principal', OF_PRINCIPAL, world.people),
    ],
    deadline: 60_000,
    order: random.pick(['frugal', 'fast']),
    engine: { clock, use: [delegation()] },
    onDisagreement: () => {
      disagreements += 1;
    },
  });
  for (let call = 0; call < 4; call += 1) {
    faults.count = 0;
    const id = random.pick(PEOPLE);
    const actors = random.chance(0.15) ? [random.pick(PEOPLE)] : [];
    const scope = random.pick(['', 'acme', '.acme']);
    const principal = { id, roles: ['user'] };
    const resources: readonly ResourceInput[] = random.some(IDS, 1, IDS.length).map((own) => {
      const attr = attributesOf(world, own);
      const sent = Object.entries(attr).filter(([name]) => name !== 'folder' && random.chance(0.15));
      return { kind: 'doc', id: own, scope, ...(sent.length > 0 && { attr: Object.fromEntries(sent) }) };
    });
    const actions = ['view', 'edit'];
    const chain =
      actors.length === 0 ? principal : { ...principal, actors: actors.map((own) => ({ id: own, roles: ['user'] })) };
    const decisions = random.chance(0.5)
      ? await authz.decideMany({ principal: chain, resources, actions }, random.chance(0.2) ? { fresh: true } : {})
      : await bySession(authz, chain, resources, actions);
    for (const [index, resource] of resources.entries())
      for (const action of actions) {
        const decision = decisions.get(index)?.get(action);
        assert.ok(decision, at);
        const isAllowedFor = (own: string): boolean =>
          engine.isAllowed({
            principal: { id: own, roles: ['user'], attr: world.people.get(own) ?? {} },
            resource: { ...resource, attr: attributesOf(world, resource.id) },
            action,
          });
        const expected = [id, ...actors].every(isAllowedFor);
        const told = `${at}, call ${call}: ${JSON.stringify({ decision, resource, action, chain })}`;
        if (decision.allowed || decision.why === 'policy') {
          assert.is(decision.allowed, expected, told);
          counts.decided += 1;
          if (decision.allowed) counts.allowed += 1;
          continue;
        }
        counts.unknown += 1;
        assert.ok(decision.unknown.length > 0, told);
        // A document may have no folder, and its source may be for another scope.
        for (const { reason, source: from } of decision.unknown)
          assert.ok(faults.share > 0 || (reason === 'not found' && from === 'doc 4'), told);
      }
  }
  assert.is(disagreements, 0, `${at}: the engine disagrees`);
}

async function bySession(
  authz: ReturnType<typeof createFactsEngine>,
  principal: { readonly id: string; readonly roles: readonly string[] },
  resources: readonly ResourceInput[],
  actions: readonly string[],
): ReturnType<typeof authz.decideMany> {
  const me = authz.for(principal);
  const made = await Promise.all(
    resources.map(async (resource) => {
      const own = await Promise.all(actions.map((action) => me.decide(action, resource)));
      return new Map(own.map((decision, index) => [actions[index] as string, decision]));
    }),
  );
  return new Map(made.entries());
}

test('what is decided is what an engine with all facts decides', async () => {
  const counts: Counts = { decided: 0, unknown: 0, allowed: 0 };
  const isEnough = (): boolean => counts.allowed > counts.decided / 10 && counts.unknown > counts.decided / 20;
  for (const round of roundsUntil(rounds(600, 30), isEnough)) {
    const seed = SEED * 1_000_000 + round;
    await compare(new Random(seed), `seed ${seed}`, counts);
  }
  assert.equal(rejections, []);
  if (process.env['COUNTS']) console.log(counts);
  assert.ok(isEnough(), JSON.stringify(counts));
});

test.run();
