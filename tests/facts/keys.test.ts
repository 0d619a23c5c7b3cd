/*
 * Keys of decisions: equal where requests differ only in what no decision reads, different where they differ in a fact that
 * it reads, and never equal for requests that are decided differently. The bundle tells what its decisions read.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeProgram } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { serialiseProgram } from '../../compiler/ir/serialised.js';
import { serialiseSchemas } from '../../compiler/ir/serialised-schemas.js';
import { fold } from '../../compiler/optimise/index.js';
import { tellsReads } from '../../packages/analysis/partial/index.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { type AccessRequest, type CompiledBundle, createEngine } from '../../runtime/engine/index.js';
import { decisionKey, project, readSetOf } from '../../runtime/facts/index.js';
import { ACTIONS, anything, readAttributes, readHazards, ROLES } from '../support/analysis/read-hazards.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { roundsUntil, sampleOf, SEED } from '../support/effort.js';
import { policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';

const test = suite('keys of decisions');

const NOTE = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  schemas: {resourceSchema: {ref: "authz:///note.json", ignoreWhen: {actions: [list]}}}
  rules:
    - {actions: [edit, list], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 1.0 / R.attr.owner > 0.0 || R.attr.owner == P.id}}}
    - {actions: [open], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.until > now()}}}
    - {actions: [first], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'R.attr.m.map(k, k)[0] == "a"'}}}
`;
const SCHEMA = { type: 'object', properties: { title: { type: 'string' } }, minProperties: 1 };
const schemaTexts = new Map([['note.json', JSON.stringify(SCHEMA)]]);
const { policies } = await loaded(compileTexts({ 'note.yaml': NOTE }, { facts: true, schemaTexts }));

function request(action: string, attr: object, id = 'alice'): AccessRequest {
  return { principal: { id, roles: ['user'] }, resource: { kind: 'note', id: '1', attr }, action };
}

test('a compiled bundle tells what its decisions read, with the properties of schemas where these are enforced', () => {
  const facts = (action: string, schemaEnforcement: 'none' | 'reject'): readonly string[] => [
    ...readSetOf(policies, { kind: 'note', action, roles: ['user'] }, { schemaEnforcement }).facts,
  ];
  assert.equal(facts('edit', 'none'), ['resource.attr.owner']);
  assert.equal(facts('edit', 'reject'), ['resource.attr.owner', 'resource.attr.*', 'resource.attr.title']);
  assert.equal(facts('list', 'reject'), ['resource.attr.owner']);
  assert.throws(() => readSetOf({ ...policies, facts: undefined }, { kind: 'note', action: 'edit' }), '--facts');
});

test('values that conditions tell apart have different keys', () => {
  const key = (action: string, attr: object, id?: string): string | undefined =>
    decisionKey(policies, request(action, attr, id));
  const different = (...keys: readonly (string | undefined)[]): void => assert.is(new Set(keys).size, keys.length);
  different(
    ...[
      0,
      -0,
      '0',
      1,
      null,
      undefined,
      [],
      {},
      false,
      [null],
      ['0'],
      '',
      ['ab', 'c'],
      ['a', 'bc'],
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ].map((owner) => key('edit', { owner })),
    key('edit', { owner: 0 }, 'bob'),
    key('list', { owner: 0 }),
  );
  different(key('first', { m: { a: 1, b: 2 } }), key('first', { m: { b: 2, a: 1 } }));
  assert.is(key('first', { m: { a: 1, b: 2 } }, 'alice'), key('first', { m: { a: 1, b: 2 }, title: 1 }, 'bob'));
  assert.is(key('edit', { owner: 1, title: 'x' }), key('edit', { title: 'y', owner: 1.0 }));
  assert.match(key('edit', { owner: 1 }) ?? '', /^[0-9a-f]{64}$/);
  assert.is(key('open', { until: '2030-01-01T00:00:00Z' }), undefined);
  assert.is.not(
    decisionKey(policies, request('edit', { owner: 1 }), { schemaEnforcement: 'reject' }),
    decisionKey({ ...policies, hash: 'other' }, request('edit', { owner: 1 }), { schemaEnforcement: 'reject' }),
  );
});

test('random requests have equal keys only if they are decided alike', () => {
  const totals = { pairs: 0, same: 0, changed: 0 };
  const { policies: stores, questions } = sampleOf(200, 6, 60);
  const isEnough = (): boolean => totals.same > totals.pairs / 3 && totals.changed > totals.pairs / 10;
  for (const round of roundsUntil(stores, isEnough)) {
    const seed = SEED + round;
    const random = new Random(seed);
    const sources = Object.entries(policyFiles(readHazards(random))).map(([path, text]) => new Source(path, text));
    const made = makeProgram(sources, new Diagnostics(), {});
    if (made === undefined) continue;
    const program = fold(made.lowered);
    const { bundle } = makeBundle(program);
    const facts = tellsReads({ ...serialiseProgram(program), texts: [] }, serialiseSchemas(program));
    const own: CompiledBundle = { ...bundle, facts };
    const engine = createEngine(bundle, { clock: () => ({ seconds: 0, nanos: 0, offset: 0 }) });
    const decisions = new Map<string, boolean>();
    for (let index = 0; index < questions; index += 1) {
      const asked: AccessRequest = {
        principal: { id: random.pick(['u1', 'u2']), roles: [random.pick(ROLES)], attr: readAttributes(random) },
        resource: { kind: 'note', id: 'r1', attr: readAttributes(random) },
        action: random.pick(ACTIONS),
        auxData: { jwt: readAttributes(random) },
      };
      const { principal, resource, action } = asked;
      const key = decisionKey(own, asked);
      if (key === undefined) continue;
      const allowed = engine.isAllowed(asked);
      assert.is(decisions.get(key) ?? allowed, allowed, `seed ${seed}`);
      decisions.set(key, allowed);
      const set = readSetOf(own, { kind: 'note', action, roles: principal.roles, principal });
      const small = project(asked, set);
      assert.is(decisionKey(own, small), key, `seed ${seed}`);
      totals.pairs += 1;
      if (JSON.stringify(small) !== JSON.stringify(asked)) totals.same += 1;
      for (const { path, leaf } of set.paths) {
        const [root, side, name] = path;
        if (root !== 'resource' || side !== 'attr' || name === undefined || name === '*' || path.length > 3) continue;
        const before = resource.attr?.[name];
        const other = leaf === 'value' ? anything(random) : before === undefined ? 1 : undefined;
        if (leaf === 'shape' || JSON.stringify(other) === JSON.stringify(before)) continue;
        const changed = { ...asked, resource: { ...resource, attr: { ...resource.attr, [name]: other } } };
        assert.is.not(decisionKey(own, changed), key, `seed ${seed} ${name}`);
        totals.changed += 1;
      }
    }
  }
  if (process.env['SHOW'] === '1') console.log(totals);
  assert.ok(isEnough(), JSON.stringify(totals));
});

test.run();
