import type { Example } from './example.js';

export const hierarchy: Example = {
  name: 'hierarchy',
  title: 'Hierarchy',
  about: 'Access to a folder includes everything below it.',
  files: [
    {
      path: 'file.yaml',
      text: `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: file
  version: default
  schemas:
    principalSchema: {ref: "authz:///reader.json"}
    resourceSchema: {ref: "authz:///file.json"}
  rules:
    - name: readers
      actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: P.attr.folders.exists(folder, R.attr.folder == folder || R.attr.folder.startsWith(folder + "/"))
    - name: owners
      actions: [read, edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id
`,
    },
    {
      path: '_schemas/reader.json',
      text: `{
  "type": "object",
  "properties": { "folders": { "type": "array", "items": { "type": "string" } } },
  "required": ["folders"]
}
`,
    },
    {
      path: '_schemas/file.json',
      text: `{
  "type": "object",
  "properties": { "folder": { "type": "string" }, "owner": { "type": "string" } },
  "required": ["folder", "owner"]
}
`,
    },
    {
      path: 'file_test.yaml',
      text: `name: files
principals:
  ann: {id: ann, roles: [user], attr: {folders: [/legal]}}
resources:
  same: {kind: file, id: f1, attr: {folder: /legal, owner: bob}}
  below: {kind: file, id: f2, attr: {folder: /legal/contracts/2030, owner: bob}}
  above: {kind: file, id: f3, attr: {folder: /, owner: bob}}
  similar: {kind: file, id: f4, attr: {folder: /legal-archive, owner: bob}}
tests:
  - name: access to a folder includes those below it
    input: {principals: [ann], resources: [same, below, above, similar], actions: [read, edit]}
    expected:
      - {principal: ann, resources: [same, below], actions: {read: EFFECT_ALLOW}}
`,
    },
  ],
  request: `{
  "principal": {
    "id": "ann",
    "roles": ["user"],
    "attr": { "folders": ["/legal"] }
  },
  "resource": {
    "kind": "file",
    "id": "f2",
    "attr": {
      "folder": "/legal/contracts/2030",
      "owner": "bob"
    }
  },
  "actions": ["read", "edit"]
}
`,
};
