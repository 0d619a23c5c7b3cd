import type { Example } from './example.js';

export const sharing: Example = {
  name: 'sharing',
  title: 'Sharing',
  about: 'Owners share a document with people, each as a viewer or an editor.',
  files: [
    {
      path: 'document.yaml',
      text: `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  importDerivedRoles: [document_roles]
  schemas:
    resourceSchema: {ref: "authz:///document.json"}
  rules:
    - name: owners
      actions: ["*"]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
    - name: editors
      actions: [view, edit]
      effect: EFFECT_ALLOW
      derivedRoles: [editor]
    - name: viewers
      actions: [view]
      effect: EFFECT_ALLOW
      derivedRoles: [viewer]
`,
    },
    {
      path: 'document_roles.yaml',
      text: `apiVersion: api.authz.dev/v1
derivedRoles:
  name: document_roles
  definitions:
    - name: owner
      parentRoles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id
    - name: editor
      parentRoles: [user]
      condition:
        match:
          expr: P.id in R.attr.editors
    - name: viewer
      parentRoles: [user]
      condition:
        match:
          expr: P.id in R.attr.viewers
`,
    },
    {
      path: '_schemas/document.json',
      text: `{
  "type": "object",
  "properties": {
    "owner": { "type": "string" },
    "editors": { "type": "array", "items": { "type": "string" } },
    "viewers": { "type": "array", "items": { "type": "string" } }
  },
  "required": ["owner", "editors", "viewers"]
}
`,
    },
    {
      path: 'document_test.yaml',
      text: `name: documents
principals:
  ann: {id: ann, roles: [user]}
  bob: {id: bob, roles: [user]}
  eve: {id: eve, roles: [user]}
resources:
  plan: {kind: document, id: d1, attr: {owner: ann, editors: [], viewers: [bob]}}
tests:
  - name: viewers cannot edit
    input: {principals: [ann, bob, eve], resources: [plan], actions: [view, edit, share]}
    expected:
      - {principal: ann, resource: plan, actions: {view: EFFECT_ALLOW, edit: EFFECT_ALLOW, share: EFFECT_ALLOW}}
      - {principal: bob, resource: plan, actions: {view: EFFECT_ALLOW}}
`,
    },
  ],
  request: `{
  "principal": { "id": "bob", "roles": ["user"] },
  "resource": {
    "kind": "document",
    "id": "d1",
    "attr": {
      "owner": "ann",
      "editors": [],
      "viewers": ["bob"]
    }
  },
  "actions": ["view", "edit"]
}
`,
};
