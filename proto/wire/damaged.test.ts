import type { JsonValue } from '@bufbuild/protobuf';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { damaged, messageType, randomNumbers } from '../../tests/support/protobuf.js';
import {
  accessEvaluationBatchRequestViolations,
  accessEvaluationRequestViolations,
} from '../gen/validate/authorization.js';
import {
  checkResourceBatchRequestViolations,
  checkResourceSetRequestViolations,
  checkResourcesRequestViolations,
  planResourcesRequestViolations,
} from '../gen/validate/request.js';
import {
  accessEvaluationBatchRequestSize,
  accessEvaluationRequestSize,
  decodeAccessEvaluationBatchRequest,
  decodeAccessEvaluationRequest,
} from '../gen/wire/authorization.js';
import {
  checkResourceBatchRequestSize,
  checkResourceSetRequestSize,
  checkResourcesRequestSize,
  decodeCheckResourceBatchRequest,
  decodeCheckResourceSetRequest,
  decodeCheckResourcesRequest,
  decodePlanResourcesRequest,
  planResourcesRequestSize,
} from '../gen/wire/request.js';
import { WireError } from './reader.js';

const principal = {
  id: 'p',
  policyVersion: 'v',
  roles: ['a', 'b'],
  attr: { s: 'x', n: -1.5, t: true, u: null, l: [1, [], {}], m: { '': { deep: ['é😀'] } } },
  scope: 'a.b',
};
const resource = { kind: 'k', policyVersion: '1', id: 'i', attr: { long: 'x'.repeat(300) }, scope: '.' };
const auxData = { jwt: { token: 't', keySetId: 'k' }, jwts: { a: { token: 'x' } } };
const entry = { actions: ['view', 'edit'], resource };
const evaluation = {
  subject: { type: 't', id: 'i', properties: { a: [1] } },
  resource: { type: 't', id: 'i', properties: {} },
  action: { name: 'n', properties: {} },
  context: { 'authz.auxData': auxData },
};

/** A request of each type, with all that is done to it before it is answered. */
const requests: readonly {
  readonly type: string;
  readonly json: JsonValue;
  readonly handle: (bytes: Buffer) => void;
}[] = [
  row(
    'authz.request.v1.CheckResourcesRequest',
    {
      requestId: 'é',
      includeMeta: true,
      principal,
      resources: [entry, entry],
      auxData,
      requestContext: { annotations: { a: 1 } },
    },
    decodeCheckResourcesRequest,
    checkResourcesRequestViolations,
    checkResourcesRequestSize,
  ),
  row(
    'authz.request.v1.PlanResourcesRequest',
    {
      action: 'a',
      actions: ['b'],
      principal,
      resource: { kind: 'k', attr: { a: 1 } },
      auxData,
      includeMeta: true,
      requestContext: {},
    },
    decodePlanResourcesRequest,
    planResourcesRequestViolations,
    planResourcesRequestSize,
  ),
  row(
    'authz.request.v1.CheckResourceSetRequest',
    {
      actions: ['a', 'b'],
      principal,
      resource: { kind: 'k', instances: { a: { attr: { x: 1 } }, b: {} } },
      includeMeta: true,
      auxData,
    },
    decodeCheckResourceSetRequest,
    checkResourceSetRequestViolations,
    checkResourceSetRequestSize,
  ),
  row(
    'authz.request.v1.CheckResourceBatchRequest',
    { principal, resources: [entry], auxData },
    decodeCheckResourceBatchRequest,
    checkResourceBatchRequestViolations,
    checkResourceBatchRequestSize,
  ),
  row(
    'authzen.authorization.v1.AccessEvaluationRequest',
    evaluation,
    decodeAccessEvaluationRequest,
    accessEvaluationRequestViolations,
    accessEvaluationRequestSize,
  ),
  row(
    'authzen.authorization.v1.AccessEvaluationBatchRequest',
    { ...evaluation, evaluations: [evaluation, {}], options: { evaluations_semantic: 'execute_all' } },
    decodeAccessEvaluationBatchRequest,
    accessEvaluationBatchRequestViolations,
    accessEvaluationBatchRequestSize,
  ),
];

function row<T>(
  type: string,
  json: object,
  decode: (bytes: Buffer) => T,
  violations: (request: T) => unknown,
  sizeOf: (request: T) => number,
) {
  const handle = (bytes: Buffer): void => {
    const request = decode(bytes);
    violations(request);
    assert.ok(sizeOf(request) >= 0);
  };
  return { type, json: json as JsonValue, handle };
}

for (const { type, json, handle } of requests) {
  test(`damaged bytes are a ${type} or throw a WireError`, () => {
    const whole = messageType(type).encode(json);
    const next = randomNumbers(7);
    const counts = { read: 0, refused: 0 };
    for (let round = 0; round < 2500; round++) {
      try {
        handle(damaged(whole, next));
        counts.read += 1;
      } catch (error) {
        assert.instance(error, WireError);
        counts.refused += 1;
      }
    }
    assert.ok(counts.read > 50 && counts.refused > 50, JSON.stringify(counts));
  });
}

test('no endlessly nested field number overflows the stack', () => {
  for (const { handle } of requests) {
    // A number that the message does not have is skipped whole.
    for (let field = 1; field < 9; field++) {
      try {
        handle(nested((field << 3) | 2, 200_000));
      } catch (error) {
        assert.instance(error, WireError);
      }
    }
  }
});

/** Messages in one another, each of one field, longer and longer towards the front. */
function nested(tag: number, depth: number): Buffer {
  const bytes = Buffer.alloc(depth * 5, 0xff);
  let at = bytes.length;
  for (let level = 0; level < depth && at > 5; level++) {
    const length = varint(bytes.length - at);
    at -= length.length;
    length.copy(bytes, at);
    at -= 1;
    bytes[at] = tag;
  }
  return bytes.subarray(at);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

test.run();
