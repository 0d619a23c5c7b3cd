import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { anyRole, equals } from './operators.js';
import { rowOf } from './row.js';
import type { Condition, Unknown } from './term.js';
import { rolesOf } from './variables.js';

const isOwner: Condition = { kind: 'is', term: equals(rowOf({}).attr('owner'), 'ann') as Unknown };

test('active roles are listed when the derived roles are known', () => {
  assert.equal(
    rolesOf(
      [
        { name: 'a', condition: true },
        { name: 'b', condition: false },
      ],
      true,
    ),
    ['a'],
  );
  assert.equal(rolesOf([{ name: 'b', condition: false }], true), []);
});

test('whether a row-dependent derived role is in the list is its condition', () => {
  const roles = rolesOf(
    [
      { name: 'owner', condition: isOwner },
      { name: 'staff', condition: false },
    ],
    true,
  ) as Unknown;
  assert.equal((anyRole(roles, (name) => name === 'owner') as Unknown).node, { kind: 'condition', condition: isOwner });
  assert.is(
    anyRole(roles, (name) => name === 'staff'),
    false,
  );
});

test.run();
