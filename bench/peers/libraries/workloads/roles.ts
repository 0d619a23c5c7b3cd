import { asReceived, createPicker, type Question, type Workload } from '../workload.js';

/** What each role may do. No attribute matters, so that libraries that only know roles can decide. */
const ROLES: { readonly [role: string]: readonly string[] } = {
  visitor: ['view'],
  employee: ['view', 'comment', 'draft'],
  editor: ['view', 'comment', 'draft', 'edit', 'approve'],
  admin: ['view', 'comment', 'draft', 'edit', 'approve', 'remove'],
};
const ACTIONS = ['view', 'comment', 'draft', 'edit', 'approve', 'remove'] as const;
const KIND = 'document';

const grants = Object.entries(ROLES).flatMap(([role, actions]) => actions.map((action) => ({ role, action })));

/** Actions by roles alone. */
export const roles: Workload = {
  name: 'roles',
  title: 'By roles',
  about: 'Six actions, four roles. No attribute matters, so that libraries that only know roles can decide.',
  questions: (count) => {
    const pick = createPicker();
    const sets = [['visitor'], ['employee'], ['employee', 'editor'], ['admin']];
    return asReceived(
      Array.from(
        { length: count },
        (_, index): Question => ({
          principal: { id: `user-${index % 64}`, roles: pick(sets), attr: {} },
          resource: { kind: KIND, id: `document-${index}`, attr: {} },
          action: pick(ACTIONS),
        }),
      ),
    );
  },
  byHand: ({ principal, resource, action }) => {
    if (resource.kind !== KIND) return false;
    const has = (role: string): boolean => principal.roles.includes(role);
    switch (action) {
      case 'view':
        return has('visitor') || has('employee') || has('editor') || has('admin');
      case 'comment':
      case 'draft':
        return has('employee') || has('editor') || has('admin');
      case 'edit':
      case 'approve':
        return has('editor') || has('admin');
      case 'remove':
        return has('admin');
      default:
        return false;
    }
  },
  policies: {
    'document.yaml': `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${KIND}
  version: default
  rules:
${Object.entries(ROLES)
  .map(([role, actions]) => `    - { actions: [${actions.join(', ')}], effect: EFFECT_ALLOW, roles: [${role}] }`)
  .join('\n')}
`,
  },
  casl: (principal) => principal.roles.map((role) => ({ action: [...(ROLES[role] ?? [])], subject: KIND })),
  casbin: grants.map(({ role, action }) => [role, KIND, action]),
  cedar: {
    text: Object.entries(ROLES)
      .map(
        ([role, actions]) =>
          `permit(principal is User, action in [${actions.map((action) => `Action::"${action}"`).join(', ')}], resource is Document) when { principal.roles.contains("${role}") };`,
      )
      .join('\n'),
    schema: `entity User = { "id": String, "roles": Set<String> };
entity Document = { "id": String };
action ${ACTIONS.map((action) => `"${action}"`).join(', ')} appliesTo { principal: [User], resource: [Document], context: {} };`,
  },
  permix: (principal) => ({
    [KIND]: Object.fromEntries(
      ACTIONS.map((action) => [action, principal.roles.some((role) => ROLES[role]?.includes(action))]),
    ),
  }),
  accessControl: (access) => {
    for (const { role, action } of grants) access.grant(role).action(action, KIND, ['*']);
  },
  easyRbac: Object.fromEntries(
    Object.entries(ROLES).map(([role, actions]) => [role, { can: actions.map((action) => `${KIND}:${action}`) }]),
  ),
  betterAuth: ROLES,
  oso: grants
    .map(({ role, action }) => `allow(user: User, "${action}", _: Document) if "${role}" in user.roles;`)
    .join('\n'),
};
