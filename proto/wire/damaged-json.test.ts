import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readAccessEvaluationBatchRequest, readAccessEvaluationRequest } from '../gen/json/authorization.js';
import {
  readCheckResourceBatchRequest,
  readCheckResourceSetRequest,
  readCheckResourcesRequest,
  readPlanResourcesRequest,
} from '../gen/json/request.js';
import { accessEvaluationBatchRequestSize } from '../gen/wire/authorization.js';
import {
  checkResourceBatchRequestSize,
  checkResourceSetRequestSize,
  checkResourcesRequestSize,
  planResourcesRequestSize,
} from '../gen/wire/request.js';
import { damaged, randomNumbers } from '../../tests/support/protobuf.js';
import { JsonError } from './json-shape.js';
import { readDocument } from './json-scan.js';

const principal =
  '"principal":{"id":"p","policyVersion":"v","roles":["a","b"],"attr":{"s":"x\\n","n":-1.5e3,"t":true,"u":null,"l":[1,[],{}],"m":{"":{"deep":["é😀\\ud83d\\ude00"]}}},"scope":"a.b"}';
const auxData = '"auxData":{"jwts":{"a":{"token":"x","keySetId":"k"},"b":{"token":"y"}}}';
const entries = '"resources":[{"actions":["view","edit"],"resource":{"kind":"k","id":"i","attr":{"a":{"b":[1,2]}}}}]';
const evaluation =
  '"subject":{"type":"t","id":"i","properties":{"authz.roles":["a"]}},"resource":{"type":"t","id":"i"},"action":{"name":"n"},"context":{"a":{"b":1}}';

/** A request of each type, with all that is done to it before it is validated. */
const readers: readonly { readonly name: string; readonly json: string; readonly read: (body: Buffer) => void }[] = [
  {
    name: 'CheckResources',
    json: `{"requestId":"r","includeMeta":true,${principal},${entries},${auxData},"requestContext":{"annotations":{"a":1}}}`,
    read: (body) => checkResourcesRequestSize(readDocument(body, readCheckResourcesRequest)),
  },
  {
    name: 'PlanResources',
    json: `{"request_id":"r","actions":["a"],${principal},"resource":{"kind":"k","attr":{"a":1}},${auxData},"include_meta":false}`,
    read: (body) => planResourcesRequestSize(readDocument(body, readPlanResourcesRequest)),
  },
  {
    name: 'CheckResourceSet',
    json: `{"actions":["a"],${principal},"resource":{"kind":"k","instances":{"a":{"attr":{"x":1}},"b":{}}},${auxData}}`,
    read: (body) => checkResourceSetRequestSize(readDocument(body, readCheckResourceSetRequest)),
  },
  {
    name: 'CheckResourceBatch',
    json: `{${principal},${entries},${auxData}}`,
    read: (body) => checkResourceBatchRequestSize(readDocument(body, readCheckResourceBatchRequest)),
  },
  {
    name: 'AccessEvaluation',
    json: `{${evaluation}}`,
    read: (body) => void readDocument(body, readAccessEvaluationRequest),
  },
  {
    name: 'AccessEvaluationBatch',
    json: `{${evaluation},"evaluations":[{${evaluation}},{}],"options":{"evaluations_semantic":"execute_all"}}`,
    read: (body) => accessEvaluationBatchRequestSize(readDocument(body, readAccessEvaluationBatchRequest)),
  },
];

/** Pieces of JSON that are put where they do not belong. */
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\ud800',
  '\\u0000',
  'null',
  'true',
  '1e999',
  '-0',
  '01',
  '{}',
  '[]',
  '"a"',
  '"__proto__":{"x":1},',
  '"constructor":1,',
  '"id":"x",',
  '\u2028',
  '😀',
  '\u0000',
  '\ufeff',
  ' ',
];

for (const { name, json, read } of readers) {
  test(`a damaged ${name} is parsed or throws a JsonError`, () => {
    const next = randomNumbers(13);
    const whole = Buffer.from(json);
    const counts = { read: 0, refused: 0 };
    read(whole);
    for (let round = 0; round < 2500; round++) {
      let body = round % 2 === 0 ? damaged(whole, next) : whole;
      for (let edits = next(3); edits > 0; edits--) {
        const at = next(body.length + 1);
        body = Buffer.concat([
          body.subarray(0, at),
          Buffer.from(PIECES[next(PIECES.length)] as string),
          body.subarray(at + next(3)),
        ]);
      }
      try {
        read(body);
        counts.read += 1;
      } catch (error) {
        assert.instance(error, JsonError, body.toString());
        counts.refused += 1;
      }
    }
    assert.ok(counts.read > 50 && counts.refused > 500, JSON.stringify(counts));
  });
}

test('no reader overflows the stack, however deep a body is', () => {
  for (const depth of [9_000, 300_000]) {
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const deeper = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    for (const value of [deep, deeper]) {
      for (const body of [
        value,
        `{"principal":{"attr":{"a":${value}}}}`,
        `{"resource":{"instances":{"a":{"attr":{"a":${value}}}}}}`,
        `{"context":{"a":${value}}}`,
        `{"evaluations":${value}}`,
      ]) {
        for (const { read } of readers) {
          try {
            read(Buffer.from(body));
          } catch (error) {
            assert.instance(error, JsonError);
          }
        }
      }
    }
  }
});

test.run();
