import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCheckResourceBatchRequest, readCheckResourceSetRequest } from '../gen/json/request.js';
import type { Decision } from '../../server/service/decider.js';
import { printCheckResourceBatchResponse, printCheckResourceSetResponse } from '../gen/json/response.js';
import { readDocument } from './json-scan.js';

const body = (json: unknown): Buffer => Buffer.from(JSON.stringify(json));

test('a set is parsed in either spelling, and null is absent', () => {
  assert.equal(
    readDocument(
      body({
        request_id: 'r',
        actions: ['a'],
        principal: null,
        resource: { kind: 'k', policy_version: '1', instances: { x: { attr: { n: null } }, y: {} } },
        includeMeta: true,
        aux_data: { jwt: { token: 't' } },
      }),
      readCheckResourceSetRequest,
    ),
    {
      requestId: 'r',
      actions: ['a'],
      principal: undefined,
      resource: {
        kind: 'k',
        policyVersion: '1',
        instances: new Map([
          ['x', { attr: { n: null } }],
          ['y', { attr: {} }],
        ]),
        scope: '',
      },
      includeMeta: true,
      auxData: { jwt: { token: 't', keySetId: '' }, jwts: new Map() },
    },
  );
});

test('a batch has no field for meta', () => {
  assert.equal(readDocument(body({ resources: [{ actions: ['a'] }] }), readCheckResourceBatchRequest), {
    requestId: '',
    principal: undefined,
    resources: [{ actions: ['a'], resource: undefined }],
    auxData: undefined,
  });
  assert.throws(
    () => readDocument(body({ includeMeta: true }), readCheckResourceBatchRequest),
    /unknown field "includeMeta"/,
  );
});

test('invalid structure is rejected with its location', () => {
  assert.throws(
    () => readDocument(body({ resource: { instances: { x: null } } }), readCheckResourceSetRequest),
    /`resource.instances\[\]` must be an object, not null/,
  );
  assert.throws(
    () => readDocument(body({ resource: { instances: { x: { attr: 1 } } } }), readCheckResourceSetRequest),
    /`resource.instances\[\].attr` must be an object/,
  );
  assert.throws(
    () => readDocument(body({ resource: { policyVersion: '', policy_version: '' } }), readCheckResourceSetRequest),
    /`policy_version` is there twice/,
  );
  assert.throws(
    () => readDocument(Buffer.from('{"resource":{"instances":{"x":{},"x":{}}}}'), readCheckResourceSetRequest),
    /twice|duplicate/,
  );
  assert.throws(
    () => readDocument(Buffer.from('{"__proto__":{}}'), readCheckResourceSetRequest),
    /unknown field "__proto__"/,
  );
});

const decision: Decision = {
  actions: [
    { action: 'edit', effect: 2, matchedPolicy: 'NO_MATCH', matchedScope: '' },
    { action: 'view', effect: 1, matchedPolicy: 'p', matchedScope: 'acme' },
  ],
  effectiveDerivedRoles: ['owner'],
  outputs: [{ src: 's', action: 'view', val: 1 }],
  validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_RESOURCE' }],
};

test('responses are printed without a call id and without outputs', () => {
  const effects =
    '"actions":{"edit":"EFFECT_DENY","view":"EFFECT_ALLOW"},"validationErrors":[{"path":"/a","message":"m","source":"SOURCE_RESOURCE"}]';
  const meta =
    '{"actions":{"edit":{"matchedPolicy":"NO_MATCH"},"view":{"matchedPolicy":"p","matchedScope":"acme"}},"effectiveDerivedRoles":["owner"]}';
  assert.is(
    printCheckResourceSetResponse({
      requestId: '',
      resourceInstances: [{ id: 'a"', ...decision }],
      meta: { resourceInstances: [{ id: 'a"', ...decision }] },
    }),
    `{"resourceInstances":{"a\\"":{${effects}}},"meta":{"resourceInstances":{"a\\"":${meta}}}}`,
  );
  assert.is(
    printCheckResourceSetResponse({ requestId: 'r', resourceInstances: [{ id: 'a', ...decision }], meta: undefined }),
    `{"requestId":"r","resourceInstances":{"a":{${effects}}}}`,
  );
  assert.is(
    printCheckResourceBatchResponse({ requestId: 'r', results: [{ resourceId: 'a', ...decision }] }),
    `{"requestId":"r","results":[{"resourceId":"a",${effects}}]}`,
  );
});

test.run();
