import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { camelCase, constantCase, Names } from './names.js';

test('a policy name becomes a JavaScript identifier', () => {
  const examples = {
    'owner-rule': 'ownerRule',
    is_pending: 'isPending',
    'leave.request@hr': 'leaveRequestHr',
    EDIT: 'edit',
    'rule-001': 'rule001',
    '1st': '_1st',
    管理: 'fallback',
    '': 'fallback',
  };
  for (const [name, expected] of Object.entries(examples)) assert.is(camelCase(name, 'fallback'), expected);
});

test('a role becomes a constant', () => {
  const examples = {
    'leave approver': 'LEAVE_APPROVER',
    leaveApprover: 'LEAVE_APPROVER',
    'guest:x': 'GUEST_X',
    '2nd': '_2ND',
    é: 'ROLE',
  };
  for (const [name, expected] of Object.entries(examples)) assert.is(constantCase(name, 'ROLE'), expected);
});

test('a name is used once; reserved words and globals never', () => {
  const names = new Names(['cel']);
  assert.equal(
    ['a', 'a', 'a', 'cel', 'class', 'Map', 'await'].map((wish) => names.fresh(wish)),
    ['a', 'a_2', 'a_3', 'cel_2', 'class_2', 'Map_2', 'await_2'],
  );
});

test('functions may reuse a parameter name, modules may not', () => {
  const names = new Names([]);
  assert.is(names.fresh('taken'), 'taken');
  assert.equal(
    [
      names.local('x', new Set()),
      names.local('x', new Set()),
      names.local('x', new Set(['x'])),
      names.local('taken', new Set()),
    ],
    ['x', 'x', 'x_2', 'taken_2'],
  );
  assert.is(names.fresh('x'), 'x_3');
});

test.run();
