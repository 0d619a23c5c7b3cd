import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccessRequest, PrincipalInput, ResourceInput } from '../../runtime/engine/index.js';
import { sanitize } from '../../runtime/policy/index.js';
import {
  absent,
  createFactsEngine,
  type FactsDecision,
  type FactsEngine,
  type FactSource,
  readSetOf,
  type SessionOptions,
} from '../../runtime/facts/index.js';
import { factName, isAmong } from '../../runtime/facts/fact-names.js';
import { guard } from '../../runtime/engine/parts.js';
import { PartialDecisions } from '../../packages/analysis/partial/partial-decisions.js';
import { roundsUntil, sampleOf, SEED } from '../support/effort.js';
import { type Attributes, compiled, FAMILIES, type Family, sidesOf } from '../support/facts/families.js';
import { Random } from '../support/oracle/random.js';

/*
 * Random requests of which a few attributes are sent, and sources that have the others: what is decided is what the engine
 * decides with all of them, whatever sources there are and in whatever order they are asked. No source is asked where what
 * was sent decides, and none twice in one call.
 */

const test = suite('loop');

const clock = () => ({ seconds: 1_700_000_000, nanos: 0, offset: 0 });

interface Counts {
  decisions: number;
  allowed: number;
  /** Decisions of calls that asked no source, and how many calls of sources the others made. */
  withoutCalls: number;
  calls: number;
  /** Whole responses that were compared: with outputs and derived roles. */
  responses: number;
  /** Decisions that lack a fact: no source may say what JSON does not. */
  refused: number;
}

/** What is true, by id. It changes with each question. */
interface World {
  readonly resources: Map<string, Attributes>;
  readonly principals: Map<string, Attributes>;
}

/** Which attributes the sources of a side have, in their order. */
type Layout = readonly (readonly string[])[];

function randomLayout(random: Random, names: ReadonlySet<string>): Layout {
  const parts = random.times(1, 3, (): string[] => []);
  for (const name of names) random.pick(parts).push(name);
  return parts.filter((part) => part.length > 0);
}

/** Attributes as they are once all are known: those that were sent, then those of each source. */
function ordered(attr: Attributes, sent: Attributes, layout: Layout): Attributes {
  const rest = layout.flat().filter((name) => Object.hasOwn(attr, name) && !Object.hasOwn(sent, name));
  return Object.fromEntries([...Object.keys(sent), ...rest].map((name) => [name, attr[name]]));
}

async function compare(family: Family, seed: number, questions: number, counts: Counts): Promise<void> {
  const random = new Random(seed);
  const policies = compiled(family.policies(random), { clock });
  if (policies === undefined) return;
  const { program, engine, bundle } = policies;
  const samples = random.times(20, 20, () => family.request(random));
  const namesOf = (side: 'principal' | 'resource'): ReadonlySet<string> =>
    new Set(samples.flatMap((sample) => Object.keys(sidesOf(sample)[side])));
  const layouts = {
    resource: randomLayout(random, namesOf('resource')),
    principal: randomLayout(random, namesOf('principal')),
  };
  const world: World = { resources: new Map(), principals: new Map() };
  const asked: string[] = [];
  let disagreements = 0;
  const sources = (of: string, layout: Layout, rows: ReadonlyMap<string, Attributes>): readonly FactSource[] =>
    layout.map((provides, index) => ({
      of,
      provides,
      types: Object.fromEntries(provides.map((name) => [name, 'any' as const])),
      cost: random.below(3),
      load: async (keys) => {
        asked.push(`${of} ${index}`);
        // Which source answers first must not matter.
        for (let turn = random.below(4); turn > 0; turn -= 1) await undefined;
        return new Map(
          keys.map((key) => {
            const row = rows.get(key) ?? {};
            // A row says that it has none of its attributes.
            const own = provides.map((name) => [name, Object.hasOwn(row, name) ? row[name] : absent] as const);
            return [key, Object.fromEntries(random.chance(0.5) ? own : [...own].reverse())];
          }),
        );
      },
    }));
  // Kinds that differ in a few characters are one.
  const kinds = [...new Set(samples.map(({ resource }) => sanitize(resource.kind)))];
  const authz = createFactsEngine(bundle, {
    sources: [
      ...kinds.flatMap((kind) => sources(kind, layouts.resource, world.resources)),
      ...sources('principal', layouts.principal, world.principals),
    ],
    order: random.pick(['frugal', 'fast']),
    deadline: 60_000,
    engine: { clock },
    onDisagreement: () => {
      disagreements += 1;
    },
  });
  const partial = new PartialDecisions(program, guard, { clock });
  const some = (attr: Attributes, layout: Layout, share: number): Attributes =>
    Object.fromEntries(Object.entries(attr).filter(([name]) => !layout.flat().includes(name) || random.chance(share)));

  for (let question = 0; question < questions; question += 1) {
    const request = family.request(random);
    const { principal, resource, action, auxData } = request;
    if (!kinds.includes(sanitize(resource.kind))) continue;
    const share = random.pick([0, 0.3, 0.9]);
    const ids = random.some(['1', '2', '__proto__'], 1, 3);
    const person = sidesOf(request).principal;
    world.principals.clear();
    world.principals.set(principal.id, person);
    world.resources.clear();
    const sentOfPerson = some(person, layouts.principal, share);
    const pairs = ids.map((id) => {
      const row = family.attributes(random).resource;
      world.resources.set(id, row);
      const sent = some(row, layouts.resource, share);
      const given: ResourceInput = { ...resource, id, attr: sent };
      const whole: AccessRequest = {
        principal: { ...principal, attr: ordered(person, sentOfPerson, layouts.principal) },
        resource: { ...resource, id, attr: ordered(row, sent, layouts.resource) },
        action,
        ...(auxData && { auxData }),
      };
      return { given, whole };
    });
    asked.length = 0;
    const outputs = random.chance(0.2);
    const resources = pairs.map(({ given }) => given);
    const sender = { ...principal, attr: sentOfPerson };
    const decisions = random.chance(0.3)
      ? await bySession(authz, sender, resources, action, { auxData, outputs })
      : await authz.decideMany({ principal: sender, resources, actions: [action], auxData }, { outputs });
    const at = `seed ${seed}, question ${question}`;
    assert.is(new Set(asked).size, asked.length, `${at}: asked twice: ${asked.join(', ')}`);
    assert.is(disagreements, 0, `${at}: the engine disagrees`);
    const read = readSetOf(bundle, {
      kind: resource.kind,
      action,
      roles: principal.roles,
      scope: resource.scope,
      version: resource.policyVersion,
      principal,
      level: outputs ? 'response' : 'effect',
    }).facts;
    for (const name of asked) {
      const [of = '', index = ''] = name.split(' ');
      const [root, layout] =
        of === 'principal'
          ? (['principal.attr', layouts.principal] as const)
          : (['resource.attr', layouts.resource] as const);
      const facts = (layout[Number(index)] ?? []).map((fact) => factName(root, fact));
      assert.ok(
        facts.some((fact) => isAmong(fact, read)),
        `${at}: nothing reads what ${name} provides`,
      );
    }
    let isDecidedBefore = true;
    for (const [index, { given, whole }] of pairs.entries()) {
      const decision = decisions.get(index)?.get(action);
      assert.ok(decision, at);
      counts.decisions += 1;
      const unknown = new Set([
        ...unsent('principal.attr', layouts.principal, sentOfPerson),
        ...unsent('resource.attr', layouts.resource, given.attr ?? {}),
      ]);
      const known = { ...whole, principal: { ...principal, attr: sentOfPerson }, resource: given };
      if (unknown.size > 0 && typeof partial.partial(known, unknown) !== 'boolean') isDecidedBefore = false;
      if (!decision.allowed && decision.why === 'unknown') {
        counts.refused += 1;
        for (const { reason } of decision.unknown) assert.is(reason, 'type', at);
        continue;
      }
      if (decision.allowed) counts.allowed += 1;
      const expected = engine.isAllowed(whole);
      if (decision.allowed !== expected)
        assert.unreachable(`${at}: ${JSON.stringify({ decision, expected, given, whole })}`);
      if (!outputs) continue;
      const { principal: of, resource: about } = whole;
      const [result] = engine.check({
        principal: of,
        auxData,
        resources: [{ resource: about, actions: [action] }],
        includeMeta: true,
      });
      assert.equal(decision.outputs, result?.outputs, at);
      assert.equal(decision.effectiveDerivedRoles, result?.effectiveDerivedRoles, at);
      counts.responses += 1;
    }
    if (isDecidedBefore && !outputs) assert.equal(asked, [], `${at}: asked for what cannot matter`);
    counts.calls += asked.length;
    if (asked.length === 0) counts.withoutCalls += pairs.length;
  }
}

/** What a session decides that is asked about several resources in one turn. */
async function bySession(
  authz: FactsEngine,
  principal: PrincipalInput,
  resources: readonly ResourceInput[],
  action: string,
  options: SessionOptions,
): Promise<ReadonlyMap<number, ReadonlyMap<string, FactsDecision>>> {
  const me = authz.for(principal, options);
  const made = await Promise.all(resources.map((resource) => me.decide(action, resource)));
  return new Map(made.map((decision, index) => [index, new Map([[action, decision]])] as const));
}

/** The facts of a side that sources have, and that were not sent. */
function unsent(root: 'principal.attr' | 'resource.attr', layout: Layout, sent: Attributes): readonly string[] {
  return layout.flatMap((names) =>
    names.filter((name) => !Object.hasOwn(sent, name)).map((name) => factName(root, name)),
  );
}

for (const [name, family] of Object.entries(FAMILIES))
  test(`${name}: decides as with all facts, and asks each source once, if at all`, async () => {
    const counts: Counts = { decisions: 0, allowed: 0, withoutCalls: 0, calls: 0, responses: 0, refused: 0 };
    const { policies, questions } = sampleOf(120, 4, 40);
    const isEnough = (): boolean =>
      counts.allowed > 0 && counts.withoutCalls > 0 && counts.calls > 0 && counts.refused < counts.decisions / 2;
    for (const store of roundsUntil(policies, isEnough))
      await compare(family, SEED * 100_000 + store, questions, counts);
    if (process.env['COUNTS']) console.log(name, counts);
    assert.ok(isEnough(), JSON.stringify(counts));
  });

test.run();
