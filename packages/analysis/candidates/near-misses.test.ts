import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AccessRequest } from '../../../runtime/engine/index.js';
import { nearMisses } from './near-misses.js';

const test = suite('near misses');

const REQUEST: AccessRequest = {
  principal: { id: 'alice', roles: ['user'], attr: { level: 1 } },
  resource: { kind: 'doc', id: 'd1', attr: { status: 'open', owner: 'bob' } },
  action: 'view',
};

const CANDIDATES = {
  roles: ['admin', 'manager'],
  candidates: [
    { path: ['principal', 'attr', 'level'], values: [2, 3] },
    { path: ['resource', 'attr', 'owner'], values: ['alice'] },
    { path: ['resource', 'attr', 'status'], values: ['draft', 'shared'] },
  ],
};

function changesOf(isAllowed: (request: AccessRequest) => boolean): readonly string[] {
  const { changes } = nearMisses(REQUEST, isAllowed, CANDIDATES, { near: 5 });
  return changes.map((set) => set.map(({ path, to }) => `${path} ${JSON.stringify(to)}`).join(', '));
}

test('attributes change before roles, and each path once', () => {
  const isAllowed = ({ principal: { roles, attr }, resource }: AccessRequest): boolean =>
    roles.length > 1 || Number(attr?.['level']) > 1 || resource.attr?.['status'] === 'shared';
  assert.equal(changesOf(isAllowed), [
    'principal.attr.level 2',
    'resource.attr.status "shared"',
    'principal.roles ["user","admin"]',
  ]);
});

test('sets of changes do not overlap', () => {
  const isAllowed = ({ principal: { roles, attr }, resource }: AccessRequest): boolean => {
    const changed = [
      roles.length > 1,
      attr?.['level'] !== 1,
      resource.attr?.['status'] !== 'open',
      resource.attr?.['owner'] !== 'bob',
    ];
    return changed.filter(Boolean).length >= 2;
  };
  assert.equal(changesOf(isAllowed), [
    'principal.attr.level 2, resource.attr.owner "alice"',
    'resource.attr.status "draft", principal.roles ["user","admin"]',
  ]);
});

test.run();
