import type { Example } from './example.js';

export const blank: Example = {
  name: 'new',
  title: 'New policy',
  about: 'One policy with one rule, to begin with.',
  files: [
    {
      path: 'document.yaml',
      text: `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
`,
    },
  ],
  request: `{
  "principal": { "id": "alice", "roles": ["user"] },
  "resource": { "kind": "document", "id": "d1" },
  "actions": ["view", "edit"]
}
`,
};
