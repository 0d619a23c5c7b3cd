import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../harness/paths.js';

/** The values in which one leave policy differs from the next. */
export interface LeaveLimits {
  readonly kind: string;
  readonly longestLeaveDays: number;
  readonly countriesWithLocalRules: readonly string[];
}

/** Source texts of policies by path. */
export type PolicyTexts = { readonly [path: string]: string };

/** The policy of this repository that serves as the one hot policy, with its imports and its limits. */
export function hotLeavePolicy(): { readonly texts: PolicyTexts; readonly limits: readonly LeaveLimits[] } {
  return {
    texts: ownPolicies('leave_request.yaml', 'leave_variables.yaml', 'company_limits.yaml', 'company_roles.yaml'),
    limits: [{ kind: 'leave_request', longestLeaveDays: 30, countriesWithLocalRules: ['DE', 'FR'] }],
  };
}

/** Generates this many policies of the shape of the hot one. Each has its own kind and its own limits. */
export function leavePolicies(count: number): { readonly texts: PolicyTexts; readonly limits: readonly LeaveLimits[] } {
  const limits = Array.from({ length: count }, (_, index) => limitsOf(index));
  return { texts: { ...ownPolicies('company_roles.yaml'), ...textsOf(limits, SIX_RULES) }, limits };
}

/** Generates this many policies of ten rules each. */
export function tenRulePolicies(count: number): PolicyTexts {
  const limits = Array.from({ length: count }, (_, index) => limitsOf(index));
  return { ...ownPolicies('company_roles.yaml'), ...textsOf(limits, SIX_RULES + FOUR_RULES) };
}

function ownPolicies(...names: readonly string[]): PolicyTexts {
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(ROOT, 'policies', name), 'utf8')]));
}

function limitsOf(index: number): LeaveLimits {
  return {
    kind: `leave_request_${String(index).padStart(5, '0')}`,
    longestLeaveDays: 10 + (index % 40),
    countriesWithLocalRules: [
      COUNTRIES[index % COUNTRIES.length] as string,
      COUNTRIES[(index * 3 + 1) % COUNTRIES.length] as string,
    ],
  };
}

/** The countries of limits and requests. */
export const COUNTRIES = ['DE', 'FR', 'GB', 'NL', 'PL', 'SE', 'US'] as const;

function textsOf(limits: readonly LeaveLimits[], rules: string): PolicyTexts {
  return Object.fromEntries(limits.map((limit) => [`${limit.kind}.yaml`, head(limit) + rules]));
}

function head({ kind, longestLeaveDays, countriesWithLocalRules }: LeaveLimits): string {
  return `apiVersion: api.authz.dev/v1
description: Who may ask for leave, and who may grant it
resourcePolicy:
  resource: ${kind}
  version: default
  importDerivedRoles: [company_roles]
  constants:
    local:
      longest_leave_days: ${longestLeaveDays}
      countries_with_local_rules: [${countriesWithLocalRules.join(', ')}]
  variables:
    local:
      is_pending: R.attr.status == "PENDING"
      is_short: R.attr.days <= C.longest_leave_days
      has_started: timestamp(R.attr.starts) < now()
  rules:
`;
}

const SIX_RULES = `    - name: ask
      actions: [create]
      effect: EFFECT_ALLOW
      roles: [employee]
    - name: own-requests
      actions: [view, "view:*"]
      effect: EFFECT_ALLOW
      derivedRoles: [requester]
    - name: withdraw
      actions: [edit, delete]
      effect: EFFECT_ALLOW
      derivedRoles: [requester]
      condition:
        match:
          expr: V.is_pending
      output:
        when:
          conditionNotMet: '"a request that is " + R.attr.status + " stays as it is"'
    - name: managers-view
      actions: [view]
      effect: EFFECT_ALLOW
      derivedRoles: [direct_manager]
    - name: approve
      actions: [approve]
      effect: EFFECT_ALLOW
      derivedRoles: [direct_manager]
      condition:
        match:
          all:
            of:
              - expr: V.is_pending
              - expr: V.is_short
              - none:
                  of:
                    - expr: R.attr.country in C.countries_with_local_rules
                    - expr: has(R.attr.disputed) && R.attr.disputed == true
    - name: too-late
      actions: [edit, delete, approve]
      effect: EFFECT_DENY
      roles: ["*"]
      condition:
        match:
          expr: V.has_started
`;

const FOUR_RULES = `    - name: audit
      actions: [view, list]
      effect: EFFECT_ALLOW
      roles: [auditor]
      condition:
        match:
          any:
            of:
              - expr: R.attr.days > C.longest_leave_days
              - expr: R.attr.country in P.attr.countries
    - name: report
      actions: ["report:*"]
      effect: EFFECT_ALLOW
      roles: [auditor, director]
      condition:
        match:
          expr: size(R.attr.history) > 0 && R.attr.history.all(entry, entry.by != P.id)
    - name: comment
      actions: ["comment:*"]
      effect: EFFECT_ALLOW
      derivedRoles: [requester, direct_manager]
      condition:
        match:
          expr: R.attr.status in ["PENDING", "APPROVED"] && R.attr.title.startsWith("leave")
    - name: sealed
      actions: ["*"]
      effect: EFFECT_DENY
      roles: ["*"]
      condition:
        match:
          expr: has(R.attr.sealed) && R.attr.sealed == true
`;
