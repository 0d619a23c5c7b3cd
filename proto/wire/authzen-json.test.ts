import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  printAccessEvaluationBatchResponse,
  printMetadataResponse,
  readAccessEvaluationBatchRequest,
  readAccessEvaluationRequest,
  readMetadataRequest,
} from '../gen/json/authorization.js';
import { readDocument } from './json-scan.js';

const body = (json: unknown): Buffer => Buffer.from(JSON.stringify(json));
const none = { subject: undefined, resource: undefined, action: undefined, context: {} };

test('an evaluation is parsed by its structure', () => {
  const subject = { type: 'user', id: 'a', properties: { 'authz.roles': [1, null] } };
  assert.equal(
    readDocument(
      body({ subject, resource: null, action: { name: 'read' }, context: { a: { b: 1 } } }),
      readAccessEvaluationRequest,
    ),
    {
      subject,
      resource: undefined,
      action: { name: 'read', properties: {} },
      context: { a: { b: 1 } },
    },
  );
  assert.throws(
    () => readDocument(body({ subject: { type: 1 } }), readAccessEvaluationRequest),
    /`subject.type` must be a string/,
  );
});

test('unknown fields are ignored, but not duplicates, and not numbers out of range', () => {
  const action = { name: 'read', later: [{ a: { b: 1 } }, 'x', null] };
  assert.equal(readDocument(body({ action, foo: 'bar', futureField: { nested: true } }), readAccessEvaluationRequest), {
    ...none,
    action: { name: 'read', properties: {} },
  });
  assert.throws(
    () => readDocument(Buffer.from('{"later":{"a":1,"a":2}}'), readAccessEvaluationRequest),
    /twice|duplicate/,
  );
  assert.throws(() => readDocument(Buffer.from('{"later":[1e999]}'), readAccessEvaluationRequest), /out of range/);
});

test('the semantic of a batch has two spellings', () => {
  for (const name of ['evaluations_semantic', 'evaluationsSemantic']) {
    assert.equal(
      readDocument(body({ evaluations: [{}], options: { [name]: 'execute_all' } }), readAccessEvaluationBatchRequest),
      { ...none, evaluations: [none], options: { evaluationsSemantic: 'execute_all' } },
    );
  }
  assert.throws(
    () =>
      readDocument(
        body({ options: { evaluations_semantic: 'a', evaluationsSemantic: 'a' } }),
        readAccessEvaluationBatchRequest,
      ),
    /is there twice/,
  );
  assert.throws(
    () => readDocument(body({ evaluations: [null] }), readAccessEvaluationBatchRequest),
    /`evaluations\[\]` must be an object, not null/,
  );
});

test('a request for metadata has no fields', () => {
  assert.equal(readDocument(Buffer.alloc(0), readMetadataRequest), {});
  assert.throws(() => readDocument(body([]), readMetadataRequest), /must be an object/);
});

test('responses have their decision, and the check behind it without a call id', () => {
  const actions = [{ action: 'read', effect: 2 as const, matchedPolicy: 'p', matchedScope: '' }];
  const result = {
    actions,
    outputs: [],
    validationErrors: [],
    meta: { actions, effectiveDerivedRoles: [], unknown: [] },
  };
  const response = {
    requestId: 'r',
    authzCallId: '',
    results: [{ resource: { kind: 'k', policyVersion: '', id: '1', scope: '' }, ...result }],
  };
  assert.is(
    printAccessEvaluationBatchResponse({
      evaluations: [
        { decision: true, response: undefined },
        { decision: false, response },
      ],
      decision: undefined,
      response: undefined,
    }),
    '{"evaluations":[{"decision":true},{"decision":false,"context":{"authz.response":{"requestId":"r","results":[{"resource":{"id":"1","kind":"k"},"actions":{"read":"EFFECT_DENY"},"meta":{"actions":{"read":{"matchedPolicy":"p"}}}}]}}}]}',
  );
});

test('a batch without evaluations has one response', () => {
  assert.is(
    printAccessEvaluationBatchResponse({ evaluations: [], decision: true, response: undefined }),
    '{"decision":true}',
  );
});

test('the metadata document is snake_case', () => {
  assert.is(
    printMetadataResponse({
      policyDecisionPoint: 'https://a',
      accessEvaluationEndpoint: 'b',
      accessEvaluationsEndpoint: 'c"',
      searchActionEndpoint: 'd',
      searchSubjectEndpoint: '',
      searchResourceEndpoint: 'e',
    }),
    '{"policy_decision_point":"https://a","access_evaluation_endpoint":"b","access_evaluations_endpoint":"c\\"",' +
      '"search_action_endpoint":"d","search_resource_endpoint":"e"}',
  );
});

test.run();
