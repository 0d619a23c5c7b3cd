/** The test of the project that `authzc init` makes: of Node's own runner, so that it needs no package. */
export const INIT_TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine } from 'authz/runtime';
import { policies } from '../dist/policies.js';

const engine = createEngine(policies);

const alice = { id: 'alice', roles: ['user'], attr: { team: 'design' } };
const bob = { id: 'bob', roles: ['user'], attr: { team: 'design' } };
const carol = { id: 'carol', roles: ['user'], attr: { team: 'sales' } };
const root = { id: 'root', roles: ['admin'], attr: { team: 'it' } };

const ACTIONS = ['create', 'view', 'edit', 'delete'];

/** What a principal may do with alice's document. */
function allowed(principal, status) {
  const resource = { kind: 'document', id: 'd1', attr: { owner: 'alice', team: 'design', status } };
  return ACTIONS.filter((action) => engine.isAllowed({ principal, resource, action }));
}

test('owners do everything with their drafts', () => {
  assert.deepEqual(allowed(alice, 'draft'), ['create', 'view', 'edit', 'delete']);
});

test('teammates see what is published, and nothing else', () => {
  assert.deepEqual(allowed(bob, 'published'), ['create', 'view']);
  assert.deepEqual(allowed(bob, 'draft'), ['create']);
});

test('other teams see nothing', () => {
  assert.deepEqual(allowed(carol, 'published'), ['create']);
});

test('what is archived stays as it is, even for admins', () => {
  assert.deepEqual(allowed(root, 'draft'), ACTIONS);
  assert.deepEqual(allowed(root, 'archived'), ['create', 'view']);
});
`;
