import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { messageType } from '../../tests/support/protobuf.js';
import {
  accessEvaluationBatchRequestSize,
  accessEvaluationRequestSize,
  decodeAccessEvaluationBatchRequest,
  decodeAccessEvaluationRequest,
} from '../gen/wire/authorization.js';
import type { CheckResourcesResponse } from '../gen/messages.js';
import {
  encodeAccessEvaluationBatchResponse,
  encodeAccessEvaluationResponse,
  encodeMetadataResponse,
} from '../gen/wire/authorization.js';
import { WireWriter } from './writer.js';

const one = {
  subject: { type: 'user', id: 'alice', properties: { 'authz.roles': ['a', 1], ['__proto__']: { x: null } } },
  resource: { type: 'k', id: '1', properties: {} },
  action: { name: 'read', properties: { method: 'GET' } },
  context: { 'authz.includeMeta': true },
};

test('an evaluation decodes to what was encoded, and its size is known', () => {
  const bytes = messageType('authzen.authorization.v1.AccessEvaluationRequest').encode(one);
  assert.equal(decodeAccessEvaluationRequest(bytes), one);
  assert.is(accessEvaluationRequestSize(decodeAccessEvaluationRequest(bytes)), bytes.length);
});

test('a batch of evaluations decodes to what was encoded, and its size is known', () => {
  const batch = {
    ...one,
    evaluations: [one, {}, { action: one.action }],
    options: { evaluations_semantic: 'execute_all' },
  };
  const none = { subject: undefined, resource: undefined, action: undefined, context: {} };
  const bytes = messageType('authzen.authorization.v1.AccessEvaluationBatchRequest').encode(batch);
  const decoded = decodeAccessEvaluationBatchRequest(bytes);
  assert.equal(decoded, {
    ...one,
    evaluations: [one, none, { ...none, action: one.action }],
    options: { evaluationsSemantic: 'execute_all' },
  });
  assert.is(accessEvaluationBatchRequestSize(decoded), bytes.length);
});

const check: CheckResourcesResponse = {
  requestId: 'r',
  authzCallId: '',
  results: [
    {
      resource: { kind: 'k', policyVersion: '', id: '1', scope: 'a' },

      actions: [{ action: '__proto__', effect: 1 }],
      meta: {
        actions: [{ action: '__proto__', matchedPolicy: 'p', matchedScope: 'a' }],
        effectiveDerivedRoles: ['owner'],
        unknown: [],
      },
      outputs: [
        { src: 's', action: 'read', val: { n: [1, null] } },
        { src: 't', action: 'read', error: 'e' },
      ],
      validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_PRINCIPAL' }],
    },
  ],
};

test('the check behind a decision is a value in its context', () => {
  const answer = messageType('authzen.authorization.v1.AccessEvaluationResponse').decode(
    encodeAccessEvaluationResponse({ decision: true, response: check }, new WireWriter()),
  );
  const result = {
    resource: { id: '1', kind: 'k', scope: 'a' },
    actions: { ['__proto__']: 'EFFECT_ALLOW' },
    validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_PRINCIPAL' }],
    meta: {
      actions: { ['__proto__']: { matchedPolicy: 'p', matchedScope: 'a' } },
      effectiveDerivedRoles: ['owner'],
    },
    outputs: [
      { src: 's', val: { n: [1, null] }, action: 'read' },
      { src: 't', action: 'read', error: 'e' },
    ],
  };
  assert.equal(answer, { decision: true, context: { 'authz.response': { requestId: 'r', results: [result] } } });
});

test('a denial is encoded explicitly', () => {
  const batch = encodeAccessEvaluationBatchResponse(
    {
      evaluations: [
        { decision: true, response: undefined },
        { decision: false, response: undefined },
      ],
      decision: undefined,
      response: undefined,
    },
    new WireWriter(),
  );
  assert.equal(messageType('authzen.authorization.v1.AccessEvaluationBatchResponse').decode(batch), {
    evaluations: [{ decision: true }, { decision: false }],
  });
  const single = encodeAccessEvaluationBatchResponse(
    { evaluations: [], decision: false, response: undefined },
    new WireWriter(),
  );
  assert.equal(messageType('authzen.authorization.v1.AccessEvaluationBatchResponse').decode(single), {
    decision: false,
  });
});

test('the metadata document is snake_case', () => {
  const bytes = encodeMetadataResponse(
    {
      policyDecisionPoint: 'a',
      accessEvaluationEndpoint: 'b',
      accessEvaluationsEndpoint: 'c',
      searchActionEndpoint: 'd',
      searchSubjectEndpoint: '',
      searchResourceEndpoint: 'e',
    },
    new WireWriter(),
  );
  assert.equal(messageType('authzen.authorization.v1.MetadataResponse').decode(bytes), {
    policy_decision_point: 'a',
    access_evaluation_endpoint: 'b',
    access_evaluations_endpoint: 'c',
    search_action_endpoint: 'd',
    search_resource_endpoint: 'e',
  });
});

test.run();
