import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  AccessEvaluationBatchRequest,
  AccessEvaluationResponse,
  Evaluation,
} from '../../proto/gen/authzen-messages.js';
import type { AuxData } from '../../proto/gen/messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import { accessEvaluation, authzenMetadata } from './authzen.js';
import { accessEvaluationBatch } from './authzen-batch.js';
import { toEntry } from './authzen-mapping.js';
import { CallIds } from './call-id.js';
import { receivedCall } from '../../tests/support/server/received-call.js';
import type { Call } from './call.js';
import type { CheckService } from './check-resources.js';
import type { CheckCall } from './decider.js';
import { propertyNames } from './property-names.js';
import { RpcError } from './rpc-error.js';

/**
 * Allows the actions that the attribute `allow` of the resource names, and everything to principals with the role
 * `admin` or the claim `ok`.
 */
function serviceSeeing(seen: CheckCall[], tokens: AuxData[] = []): CheckService {
  return {
    callIds: new CallIds(),
    limits: { maxActionsPerResource: 2, maxResourcesPerRequest: 3 },
    watchers: [],
    verify: async (auxData) => {
      tokens.push(auxData);
      if (auxData.jwt?.token === 'bad') throw new Error('bad');
      return { jwt: { ok: true }, jwts: {} };
    },
    decider: {
      asOne: (work) => work(),
      plan: () => {
        throw new Error('not asked');
      },
      check: (question) => {
        seen.push(question);
        const { principal, auxData, resources } = question;
        const mayAll = principal.roles.includes('admin') || auxData.jwt['ok'] === true;
        return resources.map(({ resource, actions }) => ({
          actions: actions.map((action) => ({
            action,
            effect: mayAll || resource.attr['allow'] === action ? 1 : 2,
            matchedPolicy: 'p',
            matchedScope: '',
          })),
          effectiveDerivedRoles: [],
          outputs: [],
          validationErrors: [],
        }));
      },
    },
  };
}

const callWith = (headers: readonly (readonly [string, string])[] = [], isEncrypted = false): Call =>
  receivedCall(headers, isEncrypted);

const subject = (properties: Attributes = {}, id = 'alice') => ({ type: 'user', id, properties });
const resource = (allow: string, id = '1') => ({ type: 'k', id, properties: { allow } });
const action = (name: string) => ({ name, properties: {} });
const none: Evaluation = { subject: undefined, resource: undefined, action: undefined, context: {} };
const ask = (context: Attributes, properties: Attributes = {}): Evaluation => ({
  subject: subject(properties),
  resource: resource('read'),
  action: action('read'),
  context,
});
const decisions = (evaluations: readonly AccessEvaluationResponse[]): readonly boolean[] =>
  evaluations.map(({ decision }) => decision);
const isRefusal =
  (message: string) =>
  (error: unknown): boolean =>
    error instanceof RpcError && error.code === 'invalid_argument' && error.message === message;

test('a subject becomes a principal: roles, version and scope are properties, and all properties are attributes', () => {
  const seen: CheckCall[] = [];
  const properties = {
    'authz.roles': ['a', 1, '', 'b', 'a'],
    'authz.policyVersion': 'v',
    'authz.scope': 's',
    dept: 'x',
  };
  accessEvaluation(serviceSeeing(seen), callWith(), ask({}, properties));
  assert.equal(seen[0]?.principal, {
    id: 'alice',
    policyVersion: 'v',
    roles: ['a', 'b'],
    attr: properties,
    scope: 's',
    actors: [],
  });
});

test('without roles the role of a subject is its type', () => {
  for (const roles of [undefined, 'admin', [], [1, '']]) {
    const seen: CheckCall[] = [];
    accessEvaluation(serviceSeeing(seen), callWith(), ask({}, { 'authz.roles': roles, 'authz.scope': 1 }));
    assert.equal(seen[0]?.principal.roles, ['user']);
    assert.is(seen[0]?.principal.scope, '');
  }
});

test('the check behind a decision is returned only if requested with true', () => {
  const answer = accessEvaluation(
    serviceSeeing([]),
    callWith(),
    ask({ 'authz.includeMeta': true, 'authz.requestId': 'q' }),
  ) as AccessEvaluationResponse;
  assert.is(answer.response?.requestId, 'q');
  assert.is(answer.response?.authzCallId, '');
  for (const includeMeta of ['true', 1, false, null]) {
    assert.equal(accessEvaluation(serviceSeeing([]), callWith(), ask({ 'authz.includeMeta': includeMeta })), {
      decision: true,
      response: undefined,
    });
  }
});

test('conditions see a context as an attribute of the resource, without what it tells the server', () => {
  const attributesFor = (context: Attributes, properties: Attributes = { allow: 'read' }): Attributes | undefined => {
    const seen: CheckCall[] = [];
    const request = { ...ask(context), resource: { type: 'k', id: '1', properties } };
    accessEvaluation(serviceSeeing(seen), callWith(), request);
    return seen[0]?.resources[0]?.resource.attr;
  };
  assert.equal(attributesFor({ amount: 5, 'authz.requestId': 'q', 'authz.includeMeta': true }), {
    allow: 'read',
    'authz.context': { amount: 5 },
  });
  assert.equal(attributesFor({ 'authz.requestId': 'q' }), { allow: 'read' });
  // A property cannot pass for a context, nor hide one.
  assert.equal(attributesFor({}, { 'authz.context': { amount: 5 } }), {});
  assert.equal(attributesFor({ amount: 9 }, { 'authz.context': { amount: 5 } }), { 'authz.context': { amount: 9 } });
  const named = attributesFor(JSON.parse('{"__proto__": {"amount": 1}}') as Attributes);
  assert.equal(Object.keys(named?.['authz.context'] as Attributes), ['__proto__']);
});

test('a property of the resource does not pass for properties of the action', () => {
  const names = [propertyNames('authz'), propertyNames('other')];
  const fake = { 'authz.actionProperties': { soft: true }, 'other.actionProperties': { soft: true }, a: 1 };
  const resource = { type: 'k', id: '1', properties: fake };
  const attributesFor = (properties: Attributes, context?: Attributes): Attributes =>
    toEntry(resource, { name: 'read', properties }, context, { propertyNames: names }).resource.attr;
  assert.equal(attributesFor({}), { a: 1 });
  assert.equal(attributesFor({}, { b: 2 }), { a: 1, 'authz.context': { b: 2 } });
  assert.equal(attributesFor({ hard: true }), {
    a: 1,
    'authz.actionProperties': { hard: true },
    'other.actionProperties': { hard: true },
  });
  assert.equal(toEntry(resource, { name: 'read', properties: {} }, undefined).resource.attr, {
    a: 1,
    'other.actionProperties': { soft: true },
  });
});

test('each evaluation of a batch has its own context, or that of the batch', () => {
  const seen: CheckCall[] = [];
  const evaluation = { ...none, resource: resource('read'), action: action('read') };
  run(makeBatch([evaluation, { ...evaluation, context: { amount: 2 } }], { context: { amount: 1 } }), seen);
  assert.equal(
    seen.map(({ resources }) => resources[0]?.resource.attr['authz.context']),
    [{ amount: 1 }, { amount: 2 }],
  );
});

test('a batch does not copy the attributes of a large resource for each of its actions', () => {
  const properties = Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`a${index}`, 1]));
  const evaluations = ['a', 'b', 'c', 'd'].map((name) => ({ ...none, action: { name, properties: { soft: true } } }));
  assert.throws(
    () => run(makeBatch(evaluations, { resource: { type: 'k', id: '1', properties } })),
    (error: unknown) => error instanceof RpcError && error.code === 'resource_exhausted',
  );
});

test('tokens in the context are verified, in either spelling of their names', async () => {
  for (const name of ['keySetId', 'key_set_id']) {
    const tokens: AuxData[] = [];
    await accessEvaluation(
      serviceSeeing([], tokens),
      callWith(),
      ask({ 'authz.auxData': { jwts: { a: { token: 't', [name]: 'ks' } }, later: 1 } }),
    );
    assert.equal(tokens, [{ jwt: undefined, jwts: new Map([['a', { token: 't', keySetId: 'ks' }]]) }]);
  }
});

test('invalid tokens are rejected without a reason', async () => {
  const token = { token: 't' };
  for (const auxData of [
    1,
    null,
    [],
    { jwt: 1 },
    { jwt: {} },
    { jwt: { token: '' } },
    { jwt: { token: 1 } },
    { jwts: [] },
    { jwts: { a: null } },
    { jwts: { '': token } },
    { jwt: token, jwts: { a: token } },
    { jwt: { ...token, keySetId: 1 } },
  ]) {
    assert.throws(
      () => accessEvaluation(serviceSeeing([]), callWith(), ask({ 'authz.auxData': auxData })),
      isRefusal('invalid auxData'),
      JSON.stringify(auxData),
    );
  }
  const [outcome] = await Promise.allSettled([
    accessEvaluation(serviceSeeing([]), callWith(), ask({ 'authz.auxData': { jwt: { token: 'bad' } } })),
  ]);
  assert.ok(outcome?.status === 'rejected' && isRefusal('invalid auxData')(outcome.reason));
});

type Many = { readonly evaluations: readonly AccessEvaluationResponse[] };
const makeBatch = (
  evaluations: readonly Evaluation[],
  rest: Partial<AccessEvaluationBatchRequest> = {},
): AccessEvaluationBatchRequest => ({ ...none, subject: subject(), ...rest, evaluations, options: rest.options });
const run = (request: AccessEvaluationBatchRequest, seen: CheckCall[] = []) => {
  const outcome = accessEvaluationBatch(serviceSeeing(seen), callWith(), request);
  assert.not.instance(outcome, Promise);
  return decisions((outcome as Many).evaluations);
};

test('an evaluation inherits missing parts from the batch as a whole', () => {
  const seen: CheckCall[] = [];
  const request = makeBatch(
    [
      { ...none, action: action('read') },
      { ...none, resource: { type: 'k', id: '1', properties: {} } },
      { ...none, subject: subject({}, 'bob') },
    ],
    { resource: resource('read'), action: action('read'), context: { 'authz.requestId': 'q' } },
  );
  assert.equal(run(request, seen), [true, false, true]);
  assert.equal(
    seen.map(({ principal, resources }) => [principal.id, resources.length]),
    [
      ['alice', 2],
      ['bob', 1],
    ],
  );
});

test('evaluations with equal ids are evaluated separately', () => {
  assert.equal(
    run(
      makeBatch([
        { ...none, resource: resource('read'), action: action('read') },
        { ...none, resource: resource('write'), action: action('read') },
        {
          ...none,
          resource: resource('write'),
          action: action('read'),
          subject: subject({ 'authz.roles': ['admin'] }),
        },
        {
          ...none,
          resource: resource('write'),
          action: action('read'),
          subject: { type: 'admin', id: 'alice', properties: {} },
        },
      ]),
    ),
    [true, false, true, true],
  );
});

test('an evaluation whose entity lacks its type, id or name is denied, and inherits nothing for it', () => {
  const seen: CheckCall[] = [];
  const lacking = (part: Partial<Evaluation>): Evaluation => ({ ...none, ...part });
  const batch = [
    lacking({ resource: { type: '', id: '7', properties: {} } }),
    lacking({ resource: { type: 'k', id: '', properties: {} } }),
    lacking({ action: { name: '', properties: {} } }),
    lacking({ subject: { type: '', id: 'alice', properties: {} } }),
    none,
  ];
  const defaults = { resource: resource('read'), action: action('read') };
  assert.equal(run(makeBatch(batch, defaults), seen), [false, false, false, false, true]);
  assert.equal(
    seen.flatMap(({ resources }) => resources.map((entry) => entry.resource.id)),
    ['1'],
  );
  assert.throws(
    () => run(makeBatch(batch, { ...defaults, resource: { type: 'k', id: '', properties: {} } })),
    isRefusal('validation error: resource.id: value is required'),
  );
  assert.throws(
    () => run(makeBatch([lacking({ resource: { type: '', id: '', properties: { '': 1 } } })], defaults)),
    (error: unknown) => error instanceof RpcError && error.code === 'invalid_argument',
  );
});

test('an evaluation that lacks a part is denied, and the others are evaluated', () => {
  assert.equal(run(makeBatch([{ ...none, resource: resource('read') }, none], { action: action('read') })), [
    true,
    false,
  ]);
  assert.throws(
    () => run(makeBatch([none, none], { action: action('read') })),
    isRefusal('validation error: resource must be set for all evaluations, or for some of them'),
  );
});

test('a request without evaluations is a single evaluation when it has all parts', () => {
  const whole = makeBatch([], { resource: resource('read'), action: action('read') });
  assert.equal(accessEvaluationBatch(serviceSeeing([]), callWith(), whole), {
    evaluations: [],
    decision: true,
    response: undefined,
  });
  assert.throws(
    () => run(makeBatch([], { resource: resource('read') })),
    isRefusal('validation error: evaluations: must contain at least 1 item(s)'),
  );
  assert.throws(
    () => run(makeBatch([], { resource: { ...resource('read'), id: '' }, action: action('read') })),
    isRefusal('validation error: resource.id: value is required'),
  );
});

test('responses end with the evaluation that decides the semantic', () => {
  const evaluations = ['read', 'write', 'read'].map((name) => ({
    ...none,
    resource: resource('read'),
    action: action(name),
  }));
  const semantic = (evaluationsSemantic: string) => run(makeBatch(evaluations, { options: { evaluationsSemantic } }));
  assert.equal(semantic(''), [true, false, true]);
  assert.equal(semantic('execute_all'), [true, false, true]);
  assert.equal(semantic('deny_on_first_deny'), [true, false]);
  assert.equal(semantic('permit_on_first_permit'), [true]);
  assert.equal(
    run(
      makeBatch([evaluations[1] as Evaluation, evaluations[0] as Evaluation], {
        options: { evaluationsSemantic: 'permit_on_first_permit' },
      }),
    ),
    [false, true],
  );
  assert.equal(
    run(
      makeBatch([evaluations[1] as Evaluation, evaluations[1] as Evaluation], {
        options: { evaluationsSemantic: 'permit_on_first_permit' },
      }),
    ),
    [false, false],
  );
});

test('a batch has the limits of a check for each subject with its tokens, and one for all', () => {
  const about = (id: string, name: string, who?: string): Evaluation => ({
    ...none,
    resource: resource('read', id),
    action: action(name),
    subject: who === undefined ? undefined : subject({}, who),
  });
  const refused = (evaluations: readonly Evaluation[], message: string) =>
    assert.throws(() => run(makeBatch(evaluations)), isRefusal(message));
  refused(
    Array.from({ length: 7 }, () => about('1', 'read')),
    'number of evaluations (7) exceeds configured limit (6)',
  );
  refused(
    ['1', '2', '3', '4'].map((id) => about(id, 'read')),
    'number of resources in batch (4) exceeds configured limit (3)',
  );
  refused(
    ['a', 'b', 'c'].map((name) => about('1', name)),
    'number of actions (3) exceeds configured limit (2)',
  );
  assert.is(
    run(makeBatch(['1', '2', '3', '4'].map((id) => about(id, 'read', id === '4' ? 'bob' : undefined)))).length,
    4,
  );
  assert.is(run(makeBatch(Array.from({ length: 6 }, () => about('1', 'read')))).length, 6);
});

test('each context has its own tokens, which are verified once per subject', async () => {
  const tokens: AuxData[] = [];
  const withToken = (token: string): Evaluation => ({
    ...none,
    resource: resource('write'),
    action: action('read'),
    context: { 'authz.auxData': { jwt: { token } } },
  });
  const plain: Evaluation = { ...none, resource: resource('write'), action: action('read') };
  const { evaluations } = (await accessEvaluationBatch(
    serviceSeeing([], tokens),
    callWith(),
    makeBatch([plain, withToken('a'), withToken('a'), withToken('b')]),
  )) as Many;
  assert.equal(decisions(evaluations), [false, true, true, true]);
  assert.is(tokens.length, 2);
  const [outcome] = await Promise.allSettled([
    accessEvaluationBatch(serviceSeeing([]), callWith(), makeBatch([plain, withToken('bad')])),
  ]);
  assert.ok(outcome?.status === 'rejected' && isRefusal('invalid auxData')(outcome.reason));
});

test('only the context of the batch can request meta', () => {
  const evaluation = { ...none, resource: resource('read'), action: action('read') };
  const responses = (context: Attributes, own: Attributes) =>
    (
      accessEvaluationBatch(
        serviceSeeing([]),
        callWith(),
        makeBatch([{ ...evaluation, context: own }], { context }),
      ) as Many
    ).evaluations[0]?.response;
  assert.is(responses({}, { 'authz.includeMeta': true }), undefined);
  assert.is(responses({ 'authz.includeMeta': true }, { 'authz.requestId': 'own' })?.requestId, 'own');
});

test('the metadata document has the URL that the caller used', () => {
  const readPoint = (call: Call) =>
    authzenMetadata({ ...serviceSeeing([]), actionNames: () => [] }, call).policyDecisionPoint;
  assert.is(readPoint(callWith()), 'http://here:3592');
  assert.is(readPoint(callWith([], true)), 'https://here:3592');
  assert.is(
    readPoint(
      callWith([
        ['x-forwarded-proto', 'https'],
        ['x-forwarded-host', 'pdp.example'],
      ]),
    ),
    'https://pdp.example',
  );
  assert.is(readPoint(callWith([['x-forwarded-proto', 'gopher']])), 'http://here:3592');
});

test.run();
