/*
 * Audit entries that keep only read sets: they decide as whole entries, by their own policies and by others, or say that
 * they cannot tell. An entry is made as the server makes it, and read as `authzc replay` reads it.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLine } from '../../packages/analysis/replay/entry.js';
import { type KeptFacts, type ReducedCheck, ReducedRequests } from '../../packages/analysis/replay/reduced-request.js';
import { ReadSets } from '../../packages/analysis/facts/of-point.js';
import type { DecisionLogEntry } from '../../proto/gen/audit-messages.js';
import type { AccessRequest, Engine } from '../../runtime/engine/index.js';
import { guard } from '../../runtime/engine/parts.js';
import { readSetsOfCheck } from '../../runtime/facts/of-check.js';
import { keepReadSets } from '../../server/audit/read-set.js';
import { roundsUntil, sampleOf, SEED } from '../support/effort.js';
import { type Compiled, compiled, FAMILIES, type Family } from '../support/facts/families.js';
import { Random } from '../support/oracle/random.js';

const test = suite('reduced entries');

const OPTIONS = { clock: () => ({ seconds: 1_700_000_000, nanos: 0, offset: 0 }) };

interface Counts {
  entries: number;
  own: number;
  allowed: number;
  denied: number;
  open: number;
  naive: number;
  /** Entries that lost a fact, those that would be decided otherwise without it, and those of them that say so. */
  lost: number;
  mattering: number;
  noticed: number;
}

/** The entry of a check that keeps what its decision reads, as a line of a log. */
function writeEntry(request: AccessRequest, engine: Engine, sets: ReadSets): string {
  const { principal, resource, action, auxData } = request;
  const entry = {
    callId: 'call',
    timestamp: '2023-11-14T22:13:20Z',
    checkResources: {
      inputs: [{ principal, resource, actions: [action], ...(auxData && { auxData }) }],
      outputs: [
        {
          resourceId: resource.id,
          actions: { [action]: { effect: engine.isAllowed(request) ? 'EFFECT_ALLOW' : 'EFFECT_DENY' } },
        },
      ],
    },
    auditTrail: {},
  } as unknown as DecisionLogEntry;
  const check = { principal, resource, actions: [action] };
  const kept = keepReadSets(entry, () => readSetsOfCheck((query) => sets.of(query), engine, check, 'response'));
  return JSON.stringify(kept);
}

function readEntry(line: string): ReducedCheck {
  const read = readLine(line);
  assert.is(read.kind, 'check', line);
  if (read.kind !== 'check') throw new Error('unreachable');
  const [recorded] = read.check.resources;
  assert.ok(recorded, line);
  return { ...recorded, kept: recorded.kept as KeptFacts, actions: recorded.actions.map(({ action }) => action) };
}

function makePolicies(family: Family, random: Random): Compiled | undefined {
  for (let attempt = 0; attempt < 6; attempt += 1) {
    const policies = compiled(family.policies(random), OPTIONS);
    if (policies !== undefined) return policies;
  }
  return undefined;
}

function compare(family: Family, seed: number, questions: number, counts: Counts): void {
  const random = new Random(seed);
  const [recorded, other] = [makePolicies(family, random), makePolicies(family, random)];
  if (recorded === undefined || other === undefined) return;
  const sets = new ReadSets(recorded.program, {}, false);
  const own = new ReducedRequests(recorded.program, recorded.engine, guard, OPTIONS);
  const reduced = new ReducedRequests(other.program, other.engine, guard, OPTIONS);
  for (let question = 0; question < questions; question += 1) {
    // As a server gets it, in JSON.
    const request = JSON.parse(JSON.stringify(family.request(random))) as AccessRequest;
    const { action } = request;
    const at = `seed ${seed}, question ${question}`;
    const line = writeEntry(request, recorded.engine, sets);
    const check = readEntry(line);
    const { principal, resource, auxData } = check;
    counts.entries += 1;
    assert.ok(own.keepsAll(check), `${at}: the policies of the entry read more than it keeps`);
    const small = { principal, resource, action, ...(auxData && { auxData }) };
    const show = (): string => `${line} of ${JSON.stringify(request)}`;
    assert.is(
      recorded.engine.isAllowed(small),
      recorded.engine.isAllowed(request),
      `${at}: its own policies: ${show()}`,
    );
    loseFact(line, { own, engine: recorded.engine, request, random, counts });
    const expected = other.engine.isAllowed(request);
    if (reduced.keepsAll(check)) {
      assert.is(other.engine.isAllowed(small), expected, `${at}: all is kept: ${show()}`);
      counts.own += 1;
      continue;
    }
    if (other.engine.isAllowed(small) !== expected) counts.naive += 1;
    const answer = reduced.decide(check, action);
    if (typeof answer === 'boolean') {
      assert.is(answer, expected, `${at}: ${show()}`);
      counts[answer ? 'allowed' : 'denied'] += 1;
    } else {
      assert.ok(answer.size > 0, `${at}: needs nothing`);
      counts.open += 1;
    }
  }
}

/** Takes one attribute away from an entry: where it matters, the entry must not be decided as if there were none. */
function loseFact(
  line: string,
  {
    own,
    engine,
    request,
    random,
    counts,
  }: {
    readonly own: ReducedRequests;
    readonly engine: Engine;
    readonly request: AccessRequest;
    readonly random: Random;
    readonly counts: Counts;
  },
): void {
  const entry = JSON.parse(line);
  const [input] = entry.checkResources.inputs;
  const { absent = [] } = entry.facts.inputs[0] as { readonly absent?: readonly string[] };
  const sides = Object.entries({
    'principal.attr': input.principal.attr,
    'resource.attr': input.resource.attr,
    'auxData.jwt': input.auxData?.jwt,
    // Of a side that is read as a whole, the entry says that it has no other attributes.
  }).flatMap(([root, side]) =>
    side === undefined || Object.keys(side).length === 0 || absent.includes(`${root}.*`) ? [] : [side],
  );
  if (sides.length === 0) return;
  const side = random.pick(sides);
  delete side[random.pick(Object.keys(side))];
  const check = readEntry(JSON.stringify(entry));
  const { principal, resource, auxData } = check;
  const { action } = request;
  const expected = engine.isAllowed(request);
  const matters = engine.isAllowed({ principal, resource, action, ...(auxData && { auxData }) }) !== expected;
  const answer = own.keepsAll(check) ? 'as whole' : own.decide(check, action);
  counts.lost += 1;
  if (typeof answer === 'boolean') assert.is(answer, expected, line);
  if (!matters) return;
  counts.mattering += 1;
  if (typeof answer === 'object') counts.noticed += 1;
}

for (const [name, family] of Object.entries(FAMILIES)) {
  test(`${name}: other policies decide an entry as the whole request, or say what they need`, () => {
    const counts: Counts = {
      entries: 0,
      own: 0,
      allowed: 0,
      denied: 0,
      open: 0,
      naive: 0,
      lost: 0,
      mattering: 0,
      noticed: 0,
    };
    const { policies, questions } = sampleOf(60, 5, 60);
    // A fact that is lost matters, and so does one that an entry never had.
    const isEnough = (): boolean =>
      counts.mattering > 0 &&
      counts.allowed + counts.own > 0 &&
      counts.denied > 0 &&
      counts.open > 0 &&
      counts.naive > 0;
    for (const store of roundsUntil(policies, isEnough)) compare(family, SEED * 100_000 + store, questions, counts);
    if (process.env['COUNTS']) console.log(name, counts);
    assert.ok(isEnough(), JSON.stringify(counts));
    assert.is(counts.noticed, counts.mattering, JSON.stringify(counts));
  });
}

test('an entry whose roles or scope were unknown is decided by no policies', () => {
  const policy = JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      rules: [{ actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] }],
    },
  });
  const { program, engine } = compiled({ 'doc.yaml': policy }, OPTIONS) as Compiled;
  const own = new ReducedRequests(program, engine, guard, OPTIONS);
  const request = { principal: { id: 'ann', roles: ['user'] }, resource: { kind: 'doc', id: '1' }, action: 'view' };
  const entry = JSON.parse(writeEntry(request, engine, new ReadSets(program, {}, false)));
  for (const fact of ['principal.roles', 'principal.actors[0].roles', 'resource.scope']) {
    for (const kept of ['all', 'read-set']) {
      const inputs = [{ ...entry.facts.inputs[0], unknown: [fact] }];
      const check = readEntry(JSON.stringify({ ...entry, facts: { ...entry.facts, kept, inputs } }));
      assert.not(own.keepsAll(check));
      assert.equal(own.decide(check, 'view'), new Set([fact]), `${kept} ${fact}`);
    }
  }
});

test.run();
