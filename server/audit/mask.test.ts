import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleCall, sampleCheck, samplePlan } from '../../tests/support/audit/samples.js';
import { checkEntry, planEntry } from './entry.js';
import { maskEntry } from './mask.js';
import { type MaskPath, parseMaskPath } from '../config/mask-path.js';
import { metadataRules } from './metadata-rules.js';
import { MAX_ENTRY_LENGTH, makeRecord } from './record.js';

const context = { metadata: metadataRules(['x-tenant'], []), policySource: { embeddedPdp: { bundleHash: 'abc' } } };
const none = { evaluationErrors: [], effectivePolicies: {} };
const paths = (...texts: readonly string[]): readonly MaskPath[] =>
  texts.map((text) => parseMaskPath(text) as MaskPath);
const masked = (...texts: readonly string[]) =>
  maskEntry(checkEntry(sampleCall(), sampleCheck(), none, context, 0), paths(...texts));

test('a path is a root and steps: names, positions, `*`', () => {
  assert.equal(parseMaskPath('principal.attr.ssn'), { root: 'principal', steps: ['attr', 'ssn'] });
  assert.equal(parseMaskPath('resource.attr.cards[*].number'), {
    root: 'resource',
    steps: ['attr', 'cards', '*', 'number'],
  });
  assert.equal(parseMaskPath('principal.attr["odd.name"][0]'), { root: 'principal', steps: ['attr', 'odd.name', '0'] });
  for (const text of [
    '',
    'ssn',
    'principal',
    '.principal.attr',
    'principal..attr',
    'principal.attr.',
    'principal.attr[',
    'callId.x',
    'principalattr',
  ]) {
    assert.type(parseMaskPath(text), 'string', text);
  }
});

test('masked values are replaced at every match, and the request is not modified', () => {
  const checked = sampleCheck();
  const entry = maskEntry(
    checkEntry(sampleCall(), checked, none, context, 0),
    paths('principal.attr.ssn', 'resource.attr.card.number', 'auxData.jwt.email'),
  );
  const [input] = entry.checkResources?.inputs ?? [];
  assert.equal(input?.principal.attr, { ssn: '***', dept: 'hr' });
  assert.equal(input?.resource.attr, { public: false, card: { number: '***', name: 'A' } });
  assert.equal(input?.auxData, { jwt: { iss: 'us', email: '***' } });
  assert.is(checked.principal.attr['ssn'], '123-45-6789');
});

test('attributes of actors have a path of their own', () => {
  const checked = sampleCheck();
  const actor = { id: 'agent', policyVersion: '', roles: ['agent'], attr: { ssn: '078-05-1120', n: 1 }, scope: '' };
  const entry = maskEntry(
    checkEntry(
      sampleCall(),
      { ...checked, principal: { ...checked.principal, actors: [actor, actor] } },
      none,
      context,
      0,
    ),
    paths('principal.actors[*].attr.ssn'),
  );
  assert.equal(
    entry.checkResources?.inputs[0]?.principal.actors?.map(({ attr }) => attr),
    [
      { ssn: '***', n: 1 },
      { ssn: '***', n: 1 },
    ],
  );
});

test('a masked value is also masked where the decision repeats it', () => {
  assert.not.match(JSON.stringify(masked('principal.attr.ssn')), '123-45-6789');
  const plan = maskEntry(planEntry(sampleCall(), samplePlan(), none, context, 0), paths('principal.attr.ssn'));
  assert.not.match(JSON.stringify(plan), '123-45-6789');
  assert.match(JSON.stringify(plan), '"value":"***"');
});

test('a masked number is also masked where the decision repeats it, and so is a number inside a masked value', () => {
  const plan = samplePlan({
    principal: {
      id: 'alice',
      policyVersion: '',
      roles: ['user'],
      attr: { pin: 62951, cards: [{ code: 815 }] },
      scope: '',
      actors: [],
    },
  });
  const operands = [{ variable: 'request.resource.attr.pin' }, { value: 62951 }, { value: 815 }, { value: 42 }];
  const repeating = {
    ...plan,
    plan: {
      ...plan.plan,
      filter: { kind: 'KIND_CONDITIONAL' as const, condition: { expression: { operator: 'in', operands } } },
    },
  };
  const entry = planEntry(sampleCall(), repeating, none, context, 0);
  const text = JSON.stringify(maskEntry(entry, paths('principal.attr.pin', 'principal.attr.cards')));
  assert.not.match(text, /62951/);
  assert.not.match(text, /815/);
  assert.match(text, /"value":42/);
});

test('a masked attribute is one string, whatever its type; typed fields keep their type', () => {
  const [input] = masked('resource.attr.card', 'principal.roles', 'principal.id').checkResources?.inputs ?? [];
  assert.equal(input?.resource.attr, { public: false, card: '***' });
  assert.equal(input?.principal.roles, ['***']);
  assert.is(input?.principal.id, '***');
  assert.equal(masked('principal.attr').checkResources?.inputs[0]?.principal.attr, { ssn: '***', dept: '***' });
});

test('metadata, peer and annotations are masked too', () => {
  const entry = masked('metadata.x-tenant', 'peer.address', 'requestContext.annotations.*');
  assert.equal(entry.metadata, { 'x-tenant': { values: ['***'] } });
  assert.is(entry.peer?.address, '***');
  assert.equal(entry.requestContext, { annotations: { ticket: '***' } });
});

test('a path without a match changes nothing', () => {
  assert.equal(
    masked('principal.attr.none', 'resource.attr.public.x'),
    checkEntry(sampleCall(), sampleCheck(), none, context, 0),
  );
});

test('a deeply nested entry drops its attributes and says so', () => {
  const deep = JSON.parse(`${'['.repeat(9000)}${']'.repeat(9000)}`);
  const entry = checkEntry(sampleCall(), sampleCheck({}, { deep, ssn: '1' }), none, context, 0);
  for (const mask of [[], paths('principal.attr.ssn', 'principal.id')]) {
    const parsed = JSON.parse(makeRecord('decision', entry, 0, mask).json.toString());
    assert.is(parsed.oversized, true);
    assert.is(parsed.checkResources.inputs[0].principal.attr, undefined);
    assert.is(parsed.checkResources.inputs[0].principal.id, mask.length === 0 ? 'alice' : '***');
    assert.is(parsed.checkResources.outputs[0].actions.view.effect, 'EFFECT_ALLOW');
  }
});

test('actors drop their attributes with those of the principal', () => {
  const deep = JSON.parse(`${'['.repeat(9000)}${']'.repeat(9000)}`);
  const actor = { id: 'bot', policyVersion: '', roles: ['agent'], attr: { deep }, scope: '' };
  const checked = sampleCheck({}, {});
  const acting = { ...checked, principal: { ...checked.principal, actors: [actor] } };
  const { json } = makeRecord('decision', checkEntry(sampleCall(), acting, none, context, 0), 0, []);
  const { oversized, checkResources } = JSON.parse(json.toString());
  assert.is(oversized, true);
  assert.equal(checkResources.inputs[0].principal.actors, [{ id: 'bot', roles: ['agent'] }]);
});

test('a principal that would be repeated too often is omitted', () => {
  const { resources, decisions } = sampleCheck();
  const many = {
    resources: Array.from({ length: 500 }, () => resources[0] as never),
    decisions: Array.from({ length: 500 }, () => decisions[0] as never),
  };
  const entry = checkEntry(sampleCall(), sampleCheck(many, { big: 'x'.repeat(1024 * 1024) }), none, context, 0);
  const text = makeRecord('decision', entry, 0, []).json.toString();
  assert.ok(text.length < MAX_ENTRY_LENGTH);
  assert.is(JSON.parse(text).oversized, true);
});

test('what is repeated for every resource never makes an entry that the memory cannot hold', () => {
  const { resources, decisions } = sampleCheck();
  const long = 'x'.repeat(1024 * 1024);
  const checked = sampleCheck({
    resources: Array.from({ length: 500 }, () => resources[0] as never),
    decisions: Array.from({ length: 500 }, () => decisions[0] as never),
  });
  const { principal } = checked;
  const hostile: readonly (readonly [what: string, checked: typeof checked])[] = [
    ['roles', { ...checked, principal: { ...principal, roles: Array.from({ length: 300_000 }, (_, i) => `r${i}`) } }],
    ['the id of the principal', { ...checked, principal: { ...principal, id: long } }],
    ['its scope', { ...checked, principal: { ...principal, scope: long } }],
    ['the request id', { ...checked, requestId: long }],
    [
      'the ids of actors',
      {
        ...checked,
        principal: { ...principal, actors: [{ id: long, policyVersion: '', roles: ['agent'], attr: {}, scope: '' }] },
      },
    ],
    [
      'the names of policies',
      {
        ...checked,
        decisions: checked.decisions.map((decision) => ({
          ...decision,
          actions: decision.actions.map((action) => ({ ...action, matchedPolicy: `resource.${long}.vdefault` })),
        })),
      },
    ],
  ];
  for (const [what, each] of hostile) {
    const text = makeRecord('decision', checkEntry(sampleCall(), each, none, context, 0), 0, []).json.toString();
    assert.ok(text.length < MAX_ENTRY_LENGTH, `${what}: ${text.length}`);
    const { oversized, callId, checkResources } = JSON.parse(text);
    assert.ok(oversized, what);
    assert.is(callId, sampleCall().id);
    assert.is(checkResources.inputs[0].resource.kind, resources[0]?.resource.kind, what);
    assert.is(checkResources.outputs[0].actions.view.effect, 'EFFECT_ALLOW', what);
  }
});

test.run();
