import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Grants, proveTenantDocument, TenantDocumentError } from './document.js';

const grants = new Grants({
  grants: [
    { role: 'editor', resources: [{ resource: 'album', actions: ['view', 'comment:*'] }] },
    { role: 'editor', resources: [{ resource: 'leave-request', actions: ['*'] }] },
    { role: 'viewer', resources: [{ resource: '*', actions: ['view', 'view:**'] }] },
  ],
});
const prove = (document: unknown) => proveTenantDocument(document, 'acme', grants);
const role = (value: unknown) => ({ tenant: 'acme', roles: { r: value } });

/** Why a document is refused, with the place. */
function refusal(document: unknown): string {
  try {
    prove(document);
  } catch (error) {
    if (error instanceof TenantDocumentError) return error.message;
    throw error;
  }
  return 'accepted';
}

test('a role gives the granted roles of what it names, within its own restriction', () => {
  const roles = prove({
    tenant: 'acme',
    roles: {
      all: { description: 'Everything', roles: ['editor', 'viewer'] },
      some: { roles: ['editor'], resources: [{ resource: 'album', actions: ['comment:*'] }] },
    },
  });
  const given = (name: string, kind: string, action: string) => roles.get(name)?.rolesFor(kind, action);
  assert.equal(given('all', 'album', 'view'), ['editor', 'viewer']);
  assert.equal(given('all', 'album', 'view:public:x'), ['viewer']);
  assert.equal(given('all', 'album', 'delete'), []);
  assert.equal(given('all', 'leave_request', 'approve'), ['editor']);
  assert.equal(given('some', 'album', 'comment:add'), ['editor']);
  assert.equal(given('some', 'album', 'view'), []);
  assert.equal(given('some', 'leave_request', 'approve'), []);
  assert.is(roles.get('constructor'), undefined);
});

test('names and globs that are within a grant are accepted, kinds as they are sanitized', () => {
  for (const [resource, action] of [
    ['album', 'view'],
    ['album', 'comment:add'],
    ['album', 'comment:*'],
    ['leave-request', '*'],
    ['leave_request', 'x:y'],
    ['leave-request', 'a*'],
  ])
    assert.is(refusal(role({ roles: ['editor'], resources: [{ resource, actions: [action] }] })), 'accepted');
  assert.is(
    refusal(role({ roles: ['viewer'], resources: [{ resource: 'any*', actions: ['view', 'view:a:b', 'view:**'] }] })),
    'accepted',
  );
});

test('what is not granted is refused, with its place', () => {
  assert.is(
    refusal(role({ roles: ['viewer', 'admin'] })),
    'roles.r.roles[1]: tenants may not grant the role `admin`; they may grant editor, viewer',
  );
  for (const [resource, action] of [
    ['album', 'delete'],
    ['album', 'comment:**'],
    ['album', 'comment:a:b'],
    ['album', '*'],
    ['album*', 'view'],
    ['*', 'view'],
    ['leave', '*'],
  ])
    assert.is(
      refusal(role({ roles: ['editor'], resources: [{ resource, actions: ['view', action].slice(-1) }] })),
      `roles.r.resources[0].actions[0]: tenants may not grant \`${action}\` of \`${resource}\` by editor`,
    );
});

test('hostile documents are refused with a reason', () => {
  const many = <T>(count: number, item: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => item(index));
  const deep = many(100_000, () => 0).reduce<unknown>((inner) => [inner], 'x');
  for (const [document, reason] of [
    [undefined, 'must be an object'],
    [null, 'must be an object'],
    [[], 'must be an object'],
    ['acme', 'must be an object'],
    [{}, 'tenant: must be `acme`, whose document this is'],
    [{ tenant: 'Acme', roles: {} }, 'tenant: must be `acme`, whose document this is'],
    [{ tenant: 'acme' }, 'roles: must be an object'],
    [{ tenant: 'acme', roles: [] }, 'roles: must be an object'],
    [{ tenant: 'acme', roles: {}, grants: [] }, 'unknown field `grants`; there are tenant, roles'],
    [
      JSON.parse('{"tenant": "acme", "__proto__": {}, "roles": {}}'),
      'unknown field `__proto__`; there are tenant, roles',
    ],
    [
      JSON.parse('{"tenant": "acme", "roles": {"__proto__": {"roles": ["viewer"]}}}'),
      'roles.__proto__: a name must begin with a letter or digit and have at most 100 letters, digits and `_`, `.`, `-`',
    ],
    [role(1), 'roles.r: must be an object'],
    [role({}), 'roles.r.roles: must be a list that is not empty'],
    [role({ roles: [] }), 'roles.r.roles: must be a list that is not empty'],
    [role({ roles: 'viewer' }), 'roles.r.roles: must be a list that is not empty'],
    [role({ roles: [['viewer']] }), 'roles.r.roles[0]: must be a string that is not empty'],
    [role({ roles: ['viewer'], resources: [] }), 'roles.r.resources: must be a list that is not empty'],
    [role({ roles: ['viewer'], resources: null }), 'roles.r.resources: must be a list that is not empty'],
    [
      role({ roles: ['viewer'], condition: true }),
      'roles.r: unknown field `condition`; there are description, roles, resources',
    ],
    [
      role({ roles: ['viewer'], resources: [{ resource: 'a' }] }),
      'roles.r.resources[0].actions: must be a list that is not empty',
    ],
    [
      role({ roles: ['viewer'], resources: [{ actions: ['view'] }] }),
      'roles.r.resources[0].resource: must be a string that is not empty',
    ],
    [role({ roles: ['viewer'], resources: deep }), 'roles.r.resources[0]: must be an object'],
    [role({ roles: ['viewer'], description: {} }), 'roles.r.description: must be a string that is not empty'],
    [role({ roles: many(21, () => 'viewer') }), 'roles.r.roles: must have at most 20 entries'],
    [
      role({ roles: ['viewer'], resources: [{ resource: 'a', actions: many(101, () => 'view') }] }),
      'roles.r.resources[0].actions: must have at most 100 entries',
    ],
    [
      role({
        roles: ['viewer'],
        resources: many(3, (index) => ({ resource: `a${index}*`, actions: many(99, () => 'view:**') })),
      }),
      'roles.r.resources[2]: more than 200 names with `*` in the document',
    ],
    [
      { tenant: 'acme', roles: Object.fromEntries(many(101, (index) => [`r${index}`, {}])) },
      'roles: must have at most 100 entries',
    ],
    [role({ roles: ['x'.repeat(201)] }), 'roles.r.roles[0]: must have at most 200 characters'],
  ] as const)
    assert.is(refusal(document), reason);
  for (const name of ['', 'a b', '*', 'a*', 'tenant:x', '_x', 'é', 'x'.repeat(101), '../x', 'a\0'])
    assert.match(refusal({ tenant: 'acme', roles: { [name]: { roles: ['viewer'] } } }), 'a name must begin');
});

test.run();
