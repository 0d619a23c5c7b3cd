import type { Example } from './example.js';

export const tenants: Example = {
  name: 'tenants',
  title: 'Tenants',
  about: 'One DENY rule keeps tenants apart, so that the other rules need not mention them.',
  files: [
    {
      path: 'invoice.yaml',
      text: `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: invoice
  version: default
  schemas:
    principalSchema: {ref: "authz:///member.json"}
    resourceSchema: {ref: "authz:///invoice.json"}
  rules:
    - name: other-tenants
      actions: ["*"]
      effect: EFFECT_DENY
      roles: ["*"]
      condition:
        match:
          none:
            of:
              - expr: R.attr.tenant == P.attr.tenant
    - name: members
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [member]
    - name: accountants
      actions: [view, pay]
      effect: EFFECT_ALLOW
      roles: [accountant]
`,
    },
    {
      path: '_schemas/invoice.json',
      text: `{
  "type": "object",
  "properties": { "tenant": { "type": "string" } },
  "required": ["tenant"]
}
`,
    },
    {
      path: '_schemas/member.json',
      text: `{
  "type": "object",
  "properties": { "tenant": { "type": "string" } },
  "required": ["tenant"]
}
`,
    },
    {
      path: 'invoice_test.yaml',
      text: `name: invoices
principals:
  ann: {id: ann, roles: [member], attr: {tenant: acme}}
  max: {id: max, roles: [accountant], attr: {tenant: acme}}
  eve: {id: eve, roles: [accountant], attr: {tenant: globex}}
resources:
  invoice: {kind: invoice, id: i1, attr: {tenant: acme}}
tests:
  - name: only members of the tenant have access
    input: {principals: [ann, max, eve], resources: [invoice], actions: [view, pay]}
    expected:
      - {principal: ann, resource: invoice, actions: {view: EFFECT_ALLOW}}
      - {principal: max, resource: invoice, actions: {view: EFFECT_ALLOW, pay: EFFECT_ALLOW}}
`,
    },
  ],
  request: `{
  "principal": {
    "id": "ann",
    "roles": ["member"],
    "attr": { "tenant": "acme" }
  },
  "resource": {
    "kind": "invoice",
    "id": "i1",
    "attr": { "tenant": "acme" }
  },
  "actions": ["view", "pay"]
}
`,
};
