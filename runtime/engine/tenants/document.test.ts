import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sanitize } from '../../policy/index.js';
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

test('globs for kinds match them as they are sanitized, in grants and in restrictions', () => {
  const granted = new Grants({
    grants: [
      { role: 'a', resources: [{ resource: 'leave-*', actions: ['view'] }] },
      { role: 'b', resources: [{ resource: 'doc:*', actions: ['view'] }] },
      { role: 'c', resources: [{ resource: '*-x/y', actions: ['view'] }] },
      { role: 'd', resources: [{ resource: '1-*', actions: ['view'] }] },
      { role: 'e', resources: [{ resource: '*', actions: ['view'] }] },
    ],
  });
  const cases: readonly (readonly [role: string, has: readonly string[], lacks: readonly string[]])[] = [
    ['a', ['leave-request', 'leave_request', 'leave:x', 'leave_'], ['leave', 'leaver', 'sick-leave', '1leave-x']],
    ['b', ['doc:a', 'doc-a', 'doc_a'], ['doc', 'docs', 'a:doc:b']],
    ['c', ['a-x/y', 'a_x_y', 'a:x-y'], ['x_y', 'a_x_z', '1_x_y']],
    ['d', ['1-a'], ['1_a', 'a_1-a']],
  ];
  for (const [role, has, lacks] of cases)
    for (const [kinds, expected] of [
      [has, [role]],
      [lacks, []],
    ] as const)
      for (const kind of kinds) {
        const given = proveTenantDocument({ tenant: 'acme', roles: { r: { roles: [role] } } }, 'acme', granted);
        assert.equal(given.get('r')?.rolesFor(sanitize(kind), 'view'), expected, `${role} ${kind}`);
        const resources = [{ resource: kind, actions: ['view'] }];
        const prove = () =>
          proveTenantDocument({ tenant: 'acme', roles: { r: { roles: [role], resources } } }, 'acme', granted);
        if (expected.length > 0) assert.equal(prove().get('r')?.rolesFor(sanitize(kind), 'view'), expected, kind);
        else assert.throws(prove, /may not grant/, `${role} ${kind}`);
      }
  const restricted = { roles: ['e'], resources: [{ resource: 'leave-*', actions: ['view'] }] };
  const given = proveTenantDocument({ tenant: 'acme', roles: { r: restricted } }, 'acme', granted).get('r');
  assert.equal(given?.rolesFor('leave_request', 'view'), ['e']);
  assert.equal(given?.rolesFor('sick_leave', 'view'), []);
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
