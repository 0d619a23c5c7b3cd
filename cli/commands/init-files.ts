import { PACKAGE_NAMES } from '../../compiler/package-names.js';
import { version } from '../../compiler/version.js';

/** The files that `authzc init` creates: content by path below the project's folder. */
export function initFiles(name: string): { readonly [path: string]: string } {
  return {
    'package.json': packageJson(name),
    'policies/document.yaml': INIT_DOCUMENT_POLICY,
    'policies/document_roles.yaml': INIT_ROLES,
    'policies/document_test.yaml': INIT_POLICY_TEST,
    'policies/invariants.yaml': INIT_INVARIANTS,
    'policies/_schemas/document.json': INIT_DOCUMENT_SCHEMA,
    'policies/_schemas/person.json': INIT_PRINCIPAL_SCHEMA,
    'people/alice.yaml': ALICE,
    'tests/document.test.js': INIT_TEST,
    '.github/workflows/authz.yml': WORKFLOW,
    '.gitignore': 'node_modules/\ndist/\n',
    'README.md': readme(name),
  };
}

/**
 * Generated modules import the runtime as `#runtime/...`; a program that imports the bundle alone does not need the
 * map.
 */
function packageJson(name: string): string {
  const project = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    imports: { '#runtime/*': 'authz/runtime/*' },
    scripts: {
      compile: 'authzc compile --strict-types --fail-on warning',
      test: 'npm run --silent compile && node --test --test-reporter=spec',
      coverage: 'authzc test --enforce-schemas --coverage --min-coverage 100',
      verify: 'authzc verify',
      serve: 'authzc serve --watch',
    },
    dependencies: { [PACKAGE_NAMES.library]: `^${version}` },
    devDependencies: { [PACKAGE_NAMES.compiler]: `^${version}` },
  };
  return `${JSON.stringify(project, undefined, 2)}\n`;
}

const ALICE = `id: alice
roles: [user]
attr: {team: design}
`;

const WORKFLOW = `name: authz
on:
  push:
    branches: [main]
  pull_request:
jobs:
  policies:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: {node-version: 22, cache: npm}
      - run: npm ci
      # The committed modules are what the policies give: a reviewer has seen what will run.
      - run: npx authzc compile --strict-types --fail-on warning --check
      - run: npm test
      - run: npm run verify
`;

function readme(name: string): string {
  return `# ${name}

Authorization policies, compiled by authz.

| where | what |
|---|---|
| \`policies/\` | the policies: who may do what; JSON schemas of the attributes in \`_schemas/\` |
| \`policies/document_test.yaml\` | what must be allowed and what denied: compiling runs it |
| \`policies/invariants.yaml\` | what must hold for every request: \`npm run verify\` proves it |
| \`tests/\` | tests of your program, which asks the compiled policies |
| \`people/\` | principals to try \`authzc plan\` and \`authzc check\` with |
| \`generated/\` | what the policies compile to: commit it, review it |
| \`dist/policies.js\` | the same as one file: import it, or serve it |

\`\`\`sh
npm test          # compiles the policies and tests them
npm run coverage  # which rules and conditions no test exercises
npm run verify    # proves the statements of policies/invariants.yaml
npm run serve     # answers on port 3592 (REST, Connect) and 3593 (gRPC); compiles again when a policy changes
\`\`\`
`;
}

/**
 * The policy of the project that `authzc init` creates: small, with a role, a derived role, conditions and a denial.
 */
export const INIT_DOCUMENT_POLICY = `apiVersion: api.authz.dev/v1
description: Who may do what with a document
resourcePolicy:
  resource: document
  version: default
  importDerivedRoles: [document_roles]
  schemas:
    principalSchema: {ref: "authz:///person.json"}
    resourceSchema: {ref: "authz:///document.json"}
  rules:
    - name: anyone-creates
      actions: [create]
      effect: EFFECT_ALLOW
      roles: [user]
    - name: owners
      actions: [view, edit, delete]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
    - name: teammates-view
      actions: [view]
      effect: EFFECT_ALLOW
      derivedRoles: [teammate]
      condition:
        match:
          expr: R.attr.status == "published"
    - name: admins
      actions: ["*"]
      effect: EFFECT_ALLOW
      roles: [admin]
    # A denial wins over whatever the same role is allowed; "*" is every role.
    - name: archived-stays
      actions: [edit, delete]
      effect: EFFECT_DENY
      roles: ["*"]
      condition:
        match:
          expr: R.attr.status == "archived"
`;

/** Derived roles: they depend on the principal and the resource. */
export const INIT_ROLES = `apiVersion: api.authz.dev/v1
description: Roles that a person has towards one document
derivedRoles:
  name: document_roles
  definitions:
    - name: owner
      parentRoles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id
    - name: teammate
      parentRoles: [user]
      condition:
        match:
          expr: R.attr.team == P.attr.team
`;

/** The schema of a document: conditions are checked against it. */
export const INIT_DOCUMENT_SCHEMA = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "owner": { "type": "string" },
    "team": { "type": "string" },
    "status": { "enum": ["draft", "published", "archived"] }
  },
  "required": ["owner", "team", "status"]
}
`;

/** The schema of a principal. */
export const INIT_PRINCIPAL_SCHEMA = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": { "team": { "type": "string" } },
  "required": ["team"]
}
`;

/** The tests of the policies of the project that `authzc init` creates. */
const INIT_POLICY_TEST = `name: documents
principals:
  alice: {id: alice, roles: [user], attr: {team: design}}
  bob: {id: bob, roles: [user], attr: {team: design}}
  carol: {id: carol, roles: [user], attr: {team: sales}}
  root: {id: root, roles: [admin], attr: {team: it}}
  # Has the id of an owner, and is none.
  robot: {id: alice, roles: [robot], attr: {team: design}}
resources:
  draft: &document {kind: document, id: d1, attr: &attr {owner: alice, team: design, status: draft}}
  published: {<<: *document, attr: {<<: *attr, status: published}}
  archived: {<<: *document, attr: {<<: *attr, status: archived}}
tests:
  # Actions that are not expected are expected to be denied.
  - name: a draft is for its owner
    input: {principals: [alice, bob, carol, robot], resources: [draft], actions: [create, view, edit, delete, export]}
    expected:
      - principal: alice
        resource: draft
        actions: {create: EFFECT_ALLOW, view: EFFECT_ALLOW, edit: EFFECT_ALLOW, delete: EFFECT_ALLOW}
      - {principals: [bob, carol], resource: draft, actions: {create: EFFECT_ALLOW}}
  - name: teammates see what is published
    input: {principals: [bob, carol, robot], resources: [published], actions: [view, edit, delete]}
    expected:
      - {principal: bob, resource: published, actions: {view: EFFECT_ALLOW}}
  - name: admins do everything
    input: {principals: [root], resources: [draft], actions: [create, view, edit, delete, export]}
    expected:
      - principal: root
        resource: draft
        actions:
          create: EFFECT_ALLOW
          view: EFFECT_ALLOW
          edit: EFFECT_ALLOW
          delete: EFFECT_ALLOW
          export: EFFECT_ALLOW
  - name: what is archived stays as it is, even for admins
    input: {principals: [alice, root], resources: [archived], actions: [view, edit, delete]}
    expected:
      - {principals: [alice, root], resource: archived, actions: {view: EFFECT_ALLOW}}
`;

/** What must hold for every request in the project that `authzc init` creates. */
export const INIT_INVARIANTS = `apiVersion: api.authz.dev/v1
description: What must hold for every request
invariants:
  name: documents
  statements:
    - name: only owners and admins change a document
      never:
        resource: document
        actions: [edit, delete]
        principal: {notRoles: [admin]}
        unless: {match: {expr: R.attr.owner == P.id}}
    - name: what is archived stays as it is
      final: {rule: resource.document.vdefault#archived-stays}
`;

/** The test of the project that `authzc init` creates: for Node's test runner, so that it needs no package. */
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
