/** The policy of the project that `authzc init` makes: small, with a role, a derived role, conditions and a denial. */
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

/** Roles that follow from who asks and about what. */
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

/** What a document is known to have: conditions are checked against it. */
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

/** What a principal is known to have. */
export const INIT_PRINCIPAL_SCHEMA = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": { "team": { "type": "string" } },
  "required": ["team"]
}
`;
