import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type SessionPrincipal, sessionValue } from './session-value.js';

const test = suite('values of a session');

const BOB = { id: 'bob', roles: ['employee'] };

test('a principal is JSON as a check receives it', () => {
  const attr = {
    tenant: 't1',
    since: new Date(0),
    tags: ['a', null],
    level: -1.5,
    none: undefined,
    inner: { x: true },
  };
  assert.equal(JSON.parse(sessionValue({ ...BOB, attr }, { sub: 'b' })), {
    ...BOB,
    attr: { tenant: 't1', since: '1970-01-01T00:00:00.000Z', tags: ['a', null], level: -1.5, inner: { x: true } },
    token: { sub: 'b' },
  });
  assert.equal(JSON.parse(sessionValue(BOB, undefined)), { ...BOB, attr: {} });
});

test('names of Object.prototype are names like others', () => {
  const attr = JSON.parse('{"__proto__": {"a": 1}, "constructor": "c"}') as object;
  assert.match(sessionValue({ ...BOB, attr: { ...attr } }, undefined), '"constructor":"c"');
});

test('what a database would read differently is refused before it is sent', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 1_100; level += 1) deep = [deep];
  for (const [principal, message] of [
    [{ roles: ['a'] }, /principal\.id/],
    [{ id: '', roles: ['a'] }, /principal\.id/],
    [{ id: 1, roles: ['a'] }, /principal\.id/],
    [{ id: 'b' }, /principal\.roles/],
    [{ id: 'b', roles: [] }, /principal\.roles/],
    [{ id: 'b', roles: 'admin' }, /principal\.roles/],
    [{ id: 'b', roles: ['a', ''] }, /principal\.roles/],
    [{ id: 'b\0', roles: ['a'] }, /NUL/],
    [{ id: 'b', roles: ['\ud800'] }, /half a character/],
    [{ ...BOB, attr: { a: 'x\0' } }, /principal\.attr\.a/],
    [{ ...BOB, attr: { 'a\0': 1 } }, /NUL/],
    [{ ...BOB, attr: { a: Number.NaN } }, /NaN/],
    [{ ...BOB, attr: { a: [Number.POSITIVE_INFINITY] } }, /principal\.attr\.a\[0\]/],
    [{ ...BOB, attr: { a: 1n } }, /bigint/],
    [{ ...BOB, attr: { a: new Map() } }, /neither JSON nor a Date/],
    [{ ...BOB, attr: { a: new Date(Number.NaN) } }, /invalid Date/],
    [{ ...BOB, attr: { a: () => 1 } }, /function/],
    [{ ...BOB, attr: { a: deep } }, /levels/],
    [{ ...BOB, attr: { a: 'x'.repeat(70_000) } }, /65536 bytes/],
    [{ ...BOB, attr: [] }, /principal\.attr/],
    [{ ...BOB, scope: 'acme' }, /principal\.scope/],
    [{ ...BOB, policyVersion: 'v2' }, /principal\.policyVersion/],
    [{ ...BOB, actors: [BOB] }, /principal\.actors/],
  ] as const)
    assert.throws(() => sessionValue(principal as unknown as SessionPrincipal, undefined), message);
  assert.type(sessionValue({ ...BOB, scope: '', actors: [] } as SessionPrincipal, undefined), 'string');
});

test.run();
