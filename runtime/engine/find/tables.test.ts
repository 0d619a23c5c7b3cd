import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EVERYONE, lineageBits, RoleList, roleList, type RoleNames } from './tables.js';

const names = (count: number, more: Partial<RoleNames> = {}): RoleNames => ({
  roles: new Map(Array.from({ length: count }, (_, index) => [`role-${index}`, 1 << index])),
  roleGlobs: [],
  ...more,
});

const A_GLOB = { matches: (role: string) => role.startsWith('guest:'), bits: 1 << 9 };

test('a list of roles has the bits of the map, short or long', () => {
  for (const count of [0, 1, 4, 5, 8]) {
    const policy = names(count, { roleGlobs: [A_GLOB] });
    for (const roles of [['role-0'], ['role-0', 'role-3', 'role-7'], ['other', 'guest:a'], ['role-1', 'guest:b']])
      assert.is(new RoleList(policy).toBits(roles), lineageBits(policy, roles), `${count} ${roles}`);
  }
  assert.is(new RoleList(names(2)).toBits(['role-1', 'other']), EVERYONE | 2);
  assert.is(new RoleList(names(2)).toBits([]), 0);
});

test('policies that name the same roles share a list, unless globs may differ', () => {
  const shared = { roleLists: new Map(), traced: undefined };
  assert.is(roleList(names(2), shared), roleList(names(2), shared));
  assert.is.not(roleList(names(2), shared), roleList(names(3), shared));
  assert.is.not(roleList(names(2), shared), roleList(names(2, { roleGlobs: [A_GLOB] }), shared));
});

test.run();
