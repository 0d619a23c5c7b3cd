import type { Example } from './example.js';

export const timeBoxed: Example = {
  name: 'time-boxed',
  title: 'Time-boxed access',
  about: 'A grant has a start and an end; `now` in the request sets the time of the decision.',
  files: [
    {
      path: 'database.yaml',
      text: `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: database
  version: default
  schemas:
    principalSchema: {ref: "authz:///engineer.json"}
  variables:
    local:
      grants: >-
        P.attr.grants.filter(grant, grant.database == R.id
          && timestamp(grant.from) <= now() && now() < timestamp(grant.until))
  rules:
    - name: granted
      actions: [read]
      effect: EFFECT_ALLOW
      roles: [engineer]
      condition:
        match:
          expr: size(V.grants) > 0
    - name: granted-for-writing
      actions: [write]
      effect: EFFECT_ALLOW
      roles: [engineer]
      condition:
        match:
          expr: V.grants.exists(grant, grant.mayWrite)
`,
    },
    {
      path: '_schemas/engineer.json',
      text: `{
  "type": "object",
  "properties": {
    "grants": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "database": { "type": "string" },
          "from": { "type": "string", "format": "date-time" },
          "until": { "type": "string", "format": "date-time" },
          "mayWrite": { "type": "boolean" }
        },
        "required": ["database", "from", "until", "mayWrite"]
      }
    }
  },
  "required": ["grants"]
}
`,
    },
    {
      path: 'database_test.yaml',
      text: `name: databases
principals:
  ann:
    id: ann
    roles: [engineer]
    attr:
      grants:
        - {database: orders, from: "2030-01-01T09:00:00Z", until: "2030-01-01T17:00:00Z", mayWrite: false}
resources:
  orders: {kind: database, id: orders}
tests:
  - name: before the grant starts
    options: {now: "2030-01-01T08:59:59Z"}
    input: {principals: [ann], resources: [orders], actions: [read]}
    expected:
      - {principal: ann, resource: orders, actions: {read: EFFECT_DENY}}
  - name: during the grant
    options: {now: "2030-01-01T09:00:00Z"}
    input: {principals: [ann], resources: [orders], actions: [read, write]}
    expected:
      - {principal: ann, resource: orders, actions: {read: EFFECT_ALLOW}}
  - name: when the grant has ended
    options: {now: "2030-01-01T17:00:00Z"}
    input: {principals: [ann], resources: [orders], actions: [read]}
    expected:
      - {principal: ann, resource: orders, actions: {read: EFFECT_DENY}}
`,
    },
  ],
  request: `{
  "now": "2030-01-01T12:00:00Z",
  "principal": {
    "id": "ann",
    "roles": ["engineer"],
    "attr": {
      "grants": [
        {
          "database": "orders",
          "from": "2030-01-01T09:00:00Z",
          "until": "2030-01-01T17:00:00Z",
          "mayWrite": false
        }
      ]
    }
  },
  "resource": { "kind": "database", "id": "orders" },
  "actions": ["read", "write"]
}
`,
};
