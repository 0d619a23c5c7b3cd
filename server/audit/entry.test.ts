import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ENDED, sampleCall, sampleCheck, samplePlan } from '../../tests/support/audit/samples.js';
import { accessEntry, checkEntry, planEntry } from './entry.js';
import { metadataRules } from './metadata-rules.js';
import { rfc3339 } from '../../proto/wire/moment.js';

const context = { metadata: metadataRules([], []), policySource: { embeddedPdp: { bundleHash: 'abc' } } };
const none = { evaluationErrors: [], effectivePolicies: {} };
const now = Date.UTC(2024, 0, 1);

test('an access entry has call, caller and method; success has no status', () => {
  assert.equal(accessEntry(sampleCall(), ENDED, context), {
    callId: '01HX7QJ8Z3ABCDEFGHJKMNPQRS',
    timestamp: '2024-05-06T07:08:09.123000000Z',
    peer: { address: '10.0.0.1:4711', userAgent: 'curl/8', forwardedFor: '10.0.0.1' },
    method: '/authz.svc.v1.AuthzService/CheckResources',
    policySource: { embeddedPdp: { bundleHash: 'abc' } },
  });
});

test('an access entry of a rejected call has its status code, and the annotations of the request', () => {
  const entry = accessEntry(
    sampleCall(),
    { ...ENDED, code: 'invalid_argument', requestContext: { annotations: { a: 1 } } },
    context,
  );
  assert.is(entry.statusCode, 3);
  assert.equal(entry.requestContext, { annotations: { a: 1 } });
});

test('a decision entry has one input and one output per resource, with claims and without empty members', () => {
  const details = {
    evaluationErrors: [[{ celError: { expression: 'R.attr.x > 1', message: 'no such key: x' } }]],
    effectivePolicies: { 'resource.album.vdefault': { source: 'album.yaml' } },
  };
  const entry = checkEntry(sampleCall(), sampleCheck(), details, context, now);
  assert.is(entry.timestamp, '2024-01-01T00:00:00.000000000Z');
  assert.equal(entry.auditTrail, {
    effectivePolicies: { 'resource.album.vdefault': { attributes: { source: 'album.yaml' } } },
  });
  assert.equal(entry.requestContext, { annotations: { ticket: 'T-1' } });
  assert.equal(entry.checkResources?.inputs, [
    {
      requestId: 'req-1',
      resource: {
        kind: 'album',
        policyVersion: 'default',
        id: 'a1',
        attr: { public: false, card: { number: '4111', name: 'A' } },
        scope: 'acme',
      },
      principal: { id: 'alice', roles: ['user'], attr: { ssn: '123-45-6789', dept: 'hr' } },
      actions: ['view'],
      auxData: { jwt: { iss: 'us', email: 'alice@example.com' } },
    },
  ]);
  assert.equal(entry.checkResources?.outputs, [
    {
      requestId: 'req-1',
      resourceId: 'a1',
      actions: { view: { effect: 'EFFECT_ALLOW', policy: 'resource.album.vdefault/acme', scope: 'acme' } },
      effectiveDerivedRoles: ['owner'],
      outputs: [{ src: 'resource.album.vdefault#r', val: { owner: 'alice', ssn: '123-45-6789' }, action: 'view' }],
      evaluationErrors: [{ celError: { expression: 'R.attr.x > 1', message: 'no such key: x' } }],
    },
  ]);
});

test('a check without claims has no auxData, and an empty trail is an empty object', () => {
  const entry = checkEntry(
    sampleCall(),
    sampleCheck({ auxData: { jwt: {}, jwts: {} }, requestContext: undefined }),
    none,
    context,
    now,
  );
  assert.not.ok('auxData' in (entry.checkResources?.inputs[0] ?? {}));
  assert.equal(entry.auditTrail, {});
  assert.not.ok('requestContext' in entry);
});

test('a plan of one action also lists it in actions, and has filterDebug without meta', () => {
  const { planResources } = planEntry(sampleCall(), samplePlan(), none, context, now);
  assert.equal(planResources?.input.actions, ['view']);
  assert.is(planResources?.input.action, 'view');
  assert.equal(planResources?.output?.actions, ['view']);
  assert.is(planResources?.output?.filterDebug, '(eq request.resource.attr.ssn "123-45-6789")');
  assert.equal(planResources?.output?.matchedScopes, { view: '' });
  assert.is(planResources?.output?.kind, 'album');
});

test('inputs have the actors of the principal, without empty members', () => {
  const checked = sampleCheck();
  const actor = { id: 'agent', policyVersion: '', roles: ['agent'], attr: { ssn: '1' }, scope: '' };
  const tool = { ...actor, id: 'tool', policyVersion: 'v2', attr: {}, scope: 'acme' };
  const principal = { ...checked.principal, actors: [actor, tool] };
  const { checkResources } = checkEntry(sampleCall(), { ...checked, principal }, none, context, now);
  const { planResources } = planEntry(sampleCall(), samplePlan({ principal }), none, context, now);
  for (const audited of [checkResources?.inputs[0]?.principal, planResources?.input.principal])
    assert.equal(audited?.actors, [
      { id: 'agent', roles: ['agent'], attr: { ssn: '1' } },
      { id: 'tool', policyVersion: 'v2', roles: ['agent'], scope: 'acme' },
    ]);
});

test('no token is in any entry', () => {
  const all = metadataRules([], ['x-other']);
  const entries = [
    accessEntry(sampleCall(), ENDED, { ...context, metadata: all }),
    checkEntry(sampleCall(), sampleCheck(), none, { ...context, metadata: all }, now),
    planEntry(sampleCall(), samplePlan(), none, { ...context, metadata: all }, now),
  ];
  for (const entry of entries) assert.not.match(JSON.stringify(entry), /secret/);
});

test('names like `__proto__` are ordinary', () => {
  const decision = { ...(sampleCheck().decisions[0] as ReturnType<typeof sampleCheck>['decisions'][number]) };
  const actions = [{ action: '__proto__', effect: 2 as const, matchedPolicy: 'NO_MATCH', matchedScope: '' }];
  const entry = checkEntry(sampleCall(), sampleCheck({ decisions: [{ ...decision, actions }] }), none, context, now);
  assert.match(JSON.stringify(entry), '"actions":{"__proto__":{"effect":"EFFECT_DENY","policy":"NO_MATCH"}}');
});

test('methods of a call are called on the call object', () => {
  const { metadata } = sampleCall();
  const call = sampleCall({
    metadata(this: object) {
      assert.is(this, call);
      return metadata();
    },
  });
  assert.equal(accessEntry(call, ENDED, { ...context, metadata: metadataRules(['x-tenant'], []) }).metadata, {
    'x-tenant': { values: ['acme', 'umbrella'] },
  });
});

test('a bundle without a commit names none', () => {
  const source = { policySource: { embeddedPdp: { commitHash: '', builtAt: 'unknown', bundleHash: 'abc' } } };
  assert.equal(accessEntry(sampleCall(), ENDED, { ...context, ...source }).policySource, {
    embeddedPdp: { bundleHash: 'abc' },
  });
});

test('a timestamp keeps its parts of a millisecond', () => {
  assert.is(rfc3339(1_700_000_000_000.25), '2023-11-14T22:13:20.000250000Z');
});

test.run();
