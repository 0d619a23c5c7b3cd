import { asReceived, createPicker, listed, type Question, type Workload } from '../workload.js';

const KIND = 'list';
const READ = ['read'] as const;
const WRITE = ['update', 'addTask', 'updateTask', 'removeTask'] as const;
const OWN = ['share', 'remove'] as const;

/** Nested teams: each is in the one before the last, so that users are in five teams on average. */
const TEAMS = Array.from({ length: 30 }, (_, index) => `team-${index}`);

/** The team and all that it is in. */
export function withAncestors(index: number): readonly string[] {
  return index < 0 ? [] : [TEAMS[index] as string, ...withAncestors(Math.floor(index / 2) - 1)];
}

/** Lists of tasks, shared with nested teams for reading and writing. */
export const tinytodo: Workload = {
  name: 'tinytodo',
  title: 'Task lists (after tinytodo of the Cedar paper)',
  about:
    'Lists belong to a user, and are shared with a team that may read and one that may write. Teams are nested. Written anew from the description of the benchmark of OOPSLA 2024 (github.com/cedar-policy/cedar-examples, oopsla2024-benchmarks). Cedar gets the groups of an entity as its parents; for the others they are a list of attributes. Both have all ancestors beforehand.',
  questions: (count) => {
    const pick = createPicker(7);
    const indexes = TEAMS.map((_, index) => index);
    const users = Array.from({ length: 50 }, (_, index) => ({
      id: `user-${index}`,
      roles: ['user'],
      attr: { teams: [...new Set([...withAncestors(pick(indexes)), ...withAncestors(pick(indexes))])] },
    }));
    return asReceived(
      Array.from({ length: count }, (_, index): Question => {
        const principal = pick(users);
        const attr = {
          owner: pick([principal, pick(users), pick(users)]).id,
          readers: pick(TEAMS),
          writers: pick(TEAMS),
        };
        const resource = { kind: KIND, id: `list-${index}`, attr };
        return { principal, resource, action: pick(['create', ...READ, ...READ, ...WRITE, ...OWN]) };
      }),
    );
  },
  byHand: ({ principal, resource, action }) => {
    if (resource.kind !== KIND) return false;
    const { attr } = resource;
    const teams = listed(principal.attr, 'teams');
    switch (action) {
      case 'create':
        return true;
      case 'read':
        return (
          attr.owner === principal.id ||
          teams.includes(attr.readers as string) ||
          teams.includes(attr.writers as string)
        );
      case 'update':
      case 'addTask':
      case 'updateTask':
      case 'removeTask':
        return attr.owner === principal.id || teams.includes(attr.writers as string);
      case 'share':
      case 'remove':
        return attr.owner === principal.id;
      default:
        return false;
    }
  },
  policies: {
    'list.yaml': `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${KIND}
  version: default
  rules:
    - { actions: [create], effect: EFFECT_ALLOW, roles: [user] }
    - actions: [${[...READ, ...WRITE, ...OWN].join(', ')}]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.attr.owner == P.id } }
    - actions: [${READ.join(', ')}]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.attr.readers in P.attr.teams || R.attr.writers in P.attr.teams } }
    - actions: [${WRITE.join(', ')}]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.attr.writers in P.attr.teams } }
`,
  },
  casl: ({ id, attr }) => {
    const within = { $in: attr.teams };
    return [
      { action: 'create', subject: KIND },
      { action: [...READ, ...WRITE, ...OWN], subject: KIND, conditions: { owner: id } },
      { action: [...READ], subject: KIND, conditions: { readers: within } },
      { action: [...READ, ...WRITE], subject: KIND, conditions: { writers: within } },
    ];
  },
  casbin: [
    ['user', KIND, 'create', 'true'],
    ...[...READ, ...WRITE, ...OWN].map((action): readonly [string, string, string, string] => [
      'user',
      KIND,
      action,
      'r.obj.attr.owner == r.sub.id',
    ]),
    ...READ.map((action): readonly [string, string, string, string] => [
      'user',
      KIND,
      action,
      'hasRole(r.sub.attr.teams, r.obj.attr.readers)',
    ]),
    ...[...READ, ...WRITE].map((action): readonly [string, string, string, string] => [
      'user',
      KIND,
      action,
      'hasRole(r.sub.attr.teams, r.obj.attr.writers)',
    ]),
  ],
  cedar: {
    text: `permit(principal is User, action == Action::"create", resource is List);
permit(principal is User, action, resource is List) when { resource.owner == principal.id };
permit(principal is User, action == Action::"read", resource is List) when {
  principal in resource.readers || principal in resource.writers
};
permit(principal is User, action in [${WRITE.map((action) => `Action::"${action}"`).join(', ')}], resource is List) when {
  principal in resource.writers
};`,
    groups: ({ principal }) => ({ principal: listed(principal.attr, 'teams') }),
    entities: ['readers', 'writers'],
  },
};
