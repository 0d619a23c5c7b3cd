import { message } from './message.js';

/** Messages about the roles that tenants may give (docs/spec/policy-language.md#tenantroles). */
export const tenantRoleMessages = {
  'tenant-roles/unknown-role': message<{ readonly role: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown role',
    text: ({ role }) => `no policy names the role \`${role}\``,
    explanation: `
A grant lets tenants assign a role that no rule, role policy or derived role names, so the role allows nothing. Derived roles are computed and cannot be assigned.

Correct the name under \`role\`.
`,
  }),
  'tenant-roles/unknown-kind': message<{ readonly kind: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown kind',
    text: ({ kind }) => `no policy covers the kind \`${kind}\``,
    explanation: `
A grant names a kind of resource, or a glob of kinds, that no policy covers.

Correct the name under \`resource\`. \`"*"\` is every kind.
`,
  }),
  'tenant-roles/unknown-action': message<{ readonly action: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'unknown action',
    text: ({ action }) => `no rule for this kind matches the action \`${action}\``,
    explanation: `
A grant names an action that no rule for its kind names or matches by a glob. Such an action is always denied, so the name is probably misspelled.

Correct the name under \`actions\`. \`"*"\` is every action.
`,
  }),
  'tenant-roles/reserved-role': message<{ readonly role: string; readonly prefix: string }>({
    severity: 'error',
    stage: 'compile',
    kind: 'reserved role',
    text: ({ role, prefix }) =>
      `the role \`${role}\` begins with \`${prefix}\`, which is reserved for roles of tenants`,
    explanation: `
The policies let tenants define their own roles, which have a reserved prefix in requests. A policy names a role with this prefix. No principal has such a role when rules are evaluated, so the
rule never applies.

Rename the role, or choose another \`rolePrefix\` in the document of \`tenantRoles\`.
`,
  }),
};
