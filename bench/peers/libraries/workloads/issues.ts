import { asReceived, createPicker, type Question, type Workload } from '../workload.js';

const KIND = 'issue';

/** Issues of a tracker: active users read, admins of engineering update those of their country, suspended users nothing. */
export const issues: Workload = {
  name: 'issues',
  title: 'Issues (after the unsigned scenarios of Cedarling)',
  about:
    'Active users read issues. Admins of a department update those of their country. Suspended users do nothing, whatever else holds. Written anew from the description of Cedarling’s benchmark of unsigned requests; its batches are calls of one decision here.',
  quoted:
    'Cedarling publishes for its binding to WebAssembly, on a runner of GitHub (docs.jans.io/v2.6.1/cedarling/reference/benchmarks, 2 November 2026): a mean of 269.7 µs for its unsigned request with a nested context, and of 1,394.2 µs for 25 unsigned requests in one call. These are figures of others, from another machine.',
  questions: (count) => {
    const pick = createPicker(17);
    const countries = ['US', 'DE', 'FR'];
    const users = Array.from({ length: 32 }, (_, index) => ({
      id: `user-${index}`,
      roles: pick([['member'], ['member', 'admin']]),
      attr: {
        country: pick(countries),
        department: pick(['engineering', 'sales']),
        active: pick([true, true, true, false]),
        suspended: pick([false, false, false, true]),
      },
    }));
    return asReceived(
      Array.from({ length: count }, (_, index): Question => {
        const attr = { organization: 'acme', country: pick(countries), priority: pick([1, 2, 3]) };
        return {
          principal: pick(users),
          resource: { kind: KIND, id: `issue-${index}`, attr },
          action: pick(['read', 'update']),
        };
      }),
    );
  },
  byHand: ({ principal, resource, action }) => {
    if (resource.kind !== KIND || principal.attr.suspended === true) return false;
    switch (action) {
      case 'read':
        return principal.attr.active === true;
      case 'update':
        return (
          principal.roles.includes('admin') &&
          principal.attr.department === 'engineering' &&
          principal.attr.country === resource.attr.country
        );
      default:
        return false;
    }
  },
  policies: {
    'issue.yaml': `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${KIND}
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [member]
      condition: { match: { expr: P.attr.active == true } }
    - actions: [update]
      effect: EFFECT_ALLOW
      roles: [admin]
      condition: { match: { expr: P.attr.department == "engineering" && P.attr.country == R.attr.country } }
    - actions: ["*"]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: { match: { expr: P.attr.suspended == true } }
`,
  },
  casl: ({ roles, attr: { active, suspended, department, country } }) =>
    suspended === true
      ? []
      : [
          ...(active === true ? [{ action: 'read', subject: KIND }] : []),
          ...(roles.includes('admin') && department === 'engineering'
            ? [{ action: 'update', subject: KIND, conditions: { country } }]
            : []),
        ],
  casbin: [
    ['member', KIND, 'read', 'r.sub.attr.active && !r.sub.attr.suspended'],
    [
      'admin',
      KIND,
      'update',
      "r.sub.attr.department == 'engineering' && r.sub.attr.country == r.obj.attr.country && !r.sub.attr.suspended",
    ],
  ],
  cedar: {
    text: `permit(principal is User, action == Action::"read", resource is Issue) when { principal.active };
permit(principal is User, action == Action::"update", resource is Issue) when {
  principal.roles.contains("admin") && principal.department == "engineering" && principal.country == resource.country
};
forbid(principal is User, action, resource is Issue) when { principal.suspended };`,
    schema: `entity User = { "id": String, "roles": Set<String>, "country": String, "department": String, "active": Bool, "suspended": Bool };
entity Issue = { "id": String, "organization": String, "country": String, "priority": Long };
action "read", "update" appliesTo { principal: [User], resource: [Issue], context: {} };`,
  },
};
