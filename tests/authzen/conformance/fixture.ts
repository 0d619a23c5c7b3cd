import { tableFile } from '../../support/sql/table-file.js';

/** The subjects, resources and policy that the certification scenario asks for. */
export const FIXTURE_POLICIES = {
  'record.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: record
  version: default
  variables:
    local:
      isAlice: P.id == "alice"
      isAdmin: has(P.attr.role) && P.attr.role == "admin"
      isArchived: has(R.attr.status) && R.attr.status == "archived"
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
    - actions: [write]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: 'V.isArchived ? V.isAdmin : V.isAlice'
    - actions: [delete]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: V.isAlice && R.attr["authz.actionProperties"].soft == true
`,
};

/** The rows of the fixture, for a server that searches. */
export const FIXTURE_ROWS = `
CREATE TABLE users (id text PRIMARY KEY, role text);
INSERT INTO users VALUES ('alice', NULL), ('bob', 'admin');
CREATE TABLE records (id text PRIMARY KEY, status text NOT NULL);
INSERT INTO records VALUES ('record-1', 'active'), ('record-2', 'archived');
`;

/** Where the rows of the fixture are. */
export const FIXTURE_TABLES = tableFile({
  principal: ['users', { role: 'text' }],
  record: ['records', { status: 'text' }],
});
