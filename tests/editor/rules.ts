/** A policy of many rules with conditions. */
export function policyOfRules(count: number, last = ''): string {
  const rules = Array.from(
    { length: count },
    (_, index) => `    - actions: [view${index}]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr.owner == P.id && R.attr.n${index} > ${index}
`,
  );
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
${rules.join('')}  ${last}
`;
}
