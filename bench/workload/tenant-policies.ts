/** The kinds of the policies at the root. */
const KINDS = Array.from({ length: 10 }, (_, index) => `record_${index}`);

/** The number of policies of a tenant: eight resource policies, of which two are a scope below, a role and a principal. */
const POLICIES_A_TENANT = 10;

/** A question about a resource of a tenant: its owner may read it if it is not above the tenant's limit. */
export interface TenantQuestion {
  readonly kind: string;
  readonly scope: string;
  readonly limit: number;
}

/**
 * Policies of ten kinds at the root and of the scopes of tenants, ten a tenant, as texts by path. They are generated one
 * by one, because a hundred thousand need not be in memory together.
 *
 * @param count of policies: ten, or more in steps of ten.
 */
export function* tenantPolicies(count: number): Generator<readonly [path: string, text: string]> {
  yield ['people.yaml', PEOPLE];
  for (const kind of KINDS) yield [`root/${kind}.yaml`, resourcePolicy(kind, '', 1_000, MORE_RULES)];
  const tenants = tenantsOf(count);
  // A policy of a scope needs one at the root.
  if (tenants > 0) yield [`root/robot.yaml`, principalPolicy('')];
  for (let index = 0; index < tenants; index += 1) {
    const scope = scopeOf(index);
    for (const kind of KINDS.slice(0, 6)) yield [`${scope}/${kind}.yaml`, resourcePolicy(kind, scope, limitOf(index))];
    for (const kind of KINDS.slice(0, 2))
      yield [`${scope}/hr/${kind}.yaml`, resourcePolicy(kind, `${scope}.hr`, limitOf(index))];
    yield [`${scope}/clerk.yaml`, rolePolicy(scope)];
    yield [`${scope}/robot.yaml`, principalPolicy(scope)];
  }
}

/** The number of tenants of a set. */
export function tenantsOf(count: number): number {
  return Math.max(0, Math.floor((count - KINDS.length) / POLICIES_A_TENANT));
}

/** A question at the scope of a tenant, or at the root if the set has none. */
export function questionOf(count: number, tenant: number, turn = 0): TenantQuestion {
  const kind = KINDS[turn % 6] as string;
  if (tenantsOf(count) === 0) return { kind, scope: '', limit: 1_000 };
  const isBelow = turn % 3 === 2;
  return {
    kind: KINDS[turn % (isBelow ? 2 : 6)] as string,
    scope: isBelow ? `${scopeOf(tenant)}.hr` : scopeOf(tenant),
    limit: limitOf(tenant),
  };
}

function scopeOf(tenant: number): string {
  return `tenant_${String(tenant).padStart(5, '0')}`;
}

function limitOf(tenant: number): number {
  return 10 + (tenant % 90);
}

const PEOPLE = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions:
    - name: owner
      parentRoles: [employee]
      condition: { match: { expr: R.attr.owner == P.id } }
`;

function resourcePolicy(kind: string, scope: string, limit: number, more = ''): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
${scopeLine(scope)}  importDerivedRoles: [people]
  rules:
    - name: read
      actions: [read]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
      condition: { match: { expr: R.attr.amount <= ${limit} } }
    - name: approve
      actions: [approve, "approve:*"]
      effect: EFFECT_ALLOW
      roles: [manager]
      condition: { match: { expr: 'R.attr.department in P.attr.departments && R.attr.amount <= ${limit * 10}' } }
    - name: closed
      actions: [edit, approve]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: { match: { expr: R.attr.status == "CLOSED" } }
${more}`;
}

const MORE_RULES = `    - name: edit
      actions: [edit]
      effect: EFFECT_ALLOW
      derivedRoles: [owner]
      condition: { match: { expr: R.attr.status == "OPEN" } }
    - name: audit
      actions: [read]
      effect: EFFECT_ALLOW
      roles: [auditor]
    - name: remove
      actions: [delete]
      effect: EFFECT_ALLOW
      roles: [admin]
      condition: { match: { expr: R.attr.status != "CLOSED" } }
`;

function principalPolicy(scope: string): string {
  return `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: robot
  version: default
${scopeLine(scope)}  rules:
    - resource: record_0
      actions:
        - { action: export, effect: EFFECT_ALLOW, condition: { match: { expr: R.attr.tenant == "${scope}" } } }
`;
}

function rolePolicy(scope: string): string {
  return `apiVersion: api.authz.dev/v1
rolePolicy:
  role: clerk
  version: default
  scope: ${scope}
  parentRoles: [employee]
  rules:
    - resource: record_0
      allowActions: [read]
      condition: { match: { expr: R.attr.desk == "${scope}" } }
`;
}

function scopeLine(scope: string): string {
  return scope === '' ? '' : `  scope: ${scope}\n`;
}
