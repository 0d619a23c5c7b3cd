import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { messageType } from '../../tests/support/protobuf.js';
import { decodePlanResourcesRequest, planResourcesRequestSize } from '../gen/wire/request.js';
import type { PlanResourcesResponse } from '../gen/messages.js';
import type { Plan } from '../../server/service/decider.js';
import { decodePlanResourcesResponse, encodePlanResourcesResponse } from '../gen/wire/response.js';
import { TextTable, WireError } from './reader.js';
import { WireWriter } from './writer.js';

const request = messageType('authz.request.v1.PlanResourcesRequest');
const response = messageType('authz.response.v1.PlanResourcesResponse');
const texts = new TextTable();

const wholeRequest = {
  requestId: 'é😀',
  action: 'view',
  principal: {
    id: 'p',
    policyVersion: 'v',
    roles: ['a', 'b'],
    attr: { s: 'x', n: -1.5, l: [1, null, { a: true }] },
    scope: 'a.b',
    actors: [{ id: 'bot', policyVersion: 'v2', roles: ['c'], attr: { d: [null] }, scope: 'e' }],
  },
  resource: {
    kind: 'k',
    attr: { ['__proto__']: { deep: ['é'] }, long: 'x'.repeat(300) },
    policyVersion: '1',
    scope: '.',
  },
  auxData: { jwt: { token: 't', keySetId: 'k' } },
  includeMeta: true,
  actions: ['view', 'edit'],
  requestContext: { annotations: { a: [true] } },
};

test('a request for a plan decodes to what was encoded, and its size is known', () => {
  const bytes = request.encode(wholeRequest);
  const decoded = decodePlanResourcesRequest(bytes, texts);
  assert.equal(decoded, { ...wholeRequest, auxData: { jwt: { token: 't', keySetId: 'k' }, jwts: new Map() } });
  assert.is(planResourcesRequestSize(decoded), bytes.length);
});

test('an empty message is an empty request for a plan', () => {
  const empty = {
    requestId: '',
    action: '',
    actions: [],
    principal: undefined,
    resource: undefined,
    auxData: undefined,
    includeMeta: false,
    requestContext: undefined,
  };
  assert.equal(decodePlanResourcesRequest(Buffer.alloc(0), texts), empty);
  assert.is(planResourcesRequestSize(empty), 0);
});

test('a repeated resource is merged', () => {
  const both = Buffer.concat([
    request.encode({ resource: { kind: 'a', attr: { x: 1 } } }),
    request.encode({ resource: { attr: { y: 2 }, scope: 's' } }),
  ]);
  assert.equal(decodePlanResourcesRequest(both, texts).resource, {
    kind: 'a',
    policyVersion: '',
    attr: { x: 1, y: 2 },
    scope: 's',
  });
});

const plan: Plan = {
  filter: {
    kind: 'KIND_CONDITIONAL',
    condition: {
      expression: {
        operator: 'and',
        operands: [
          {
            expression: {
              operator: 'eq',
              operands: [
                { variable: 'request.resource.attr.a' },
                { value: { m: [1, -0.5, true, null, 'é', {}], l: [] } },
              ],
            },
          },
          { expression: { operator: 'not', operands: [{ variable: 'x' }] } },
          { value: false },
        ],
      },
    },
  },
  filterDebug: '(and ...)',
  matchedScopes: new Map([
    ['edit', ''],
    ['view', 'acme'],
  ]),
  validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_PRINCIPAL' }],
  unplanned: [
    { policy: 'resource.k.vdefault', rule: 'rule-001', reason: 'why' },
    { policy: 'p', rule: '', reason: 'because' },
  ],
};

const whole: PlanResourcesResponse = {
  requestId: 'r',
  action: '',
  actions: ['view', 'edit'],
  resourceKind: 'k',
  policyVersion: 'v',
  filter: plan.filter,
  meta: {
    filterDebug: plan.filterDebug,
    matchedScope: '',
    matchedScopes: plan.matchedScopes ?? new Map(),
    unplanned: plan.unplanned,
  },
  validationErrors: plan.validationErrors,
  authzCallId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
};

const read = (message: PlanResourcesResponse) =>
  response.decode(encodePlanResourcesResponse(message, new WireWriter()));

test("a plan equals the library's JSON form", () => {
  assert.equal(read(whole), {
    requestId: 'r',
    resourceKind: 'k',
    policyVersion: 'v',
    filter: plan.filter,
    meta: {
      filterDebug: '(and ...)',
      matchedScopes: { edit: '', view: 'acme' },
      unplanned: [
        { policy: 'resource.k.vdefault', rule: 'rule-001', reason: 'why' },
        { policy: 'p', reason: 'because' },
      ],
    },
    validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_PRINCIPAL' }],
    authzCallId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    actions: ['view', 'edit'],
  } as never);
});

test('a plan of one action names one scope, and has meta only on request', () => {
  const one = {
    ...whole,
    action: 'view',
    actions: [],
    filter: { kind: 'KIND_ALWAYS_DENIED' as const },
    meta: { filterDebug: plan.filterDebug, matchedScope: 'acme', matchedScopes: new Map(), unplanned: [] },
    validationErrors: [],
  };
  assert.equal((read(one) as { readonly meta: unknown }).meta, { filterDebug: '(and ...)', matchedScope: 'acme' });
  assert.equal(read({ ...one, meta: undefined }), {
    requestId: 'r',
    action: 'view',
    resourceKind: 'k',
    policyVersion: 'v',
    filter: { kind: 'KIND_ALWAYS_DENIED' },
    authzCallId: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  } as never);
});

test('a value of a response has one kind, at every depth', () => {
  const planOf = (value: string) => ({
    ...whole,
    filter: {
      kind: 'KIND_CONDITIONAL' as const,
      condition: { expression: { operator: 'eq', operands: [{ variable: 'owner' }, { value }] } },
    },
  });
  /** A plan with these bytes as a value, in place of a text that takes as many. */
  const planWith = (value: readonly number[]): PlanResourcesResponse => {
    const text = 'x'.repeat(value.length - 2);
    const bytes = encodePlanResourcesResponse(planOf(text), new WireWriter());
    Buffer.from(value).copy(bytes, bytes.indexOf(Buffer.from([0x1a, text.length, ...Buffer.from(text)])));
    return decodePlanResourcesResponse(bytes);
  };
  const entry = [0x0a, 7, 0x0a, 1, 97, 0x12, 2, 0x20, 1];
  for (const [value, expected] of [
    [[0x1a, 3, 97, 98, 99], 'abc'],
    [[0x08, 0, 0xa0, 0x06, 1], null],
    [[0x2a, 9, ...entry], { a: true }],
    [[0x2a, 9, ...entry.slice(0, -2), 0x08, 0], { a: null }],
    [[0x32, 4, 0x0a, 2, 0x32, 0], [[]]],
  ] as const)
    assert.equal(planWith(value).filter, planOf(expected as string).filter);
  for (const [value, message] of [
    [[0xa2, 0x06, 1, 97], 'no `value`'],
    [[0x18, 0x80, 0x00], 'wire type 0 for field 3'],
    [[0x0a, 1, 97], 'wire type 2 for field 1'],
    [[0x20, 1, 0x20, 0], '`value` is there twice'],
    [[0x1a, 1, 97, 0x08, 0], '`value` is there twice'],
    [[0x08, 0, 0x08, 0], '`value` is there twice'],
    [[0x2a, 18, ...entry, ...entry], 'two entries of `fields` for one key'],
    [[0x2a, 5, 0x0a, 3, 0x0a, 1, 97], 'no `value`'],
    [[0x2a, 4, 0x0a, 2, 0x12, 0], 'no `value`'],
    [[0x2a, 2, 0x08, 1], 'wire type 0 for field 1'],
    [[0x32, 2, 0x0a, 0], 'no `value`'],
    [[0x32, 2, 0x08, 1], 'wire type 0 for field 1'],
  ] as const)
    assert.throws(
      () => planWith(value),
      (error: Error) => error instanceof WireError && error.message === message,
      message,
    );
});

test.run();
