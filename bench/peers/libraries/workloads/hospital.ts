import { entityType } from '../deciders/cedar.js';
import { asReceived, createPicker, type Question, type Workload } from '../workload.js';

/** The records of a department, each with three rules. */
const RECORDS = [
  'history',
  'diagnosis',
  'prescription',
  'laboratory',
  'imaging',
  'surgery',
  'vitals',
  'allergies',
  'vaccination',
  'consent',
  'billing',
] as const;
const ACTIONS = ['read', 'write', 'sign'] as const;
/** The actions on the directory of the hospital, and the roles that may take them. */
const DIRECTORY = {
  list: ['doctor', 'nurse', 'clerk'],
  search: ['doctor', 'nurse', 'clerk'],
  edit: ['clerk'],
  export: ['clerk'],
  close: ['doctor'],
} as const;
const DIRECTORY_ACTIONS = Object.keys(DIRECTORY) as (keyof typeof DIRECTORY)[];

/** Departments of the largest hospital. */
const LARGEST = 300;
const ABOUT =
  'Each department has its own 11 kinds of records, with three rules each; five more rules cover the whole hospital. The sizes follow a published benchmark of SAPL, whose hospital grows from 38 to 9,905 policies; the rules are ours. A rule of authz is a policy here. Abilities of CASL only have the rules of the department of the principal.';
const QUOTED =
  'SAPL publishes for its engine on the JVM, embedded, on its own hardware (sapl.io/guides/performance, as stored in November 2026): a median of 179 to 374 ns a decision, from few policies to 9,905, and 1.6 times less throughput with 9,905 than with 38. These are figures of others, from another machine and with other rules.';

/** Three rules for each record of a department, and five for the whole hospital. */
function countPolicies(departments: number): number {
  return departments * RECORDS.length * ACTIONS.length + DIRECTORY_ACTIONS.length;
}

/** A hospital with that many departments. Each has records of its own. */
export function hospital(departments: number): Workload {
  const names = Array.from({ length: departments }, (_, index) => `ward${index}`);
  const kinds = names.flatMap((department) =>
    RECORDS.map((record) => ({ department, kind: `${department}_${record}` })),
  );
  const departmentByKind = new Map(kinds.map(({ kind, department }) => [kind, department]));
  const count = countPolicies(departments).toLocaleString('en-US');
  return {
    name: `hospital-${departments}`,
    title: `A hospital with ${count} policies`,
    about: departments === 1 ? ABOUT : `The same with ${departments} departments.`,
    ...(departments === LARGEST ? { quoted: QUOTED } : {}),
    questions: (wanted) => {
      const pick = createPicker(19);
      const staff = Array.from({ length: 64 }, (_, index) => ({
        id: `staff-${index}`,
        roles: [pick(['doctor', 'nurse', 'clerk'])],
        attr: { department: pick(names), onDuty: pick([true, true, false]) },
      }));
      return asReceived(
        Array.from({ length: wanted }, (_, index): Question => {
          const principal = pick(staff);
          if (index % 16 === 15)
            return {
              principal,
              resource: { kind: 'directory', id: 'directory', attr: {} },
              action: pick(DIRECTORY_ACTIONS),
            };
          const department = index % 2 === 0 ? principal.attr.department : pick(names);
          return {
            principal,
            resource: {
              kind: `${department}_${pick(RECORDS)}`,
              id: `record-${index}`,
              attr: { sealed: pick([true, false, false]) },
            },
            action: pick([...ACTIONS, 'erase']),
          };
        }),
      );
    },
    byHand: ({ principal, resource, action }) => {
      if (resource.kind === 'directory') {
        const roles: readonly string[] | undefined = DIRECTORY[action as keyof typeof DIRECTORY];
        return roles?.includes(principal.roles[0] as string) === true;
      }
      const department = departmentByKind.get(resource.kind);
      if (department === undefined || department !== principal.attr.department) return false;
      const [role] = principal.roles;
      switch (action) {
        case 'read':
          return role === 'nurse' || role === 'doctor';
        case 'write':
          return (role === 'nurse' || role === 'doctor') && principal.attr.onDuty === true;
        case 'sign':
          return role === 'doctor' && principal.attr.onDuty === true && resource.attr.sealed === false;
        default:
          return false;
      }
    },
    policies: {
      'directory.yaml': `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: directory
  version: default
  rules:
${DIRECTORY_ACTIONS.map((action) => `    - { actions: [${action}], effect: EFFECT_ALLOW, roles: [${DIRECTORY[action].join(', ')}] }`).join('\n')}
`,
      ...Object.fromEntries(
        kinds.map(({ kind, department }) => [
          `${kind}.yaml`,
          `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [doctor, nurse]
      condition: { match: { expr: P.attr.department == "${department}" } }
    - actions: [write]
      effect: EFFECT_ALLOW
      roles: [doctor, nurse]
      condition: { match: { expr: P.attr.department == "${department}" && P.attr.onDuty == true } }
    - actions: [sign]
      effect: EFFECT_ALLOW
      roles: [doctor]
      condition:
        match: { expr: P.attr.department == "${department}" && P.attr.onDuty == true && R.attr.sealed == false }
`,
        ]),
      ),
    },
    casl: ({ roles: [role], attr: { department, onDuty } }) => [
      ...DIRECTORY_ACTIONS.filter((action) => (DIRECTORY[action] as readonly string[]).includes(role as string)).map(
        (action) => ({ action, subject: 'directory' }),
      ),
      ...RECORDS.flatMap((record) => {
        const subject = `${department}_${record}`;
        return [
          ...(role === 'doctor' || role === 'nurse'
            ? [{ action: onDuty === true ? ['read', 'write'] : ['read'], subject }]
            : []),
          ...(role === 'doctor' && onDuty === true ? [{ action: 'sign', subject, conditions: { sealed: false } }] : []),
        ];
      }),
    ],
    cedar: {
      text: [
        ...DIRECTORY_ACTIONS.map(
          (action) =>
            `permit(principal is User, action == Action::"${action}", resource is Directory) when { principal.roles.containsAny(${JSON.stringify(DIRECTORY[action])}) };`,
        ),
        ...kinds.flatMap(({ kind, department }) => {
          const head = (action: string): string =>
            `permit(principal is User, action == Action::"${action}", resource is ${entityType(kind)}) when { principal.department == "${department}" && `;
          const medical = 'principal.roles.containsAny(["doctor", "nurse"])';
          return [
            `${head('read')}${medical} };`,
            `${head('write')}${medical} && principal.onDuty };`,
            `${head('sign')}principal.roles.contains("doctor") && principal.onDuty && resource.sealed == false };`,
          ];
        }),
      ].join('\n'),
    },
  };
}
