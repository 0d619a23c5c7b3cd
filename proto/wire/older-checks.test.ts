import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { messageType } from '../../tests/support/protobuf.js';
import {
  checkResourceBatchRequestSize,
  checkResourceSetRequestSize,
  decodeCheckResourceBatchRequest,
  decodeCheckResourceSetRequest,
} from '../gen/wire/request.js';
import type { Decision } from '../../server/service/decider.js';
import { encodeCheckResourceBatchResponse } from '../gen/wire/response.js';
import { encodeCheckResourceSetResponse } from '../gen/wire/response.js';
import { WireWriter } from './writer.js';

const principal = {
  id: 'p',
  policyVersion: 'v',
  roles: ['a', 'b'],
  attr: { s: 'x', l: [1, null] },
  scope: 'a.b',
  actors: [{ id: 'bot', policyVersion: 'v2', roles: ['c'], attr: { d: [null] }, scope: 'e' }],
};
const auxData = { jwts: { a: { token: 't' } } };
const decodedAuxData = { jwt: undefined, jwts: new Map([['a', { token: 't', keySetId: '' }]]) };

test('a request about a set decodes to what was encoded, and its size is known', () => {
  const json = {
    requestId: 'é',
    actions: ['x', 'y'],
    principal,
    resource: {
      kind: 'k',
      policyVersion: '1',
      instances: { b: { attr: { a: { ['__proto__']: 1 } } }, '': { attr: {} } },
      scope: '.',
    },
    includeMeta: true,
    auxData,
  };
  const bytes = messageType('authz.request.v1.CheckResourceSetRequest').encode(json as never);
  const decoded = decodeCheckResourceSetRequest(bytes);
  assert.equal(decoded, {
    ...json,
    auxData: decodedAuxData,
    resource: {
      ...json.resource,
      instances: new Map<string, object>([
        ['b', json.resource.instances.b],
        ['', { attr: {} }],
      ]),
    },
  });
  assert.is(checkResourceSetRequestSize(decoded), bytes.length);
});

test('a request about a batch decodes to what was encoded, and its size is known', () => {
  const resources = [
    { actions: ['x'], resource: { kind: 'k', policyVersion: '', id: '1', attr: { a: 1 }, scope: '' } },
    { actions: [], resource: undefined },
  ];
  const bytes = messageType('authz.request.v1.CheckResourceBatchRequest').encode({
    requestId: 'r',
    principal,
    resources: [resources[0] as never, {}],
    auxData,
  });
  const decoded = decodeCheckResourceBatchRequest(bytes);
  assert.equal(decoded, { requestId: 'r', principal, resources, auxData: decodedAuxData });
  assert.is(checkResourceBatchRequestSize(decoded), bytes.length);
});

const decision: Decision = {
  actions: [
    { action: 'view', effect: 1, matchedPolicy: 'resource.k.vdefault', matchedScope: 'acme' },
    { action: 'edit', effect: 2, matchedPolicy: 'NO_MATCH', matchedScope: '' },
  ],
  effectiveDerivedRoles: ['owner'],
  outputs: [{ src: 's', action: 'view', val: 1 }],
  validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_RESOURCE' }],
};
const printed = {
  actions: { view: 'EFFECT_ALLOW', edit: 'EFFECT_DENY' },
  validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_RESOURCE' }],
};

test('responses for a set and for a batch have neither a call id nor outputs', () => {
  const set = encodeCheckResourceSetResponse(
    {
      requestId: 'r',
      resourceInstances: [
        { id: '', ...decision },
        { id: 'b', ...decision },
      ],
      meta: {
        resourceInstances: [
          { id: '', ...decision },
          { id: 'b', ...decision },
        ],
      },
    },
    new WireWriter(),
  );
  const meta = {
    actions: {
      view: { matchedPolicy: 'resource.k.vdefault', matchedScope: 'acme' },
      edit: { matchedPolicy: 'NO_MATCH' },
    },
    effectiveDerivedRoles: ['owner'],
  };
  assert.equal(messageType('authz.response.v1.CheckResourceSetResponse').decode(set), {
    requestId: 'r',
    resourceInstances: { '': printed, b: printed },
    meta: { resourceInstances: { '': meta, b: meta } },
  });
  const batch = encodeCheckResourceBatchResponse(
    {
      requestId: 'r',
      results: [
        { resourceId: 'b', ...decision },
        { resourceId: '', ...decision },
      ],
    },
    new WireWriter(),
  );
  assert.equal(messageType('authz.response.v1.CheckResourceBatchResponse').decode(batch), {
    requestId: 'r',
    results: [{ resourceId: 'b', ...printed }, printed],
  });
});

test.run();
