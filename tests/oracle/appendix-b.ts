import type { Document } from '../support/oracle/documents.js';

/** The policies of the worked example (policy-language.md, Appendix B). */
export const APPENDIX_B: readonly Document[] = [
  { exportConstants: { name: 'limits', definitions: { max_amount: 1000, closed: ['PAID', 'VOID'] } } },
  {
    exportVariables: {
      name: 'invoice_vars',
      definitions: { is_closed: 'R.attr.status in C.closed', is_small: 'R.attr.amount <= C.max_amount' },
    },
  },
  {
    derivedRoles: {
      name: 'ownership',
      definitions: [{ name: 'owner', parentRoles: ['clerk'], condition: { match: { expr: 'R.attr.owner == P.id' } } }],
    },
  },
  {
    resourcePolicy: {
      resource: 'billing:invoice',
      version: 'default',
      importDerivedRoles: ['ownership'],
      variables: { import: ['invoice_vars'] },
      constants: { import: ['limits'] },
      rules: [
        { name: 'read', actions: ['read:*'], effect: 'EFFECT_ALLOW', roles: ['clerk', 'manager'] },
        {
          name: 'edit-own',
          actions: ['edit', 'delete'],
          effect: 'EFFECT_ALLOW',
          derivedRoles: ['owner'],
          condition: { match: { none: { of: [{ expr: 'V.is_closed' }] } } },
          output: { when: { conditionNotMet: '"closed: " + R.attr.status' } },
        },
        { actions: ['pay'], effect: 'EFFECT_ALLOW', roles: ['manager'] },
        {
          name: 'no-big',
          actions: ['pay'],
          effect: 'EFFECT_DENY',
          roles: ['*'],
          condition: { match: { expr: '!V.is_small' } },
        },
      ],
    },
  },
  {
    resourcePolicy: {
      resource: 'billing:invoice',
      version: 'default',
      scope: 'eu',
      scopePermissions: 'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
      rules: [
        {
          name: 'eu-pay',
          actions: ['pay'],
          effect: 'EFFECT_ALLOW',
          roles: ['manager'],
          condition: { match: { expr: 'R.attr.vat_checked' } },
          output: { when: { ruleActivated: '"vat missing"' } },
        },
      ],
    },
  },
  {
    rolePolicy: {
      role: 'trainee',
      version: 'default',
      parentRoles: ['clerk'],
      rules: [{ resource: 'billing_invoice', allowActions: ['read:public'] }],
    },
  },
  {
    principalPolicy: {
      principal: 'bob',
      version: 'default',
      rules: [{ resource: 'billing*', actions: [{ action: 'delete', effect: 'EFFECT_DENY' }] }],
    },
  },
];
