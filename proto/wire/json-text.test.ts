import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckResourcesResponse } from '../gen/messages.js';
import { printCheckResourcesResponse } from '../gen/json/response.js';
import { MAX_PRINTED_DEPTH, printValue, quote } from './json-text.js';

test('strings are escaped only where JSON requires it', () => {
  for (const text of [
    '',
    'a',
    '"',
    '\\',
    '\n',
    '\u0000',
    '\u001f',
    '\u007f',
    '<&>',
    '\u2028',
    'é',
    '😀',
    'x'.repeat(100),
    `${'x'.repeat(100)}"`,
  ]) {
    assert.is(quote(text), JSON.stringify(text));
  }
  assert.is(quote('\u2028<é'), '"\u2028<é"');
});

test('numbers print as in ECMAScript, negative zero as -0', () => {
  assert.is(
    printValue([1, 2.5, 1e21, 1e20, 1e-7, 0.000001, -0, 0]),
    '[1,2.5,1e+21,100000000000000000000,1e-7,0.000001,-0,0]',
  );
});

test('a number that is not finite cannot be printed at any position', () => {
  assert.is(printValue(Number.NaN), undefined);
  assert.is(printValue({ a: [{ b: Number.POSITIVE_INFINITY }] }), undefined);
});

test('a value too deep for the stack is not printed', () => {
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  assert.is(printValue(nested(MAX_PRINTED_DEPTH))?.length, 2 * MAX_PRINTED_DEPTH);
  assert.is(printValue(nested(MAX_PRINTED_DEPTH + 1)), undefined);
});

test('map keys are printed sorted, including names of Object.prototype', () => {
  assert.is(
    printValue(JSON.parse('{"b":1,"a":{"d":null,"c":true},"__proto__":[]}')),
    '{"__proto__":[],"a":{"c":true,"d":null},"b":1}',
  );
});

const response: CheckResourcesResponse = {
  requestId: 'r',
  authzCallId: 'ID',
  results: [
    {
      resource: { kind: 'k', policyVersion: 'v', id: '1', scope: '.' },

      actions: [
        { action: 'edit', effect: 2 },
        { action: 'view', effect: 1 },
      ],
      meta: {
        actions: [
          { action: 'edit', matchedPolicy: 'NO_MATCH', matchedScope: '' },
          { action: 'view', matchedPolicy: 'resource.k.vv', matchedScope: 'acme' },
        ],
        effectiveDerivedRoles: ['owner'],
        unknown: [],
      },
      outputs: [
        { src: 's#a', action: 'view', val: null },
        { src: 's#b', action: 'view', error: 'no such key: x' },
        { src: 's#c', action: 'view', val: Number.NaN },
      ],
      validationErrors: [{ path: '/a', message: 'm', source: 'SOURCE_PRINCIPAL' }],
    },
  ],
};

test('a response is printed in the order of its fields, without empty ones', () => {
  assert.is(
    printCheckResourcesResponse(response),
    '{"requestId":"r","results":[{"resource":{"id":"1","kind":"k","policyVersion":"v","scope":"."},' +
      '"actions":{"edit":"EFFECT_DENY","view":"EFFECT_ALLOW"},' +
      '"validationErrors":[{"path":"/a","message":"m","source":"SOURCE_PRINCIPAL"}],' +
      '"meta":{"actions":{"edit":{"matchedPolicy":"NO_MATCH"},"view":{"matchedPolicy":"resource.k.vv","matchedScope":"acme"}},"effectiveDerivedRoles":["owner"]},' +
      '"outputs":[{"src":"s#a","val":null,"action":"view"},{"src":"s#b","action":"view","error":"no such key: x"},' +
      '{"src":"s#c","action":"view","error":"the value is too deep, or has a number that JSON cannot represent"}]}],"authzCallId":"ID"}',
  );
});

test.run();
