import type { Example } from './example.js';

export const roles: Example = {
  name: 'roles',
  title: 'Roles',
  about: 'Readers view, editors also edit, and only admins delete.',
  files: [
    {
      path: 'article.yaml',
      text: `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: article
  version: default
  rules:
    - name: readers
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [reader, editor, admin]
    - name: editors
      actions: [create, edit]
      effect: EFFECT_ALLOW
      roles: [editor, admin]
    - name: admins
      actions: [delete]
      effect: EFFECT_ALLOW
      roles: [admin]
`,
    },
    {
      path: 'article_test.yaml',
      text: `name: articles
principals:
  rita: {id: rita, roles: [reader]}
  eve: {id: eve, roles: [editor]}
  ada: {id: ada, roles: [admin]}
resources:
  article: {kind: article, id: a1}
tests:
  - name: each role adds actions
    input: {principals: [rita, eve, ada], resources: [article], actions: [view, edit, delete]}
    expected:
      - {principal: rita, resource: article, actions: {view: EFFECT_ALLOW}}
      - {principal: eve, resource: article, actions: {view: EFFECT_ALLOW, edit: EFFECT_ALLOW}}
      - {principal: ada, resource: article, actions: {view: EFFECT_ALLOW, edit: EFFECT_ALLOW, delete: EFFECT_ALLOW}}
`,
    },
  ],
  request: `{
  "principal": { "id": "eve", "roles": ["editor"] },
  "resource": { "kind": "article", "id": "a1" },
  "actions": ["edit", "delete"]
}
`,
};
