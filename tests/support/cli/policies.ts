/** A policy that lets users do one action with documents. */
export function documentPolicy(action: string): string {
  return `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - name: users
      actions: ["${action}"]
      effect: EFFECT_ALLOW
      roles: [user]
`;
}

/** The same with a condition that does not parse. */
export const BROKEN_POLICY = `${documentPolicy('view')}      condition:
        match:
          expr: R.attr.owner ==
`;

/** A request as JSON: may a user view and edit a document? */
export const CHECK = {
  requestId: 'r1',
  principal: { id: 'ann', roles: ['user'] },
  resources: [{ resource: { kind: 'document', id: 'd1' }, actions: ['view', 'edit'] }],
};
