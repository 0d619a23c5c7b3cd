/** A policy of one kind, of which a user may `read` what fulfils a condition without quotes of the form `'`. */
export function policyOf(kind: string, condition: string): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: '${condition}'}}
`;
}

/** An instant for rows that no filter compares with it. */
export const NOW = { seconds: 1_700_000_000, nanos: 0, offset: 0 };
