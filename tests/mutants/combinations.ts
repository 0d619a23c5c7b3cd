import type { Document } from '../support/oracle/documents.js';

/**
 * Policies that combine roles, scopes, role policies and derived roles, each rule under its own flag. Random stores
 * rarely contain such combinations.
 */
export const COMBINATIONS: readonly Document[] = [
  {
    derivedRoles: {
      name: 'case-roles',
      definitions: [
        { name: 'owner', parentRoles: ['user'], condition: { match: { expr: 'R.attr.a' } } },
        { name: 'member', parentRoles: ['user'], condition: { match: { expr: 'R.attr.b' } } },
        { name: 'boss', parentRoles: ['admin'] },
      ],
    },
  },
  resourcePolicy(
    '',
    ['owner', 'boss'],
    [
      allow('view', 'user', 'a'),
      deny('view', 'user', 'b'),
      allow('edit', 'user', 'a'),
      allow('edit', 'admin', 'c'),
      deny('edit', 'admin', 'd'),
    ],
  ),
  resourcePolicy(
    'acme',
    ['member'],
    [allow('view', 'user', 'c'), deny('view', 'user', 'd'), allow('edit', 'user', 'b'), allow('view', 'admin')],
  ),
  resourcePolicy(
    'acme.hr',
    ['owner', 'member'],
    [allow('view', 'user', 'e'), allow('edit', 'user')],
    'SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS',
  ),
  rolePolicy('clerk', '', [], [['view', 'e'], ['listed']]),
  rolePolicy('clerk', 'acme', ['user'], [['view', 'f'], ['edit'], ['listed'], ['unlisted']]),
  rolePolicy('clerk', 'acme.hr', ['user'], [['view'], ['edit', 'c'], ['all listed'], ['member listed']]),
  rolePolicy('intern', 'acme', ['clerk'], [['view', 'b'], ['edit', 'c'], ['listed']]),
  {
    principalPolicy: {
      principal: 'u2',
      version: 'default',
      rules: [
        {
          resource: 'case',
          actions: [{ action: 'view', effect: 'EFFECT_DENY', condition: { match: { expr: 'R.attr.f' } } }],
        },
      ],
    },
  },
];

/** The questions of the probe about them: every role set, scope and action. */
export const QUESTIONS = {
  principals: ['u1', 'u2'],
  roles: [['user'], ['clerk'], ['intern'], ['admin'], ['clerk', 'user'], ['intern', 'admin'], ['user', 'admin']],
  scopes: ['', 'acme', 'acme.hr'],
  actions: ['view', 'edit', 'listed', 'unlisted', 'all listed', 'member listed'],
  flags: ['a', 'b', 'c', 'd', 'e', 'f'],
} as const;

type Rule = NonNullable<NonNullable<Document['resourcePolicy']>['rules']>[number];

/** In addition to its own rules, each policy has the rules that use its derived roles. */
function resourcePolicy(
  scope: string,
  derivedRoles: readonly string[],
  rules: readonly Rule[],
  scopePermissions?: string,
): Document {
  const listed = [
    rule('listed', 'EFFECT_ALLOW', 'user', '"owner" in runtime.effectiveDerivedRoles'),
    rule('unlisted', 'EFFECT_ALLOW', 'user', '!("owner" in runtime.effectiveDerivedRoles)'),
    rule('all listed', 'EFFECT_ALLOW', 'user', 'runtime.effectiveDerivedRoles.all(r, r == "owner")'),
    rule('member listed', 'EFFECT_ALLOW', 'user', 'runtime.effectiveDerivedRoles.exists(r, r == "member")'),
    { actions: ['own'], effect: 'EFFECT_ALLOW', derivedRoles },
  ];
  const permissions = scopePermissions === undefined ? {} : { scopePermissions };
  return {
    resourcePolicy: {
      resource: 'case',
      version: 'default',
      scope,
      ...permissions,
      importDerivedRoles: ['case-roles'],
      rules: [...rules, ...listed],
    },
  };
}

function rolePolicy(
  role: string,
  scope: string,
  parentRoles: readonly string[],
  allowed: readonly (readonly [action: string, flag?: string])[],
): Document {
  const rules = allowed.map(([action, flag]) => ({
    resource: 'case',
    allowActions: [action],
    ...(flag === undefined ? {} : { condition: { match: { expr: `R.attr.${flag}` } } }),
  }));
  return { rolePolicy: { role, version: 'default', scope, parentRoles, rules } };
}

function allow(action: string, role: string, flag?: string): Rule {
  return rule(action, 'EFFECT_ALLOW', role, flag === undefined ? undefined : `R.attr.${flag}`);
}

function deny(action: string, role: string, flag: string): Rule {
  return rule(action, 'EFFECT_DENY', role, `R.attr.${flag}`);
}

function rule(action: string, effect: string, role: string, expr: string | undefined): Rule {
  return {
    actions: [action],
    effect,
    roles: [role],
    ...(expr === undefined ? {} : { condition: { match: { expr } } }),
  };
}
