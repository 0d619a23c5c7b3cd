import type { Example } from './example.js';

export const delegation: Example = {
  name: 'delegation',
  title: 'Delegation',
  about: 'A service acts for a user: both must be allowed. `principal.actors` lists who acts.',
  files: [
    {
      path: 'calendar.yaml',
      text: `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: calendar
  version: default
  schemas:
    resourceSchema: {ref: "authz:///calendar.json"}
  rules:
    - name: owners
      actions: [view, edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id
    - name: assistants
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [assistant]
      condition:
        match:
          expr: R.attr.owner == P.attr.actsFor
`,
    },
    {
      path: '_schemas/calendar.json',
      text: `{
  "type": "object",
  "properties": { "owner": { "type": "string" } },
  "required": ["owner"]
}
`,
    },
    {
      path: 'calendar_test.yaml',
      text: `name: calendars
principals:
  anna: {id: anna, roles: [user]}
  travel: {id: travel, roles: [assistant], attr: {actsFor: anna}}
resources:
  anna-calendar: {kind: calendar, id: c1, attr: {owner: anna}}
  bob-calendar: {kind: calendar, id: c2, attr: {owner: bob}}
tests:
  - name: an assistant sees the calendar of its user only
    input: {principals: [anna, travel], resources: [anna-calendar, bob-calendar], actions: [view, edit]}
    expected:
      - {principal: anna, resource: anna-calendar, actions: {view: EFFECT_ALLOW, edit: EFFECT_ALLOW}}
      - {principal: travel, resource: anna-calendar, actions: {view: EFFECT_ALLOW}}
`,
    },
  ],
  request: `{
  "principal": {
    "id": "anna",
    "roles": ["user"],
    "actors": [
      {
        "id": "travel",
        "roles": ["assistant"],
        "attr": { "actsFor": "anna" }
      }
    ]
  },
  "resource": {
    "kind": "calendar",
    "id": "c1",
    "attr": { "owner": "anna" }
  },
  "actions": ["view", "edit"]
}
`,
};
