import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { equals } from './equality.js';
import {
  auxDataMessage,
  principalMessage,
  requestMessage,
  resourceMessage,
  runtimeMessage,
  variablesMessage,
} from './messages.js';
import { toOutput } from './output.js';
import { has, select } from './selection.js';
import { CelError, type Result } from './values.js';

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

test.run();
