import { asReceived, createPicker, type EasyRbacParameters, type Question, type Workload } from '../workload.js';

const KIND = 'document';
const DEPARTMENTS = ['design', 'sales', 'support'] as const;
const ACTIONS = ['view', 'edit', 'approve', 'remove'] as const;

const isOwner = ({ principal, resource }: EasyRbacParameters): boolean => resource.attr.owner === principal.id;
const isNear = ({ principal, resource }: EasyRbacParameters): boolean =>
  resource.attr.department === principal.attr.department;
const isVisible = (of: EasyRbacParameters): boolean =>
  of.resource.attr.status === 'published' || isOwner(of) || isNear(of);
const isOpen = (of: EasyRbacParameters): boolean => isOwner(of) && of.resource.attr.status !== 'archived';
const isApprovable = (of: EasyRbacParameters): boolean =>
  of.resource.attr.status === 'draft' && isNear(of) && !isOwner(of) && (of.resource.attr.pages as number) <= 100;
const isOwnDraft = (of: EasyRbacParameters): boolean => isOwner(of) && of.resource.attr.status === 'draft';

/** Documents: who sees, edits, approves and removes them depends on roles, the owner, departments and a number. */
export const documents: Workload = {
  name: 'documents',
  title: 'With attributes',
  about:
    'Documents: who sees, edits, approves and removes them depends on roles, the owner, departments, a status and a number of pages.',
  questions: (count) => {
    const pick = createPicker();
    const users = Array.from({ length: 16 }, (_, index) => ({
      id: `user-${index}`,
      roles: pick([['visitor'], ['employee'], ['employee'], ['employee', 'editor'], ['admin']]),
      attr: { department: pick(DEPARTMENTS) },
    }));
    return asReceived(
      Array.from({ length: count }, (_, index): Question => {
        const principal = pick(users);
        const attr = {
          owner: pick([principal, pick(users)]).id,
          department: pick(DEPARTMENTS),
          status: pick(['draft', 'published', 'archived']),
          pages: pick([3, 40, 99, 100, 101, 400]),
        };
        return { principal, resource: { kind: KIND, id: `document-${index}`, attr }, action: pick(ACTIONS) };
      }),
    );
  },
  byHand: ({ principal, resource, action }) => {
    if (resource.kind !== KIND) return false;
    const { roles } = principal;
    const { owner, department, status, pages } = resource.attr;
    switch (action) {
      case 'view':
        return (
          roles.includes('employee') &&
          (status === 'published' || owner === principal.id || department === principal.attr.department)
        );
      case 'edit':
        return roles.includes('employee') && owner === principal.id && status !== 'archived';
      case 'approve':
        return (
          roles.includes('editor') &&
          status === 'draft' &&
          department === principal.attr.department &&
          owner !== principal.id &&
          (pages as number) <= 100
        );
      case 'remove':
        return roles.includes('admin') || (roles.includes('employee') && owner === principal.id && status === 'draft');
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
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [employee]
      condition:
        match: { expr: R.attr.status == "published" || R.attr.owner == P.id || R.attr.department == P.attr.department }
    - actions: [edit]
      effect: EFFECT_ALLOW
      roles: [employee]
      condition: { match: { expr: R.attr.owner == P.id && R.attr.status != "archived" } }
    - actions: [approve]
      effect: EFFECT_ALLOW
      roles: [editor]
      condition:
        match:
          all:
            of:
              - expr: R.attr.status == "draft"
              - expr: R.attr.department == P.attr.department
              - expr: R.attr.owner != P.id
              - expr: R.attr.pages <= 100
    - actions: [remove]
      effect: EFFECT_ALLOW
      roles: [admin]
    - actions: [remove]
      effect: EFFECT_ALLOW
      roles: [employee]
      condition: { match: { expr: R.attr.owner == P.id && R.attr.status == "draft" } }
`,
  },
  casl: ({ id, roles, attr: { department } }) => [
    ...(roles.includes('employee')
      ? [
          { action: 'view', subject: KIND, conditions: { status: 'published' } },
          { action: 'view', subject: KIND, conditions: { owner: id } },
          { action: 'view', subject: KIND, conditions: { department } },
          { action: 'edit', subject: KIND, conditions: { owner: id, status: { $ne: 'archived' } } },
          { action: 'remove', subject: KIND, conditions: { owner: id, status: 'draft' } },
        ]
      : []),
    ...(roles.includes('editor')
      ? [
          {
            action: 'approve',
            subject: KIND,
            conditions: { status: 'draft', department, owner: { $ne: id }, pages: { $lte: 100 } },
          },
        ]
      : []),
    ...(roles.includes('admin') ? [{ action: 'remove', subject: KIND }] : []),
  ],
  casbin: [
    [
      'employee',
      KIND,
      'view',
      "r.obj.attr.status == 'published' || r.obj.attr.owner == r.sub.id || r.obj.attr.department == r.sub.attr.department",
    ],
    ['employee', KIND, 'edit', "r.obj.attr.owner == r.sub.id && r.obj.attr.status != 'archived'"],
    [
      'editor',
      KIND,
      'approve',
      "r.obj.attr.status == 'draft' && r.obj.attr.department == r.sub.attr.department && r.obj.attr.owner != r.sub.id && r.obj.attr.pages <= 100",
    ],
    ['admin', KIND, 'remove', 'true'],
    ['employee', KIND, 'remove', "r.obj.attr.owner == r.sub.id && r.obj.attr.status == 'draft'"],
  ],
  cedar: {
    text: `permit(principal is User, action == Action::"view", resource is Document) when {
  principal.roles.contains("employee") &&
  (resource.status == "published" || resource.owner == principal.id || resource.department == principal.department)
};
permit(principal is User, action == Action::"edit", resource is Document) when {
  principal.roles.contains("employee") && resource.owner == principal.id && resource.status != "archived"
};
permit(principal is User, action == Action::"approve", resource is Document) when {
  principal.roles.contains("editor") && resource.status == "draft" &&
  resource.department == principal.department && resource.owner != principal.id && resource.pages <= 100
};
permit(principal is User, action == Action::"remove", resource is Document) when { principal.roles.contains("admin") };
permit(principal is User, action == Action::"remove", resource is Document) when {
  principal.roles.contains("employee") && resource.owner == principal.id && resource.status == "draft"
};`,
    schema: `entity User = { "id": String, "roles": Set<String>, "department": String };
entity Document = { "id": String, "owner": String, "department": String, "status": String, "pages": Long };
action "view", "edit", "approve", "remove" appliesTo { principal: [User], resource: [Document], context: {} };`,
  },
  permix: (principal) => {
    const { roles } = principal;
    const given =
      (role: string, holds: (of: EasyRbacParameters) => boolean) =>
      (attr: Question['resource']['attr']): boolean =>
        roles.includes(role) && holds({ principal, resource: { kind: KIND, id: '', attr } });
    return {
      [KIND]: {
        view: given('employee', isVisible),
        edit: given('employee', isOpen),
        approve: given('editor', isApprovable),
        remove: roles.includes('admin') ? true : given('employee', isOwnDraft),
      },
    };
  },
  accessControl: (access) => {
    const all = ['*'];
    access
      .grant('employee')
      .where({
        or: [
          '$.document.status == "published"',
          '$.document.owner == $.user.id',
          '$.document.department == $.user.department',
        ],
      })
      .action('view', KIND, all);
    access
      .grant('employee')
      .where({ and: ['$.document.owner == $.user.id', '$.document.status != "archived"'] })
      .action('edit', KIND, all);
    access
      .grant('editor')
      .where({
        and: [
          '$.document.status == "draft"',
          '$.document.department == $.user.department',
          '$.document.owner != $.user.id',
          '$.document.pages <= 100',
        ],
      })
      .action('approve', KIND, all);
    access.grant('admin').action('remove', KIND, all);
    access
      .grant('employee')
      .where({ and: ['$.document.owner == $.user.id', '$.document.status == "draft"'] })
      .action('remove', KIND, all);
  },
  easyRbac: {
    visitor: { can: [] },
    employee: {
      can: [
        { name: 'document:view', when: async (of) => isVisible(of) },
        { name: 'document:edit', when: async (of) => isOpen(of) },
        { name: 'document:remove', when: async (of) => isOwnDraft(of) },
      ],
    },
    editor: { can: [{ name: 'document:approve', when: async (of) => isApprovable(of) }] },
    admin: { can: ['document:remove'] },
  },
  oso: `
allow(user: User, "view", document: Document) if
  "employee" in user.roles and
  (document.status = "published" or document.owner = user.id or document.department = user.department);
allow(user: User, "edit", document: Document) if
  "employee" in user.roles and document.owner = user.id and document.status != "archived";
allow(user: User, "approve", document: Document) if
  "editor" in user.roles and document.status = "draft" and document.department = user.department and
  document.owner != user.id and document.pages <= 100;
allow(user: User, "remove", _: Document) if "admin" in user.roles;
allow(user: User, "remove", document: Document) if
  "employee" in user.roles and document.owner = user.id and document.status = "draft";
`,
};
