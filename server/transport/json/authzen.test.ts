import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { printAccessEvaluationBatchResponse, printMetadataResponse } from './print-authzen.js';
import { readAccessEvaluationBatchRequest, readAccessEvaluationRequest, readMetadataRequest } from './read-authzen.js';

const body = (json: unknown): Buffer => Buffer.from(JSON.stringify(json));
const none = { subject: undefined, resource: undefined, action: undefined, context: {} };

test('an evaluation is read by its shape', () => {
  const subject = { type: 'user', id: 'a', properties: { 'authz.roles': [1, null] } };
  assert.equal(readAccessEvaluationRequest(body({ subject, resource: null, action: { name: 'read' }, context: { a: { b: 1 } } })), {
    subject,
    resource: undefined,
    action: { name: 'read', properties: {} },
    context: { a: { b: 1 } },
  });
  assert.throws(() => readAccessEvaluationRequest(body({ subject: { type: 1 } })), /`subject.type` must be a string/);
});

test('fields that nobody knows are ignored, but not duplicates, and not numbers that nothing can hold', () => {
  const action = { name: 'read', later: [{ a: { b: 1 } }, 'x', null] };
  assert.equal(readAccessEvaluationRequest(body({ action, foo: 'bar', futureField: { nested: true } })), { ...none, action: { name: 'read', properties: {} } });
  assert.throws(() => readAccessEvaluationRequest(Buffer.from('{"later":{"a":1,"a":2}}')), /twice|duplicate/);
  assert.throws(() => readAccessEvaluationRequest(Buffer.from('{"later":[1e999]}')), /out of range/);
});

test('the semantic of a batch has two spellings', () => {
  for (const name of ['evaluations_semantic', 'evaluationsSemantic']) {
    assert.equal(readAccessEvaluationBatchRequest(body({ evaluations: [{}], options: { [name]: 'execute_all' } })), { ...none, evaluations: [none], options: { evaluationsSemantic: 'execute_all' } });
  }
  assert.throws(() => readAccessEvaluationBatchRequest(body({ options: { evaluations_semantic: 'a', evaluationsSemantic: 'a' } })), /is there twice/);
  assert.throws(() => readAccessEvaluationBatchRequest(body({ evaluations: [null] })), /`evaluations\[\]` must be an object, not null/);
});

test('a request for metadata has no fields', () => {
  assert.equal(readMetadataRequest(Buffer.alloc(0)), {});
  assert.throws(() => readMetadataRequest(body([])), /must be an object/);
});

test('answers hold their decision, and the check behind it without a call id', () => {
  const decision = { actions: [{ action: 'read', effect: 2 as const, matchedPolicy: 'p', matchedScope: '' }], effectiveDerivedRoles: [], outputs: [], validationErrors: [] };
  const response = { requestId: 'r', includeMeta: true, authzCallId: '', results: [{ resource: { kind: 'k', policyVersion: '', id: '1', attr: {}, scope: '' }, decision }] };
  assert.is(
    printAccessEvaluationBatchResponse({ evaluations: [{ decision: true, response: undefined }, { decision: false, response }] }),
    '{"evaluations":[{"decision":true},{"decision":false,"context":{"authz.response":{"requestId":"r","results":[{"resource":{"id":"1","kind":"k"},"actions":{"read":"EFFECT_DENY"},"meta":{"actions":{"read":{"matchedPolicy":"p"}}}}]}}}]}',
  );
});

test('a batch without evaluations has one answer', () => {
  assert.is(printAccessEvaluationBatchResponse({ decision: true, response: undefined }), '{"decision":true}');
});

test('the metadata document is snake_case', () => {
  assert.is(
    printMetadataResponse({ policyDecisionPoint: 'https://a', accessEvaluationEndpoint: 'b', accessEvaluationsEndpoint: 'c"' }),
    '{"policy_decision_point":"https://a","access_evaluation_endpoint":"b","access_evaluations_endpoint":"c\\""}',
  );
});

test.run();
