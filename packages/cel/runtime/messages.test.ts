import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { equals } from './equality.js';
import { mapOf } from './maps.js';
import {
  auxDataMessage,
  messageOf,
  principalMessage,
  requestMessage,
  resourceMessage,
  runtimeMessage,
  variablesMessage,
} from './messages.js';
import { toOutput } from './output.js';
import { has, select } from './selection.js';
import { CelError, Duration, Message, type Result, Timestamp, Uint } from './values.js';

const principal = { id: 'alice', roles: ['user'], attr: {}, policyVersion: '', scope: '' };
const resource = { kind: 'doc', id: 'r1', attr: { x: 5 }, policyVersion: '', scope: '' };
const auxData = { jwt: {}, jwts: {} };

test('has() on a message field is true when it is set and not empty', () => {
  const P = principalMessage(principal);
  for (const name of ['scope', 'policyVersion', 'attr']) assert.is(has(P, name), false);
  assert.is(has(P, 'id'), true);
  const request = requestMessage({ principal, resource, auxData });
  assert.is(has(request, 'principal'), true);
  assert.is(has(request, 'auxData'), false);
  assert.is(has(select(request, 'auxData'), 'jwt'), false);
});

test('unset fields read as empty', () => {
  assert.is(select(principalMessage(principal), 'policyVersion'), '');
  const request = requestMessage({ principal, resource, auxData });
  assert.equal(toOutput(select(request, 'aux_data')), { val: {} });
  assert.equal(select(select(request, 'aux_data'), 'jwts'), {});
});

test('messages are equal when their fields are equal', () => {
  assert.is(equals(resourceMessage(resource), resourceMessage({ ...resource, attr: { x: 5 } })), true);
  assert.is(equals(resourceMessage(resource), resourceMessage({ ...resource, id: 'r2' })), false);
  assert.is(equals(resourceMessage(resource), principalMessage(principal)), false);
});

test('each named token is a separate message', () => {
  const aux = auxDataMessage({ jwt: {}, jwts: { a: { claims: {} }, b: { claims: { sub: 's2' } } } });
  assert.equal(toOutput(select(aux, 'jwts')), { val: { a: {}, b: { claims: { sub: 's2' } } } });
  const tokens: Result = select(aux, 'jwts');
  assert.is(has(select(tokens, 'a'), 'claims'), false);
  assert.is(has(select(tokens, 'b'), 'claims'), true);
});

test('reading runtime fails when a derived role could not be computed', () => {
  assert.equal(
    runtimeMessage({ effectiveDerivedRoles: [], failedDerivedRoles: ['a', 'b'] }),
    new CelError('failed to compute effective derived roles [a, b]'),
  );
  assert.equal(
    select(runtimeMessage({ effectiveDerivedRoles: ['a'], failedDerivedRoles: [] }), 'effectiveDerivedRoles'),
    ['a'],
  );
});

test('a failed variable is not set', () => {
  const V = variablesMessage({ a: 1n, b: undefined, c: new CelError('x') });
  assert.equal(toOutput(V), { val: { a: 1 } });
  assert.equal(select(V, 'b'), new CelError("undefined field 'b'"));
});

const made = (name: string, fields: readonly (readonly [string, Result])[] = []) =>
  messageOf(`google.protobuf.${name}`, mapOf(fields));

test('wrappers are their scalar, and empty ones its zero', () => {
  assert.is(made('Int32Value', [['value', 5n]]), 5n);
  assert.is(made('StringValue', [['value', 'a']]), 'a');
  assert.is(made('Int64Value'), 0n);
  assert.equal(made('UInt64Value'), new Uint(0n));
  assert.equal(made('Int32Value', [['value', 2n ** 31n]]), new CelError('integer overflow'));
});

test('a 32-bit wrapper has the range of its type', () => {
  assert.is(made('Int32Value', [['value', 2n ** 31n - 1n]]), 2n ** 31n - 1n);
  assert.is(made('Int32Value', [['value', -(2n ** 31n)]]), -(2n ** 31n));
  assert.equal(made('Int32Value', [['value', -(2n ** 31n) - 1n]]), new CelError('integer overflow'));
  assert.equal(made('UInt32Value', [['value', new Uint(2n ** 32n - 1n)]]), new Uint(2n ** 32n - 1n));
  assert.equal(made('UInt32Value', [['value', new Uint(2n ** 32n)]]), new CelError('unsigned integer overflow'));
  assert.is(made('FloatValue', [['value', 0.1]]), Math.fround(0.1));
});

test('Struct, Value and ListValue are JSON values', () => {
  assert.equal(made('Struct'), {});
  assert.equal(made('ListValue', [['values', [1]]]), [1]);
  assert.is(made('Value', [['number_value', 1]]), 1);
  assert.is(made('Value'), null);
});

test('Timestamp and Duration are time values', () => {
  assert.equal(made('Timestamp', [['seconds', 1n]]), new Timestamp(1, 0, 0));
  assert.equal(
    made('Duration', [
      ['seconds', 1n],
      ['nanos', 5n],
    ]),
    new Duration(1_000_000_005n),
  );
});

test('a failed field is the result', () => {
  const failure = new CelError('x');
  assert.is(made('Int64Value', [['value', failure]]), failure);
});

test('any other message keeps its fields; its name may begin with a dot', () => {
  assert.equal(
    messageOf('.authz.engine.v1.AuxData.JWT', { claims: { a: 1 } }),
    new Message('authz.engine.v1.AuxData.JWT', { claims: { a: 1 } }),
  );
  assert.instance(made('constructor'), Message);
});

test.run();
