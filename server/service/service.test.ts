import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkResourcesRequestViolations } from '../../proto/gen/validate/request.js';
import type { CheckResourcesRequest } from '../../proto/gen/messages.js';
import { CallIds } from './call-id.js';
import { violationsMessage } from '../../proto/wire/violation.js';

const request: CheckResourcesRequest = {
  requestId: '',
  includeMeta: false,
  principal: { id: 'a', policyVersion: '', roles: ['*', 'with space'], attr: { a: { '': 1 } }, scope: '', actors: [] },
  resources: [{ actions: ['a'], resource: { kind: 'k', policyVersion: '', id: '1', attr: {}, scope: '' } }],
  auxData: undefined,
  requestContext: undefined,
};
const principalWith = (part: object) =>
  ({ ...request, principal: { ...request.principal, ...part } }) as CheckResourcesRequest;
const lines = (broken: CheckResourcesRequest): readonly string[] => {
  const violations = checkResourcesRequestViolations(broken);
  return violations.count === 0 ? [] : violationsMessage(violations).split('\n');
};

test('any non-empty role is valid, and nested keys may be empty', () => {
  assert.equal(lines(request), []);
});

test('versions are words, scopes are dotted segments', () => {
  for (const policyVersion of ['', 'v1', '_', '20210210'])
    assert.equal(lines(principalWith({ policyVersion })), [], policyVersion);
  for (const policyVersion of ['1.0', 'a b', 'a\n', 'é', '-'])
    assert.is(lines(principalWith({ policyVersion })).length, 1, policyVersion);
  for (const scope of ['', '.', 'a', 'a.b', 'a-b.c_d', '0', 'a._b'])
    assert.equal(lines(principalWith({ scope })), [], scope);
  for (const scope of ['_a', '.a', 'a.', 'a..b', 'a.-b', 'a b', 'a\n', '..'])
    assert.is(lines(principalWith({ scope })).length, 1, scope);
});

test('tokens: not both fields, none empty, names not empty', () => {
  const empty = { token: '', keySetId: '' };
  assert.equal(
    lines({
      ...request,
      auxData: {
        jwt: empty,
        jwts: new Map([
          ['', { token: 'x', keySetId: '' }],
          ['b', empty],
        ]),
      },
    }),
    [
      'validation errors:',
      ' - aux_data: Only one of the jwt or jwts fields must be set',
      ' - aux_data.jwt.token: value is required',
      ' - aux_data.jwts[""]: must be at least 1 characters',
      ' - aux_data.jwts["b"].token: value is required',
    ],
  );
});

test('uniqueness of long lists is checked like that of short ones', () => {
  const actions = Array.from({ length: 300 }, (_item, index) => `a${index}`);
  const withActions = (list: readonly string[]) =>
    ({ ...request, resources: [{ ...request.resources[0], actions: list }] }) as CheckResourcesRequest;
  assert.equal(lines(withActions(actions)), []);
  assert.equal(lines(withActions([...actions, 'a7'])), [
    'validation error: resources[0].actions: repeated value must contain unique items',
  ]);
});

test('call ids are ULIDs: the time first, the rest always different', () => {
  const ids = new CallIds();
  assert.is(ids.next(0).slice(0, 10), '0000000000');
  assert.is(ids.next(1_469_918_176_385).slice(0, 10), '01ARYZ6S41');
  const many = new Set(Array.from({ length: 5000 }, () => ids.next()));
  assert.is(many.size, 5000);
  for (const id of many) assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
});

test.run();
