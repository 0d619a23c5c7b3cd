import { asReceived, createPicker, listed, type Question, type Workload } from '../workload.js';

const KIND = 'repository';

/** What each level may do, and with it those after it. */
const LEVELS = {
  readers: ['pull', 'fork', 'openIssue'],
  triagers: ['label', 'closeIssue'],
  writers: ['push', 'editIssue'],
  maintainers: ['deleteIssue'],
  admins: ['addReader', 'addWriter', 'addAdmin'],
} as const;

const NAMES = Object.keys(LEVELS) as (keyof typeof LEVELS)[];
const REPOSITORIES = 40;
const ACTIONS = Object.values(LEVELS).flat();
const LEVEL_BY_ACTION: { readonly [action: string]: string } = Object.fromEntries(
  Object.entries(LEVELS).flatMap(([level, actions]) => actions.map((action) => [action, level])),
);

/** Repositories with five levels of permissions: whoever has one has those below. */
export const github: Workload = {
  name: 'github',
  title: 'Repositories (after github of the Cedar paper)',
  about:
    'Each repository has a group for each of five levels, and each level is in the one below it. Users are in groups of repositories and of organizations. Written anew from the description of the same benchmark; ancestors as above.',
  questions: (count) => {
    const pick = createPicker(11);
    const users = Array.from({ length: 50 }, (_, index) => {
      const groups = Array.from({ length: 8 }, () => {
        const repository = pick(Array.from({ length: REPOSITORIES }, (__, at) => at));
        const level = NAMES.indexOf(pick(NAMES));
        return NAMES.slice(0, level + 1).map((name) => `repository-${repository}:${name}`);
      });
      return { id: `user-${index}`, roles: ['user'], attr: { groups: [...new Set(groups.flat())] } };
    });
    return asReceived(
      Array.from({ length: count }, (_, index): Question => {
        const principal = pick(users);
        // Half of the questions are about a repository that the user has something to do with.
        const known = pick(listed(principal.attr, 'groups')).split(':')[0] as string;
        const id = index % 2 === 0 ? known : `repository-${index % REPOSITORIES}`;
        const attr = Object.fromEntries(NAMES.map((name) => [name, `${id}:${name}`]));
        return { principal, resource: { kind: KIND, id, attr }, action: pick(ACTIONS) };
      }),
    );
  },
  byHand: ({ principal, resource, action }) => {
    if (resource.kind !== KIND) return false;
    const groups = listed(principal.attr, 'groups');
    const { attr } = resource;
    switch (action) {
      case 'pull':
      case 'fork':
      case 'openIssue':
        return groups.includes(attr.readers as string);
      case 'label':
      case 'closeIssue':
        return groups.includes(attr.triagers as string);
      case 'push':
      case 'editIssue':
        return groups.includes(attr.writers as string);
      case 'deleteIssue':
        return groups.includes(attr.maintainers as string);
      case 'addReader':
      case 'addWriter':
      case 'addAdmin':
        return groups.includes(attr.admins as string);
      default:
        return false;
    }
  },
  policies: {
    'repository.yaml': `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${KIND}
  version: default
  rules:
${NAMES.map(
  (level) => `    - actions: [${LEVELS[level].join(', ')}]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: { match: { expr: R.attr.${level} in P.attr.groups } }`,
).join('\n')}
`,
  },
  casl: ({ attr: { groups } }) =>
    NAMES.map((level) => ({ action: [...LEVELS[level]], subject: KIND, conditions: { [level]: { $in: groups } } })),
  casbin: ACTIONS.map((action) => [
    'user',
    KIND,
    action,
    `hasRole(r.sub.attr.groups, r.obj.attr.${LEVEL_BY_ACTION[action]})`,
  ]),
  cedar: {
    text: NAMES.map(
      (level) =>
        `permit(principal is User, action in [${LEVELS[level].map((action) => `Action::"${action}"`).join(', ')}], resource is Repository) when { principal in resource.${level} };`,
    ).join('\n'),
    groups: ({ principal }) => ({ principal: listed(principal.attr, 'groups') }),
    entities: NAMES,
  },
};
