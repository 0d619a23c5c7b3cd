import type { ReviewExport } from '../../../packages/cli/review/export.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import type { Random } from '../oracle/random.js';

/** The policies of documents. */
export const DOCUMENTS = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  importDerivedRoles: [document_roles]
  rules:
    - {name: editors, actions: [view, edit], effect: EFFECT_ALLOW, roles: [editor]}
    - {name: owners, actions: [edit], effect: EFFECT_ALLOW, derivedRoles: [owner]}
    - {name: contractors, actions: [view], effect: EFFECT_ALLOW, roles: [contractor], condition: {match: {expr: timestamp(P.attr.until) > now()}}}
    - {name: robots, actions: [view], effect: EFFECT_ALLOW, roles: [robot]}
    - {name: sealed, actions: [edit], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: R.attr.sealed == true}}}
`;
const ASKS = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  scope: asks
  scopePermissions: SCOPE_PERMISSIONS_REQUIRE_PARENTAL_CONSENT_FOR_ALLOWS
  rules:
    - {name: clerks, actions: [view, print], effect: EFFECT_ALLOW, roles: [editor, clerk]}
`;
const ROLES = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: document_roles
  definitions:
    - {name: owner, parentRoles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
`;
const TENANTS = `apiVersion: api.authz.dev/v1
tenantRoles:
  scope: "tenants.*"
  grants:
    - {role: editor, resources: [{resource: document, actions: [view]}]}
`;
const TABLES = `users:
  name: users
  id: {column: id, type: text}
  roles: {relation: many, table: user_roles, on: {user_key: key}, value: {column: role, type: text, nulls: never}}
  scope: {column: scope}
  columns:
    until: {column: until, type: timestamp}
tables:
  document:
    name: documents
    id: {column: id, type: text, nulls: never}
    columns:
      owner: {column: owner_id, type: text}
      sealed: {column: sealed, type: boolean}
`;
const ACME = 'tenant: acme\nroles:\n  desk: {roles: [editor]}\n';
const RESOURCES =
  'resources:\n  - {kind: document, id: c1, scope: asks, attr: {}}\n  - {kind: document, id: t1, scope: tenants.acme, attr: {owner: nobody}}\n';
const ACTORS = 'principals:\n  - {id: robot-1, roles: [robot]}\n';
export const NOW = '2025-01-31T00:00:00Z';

/** Policies, tables, tenants, resources and actors of a review. */
export const BASE = {
  'policies/documents.yaml': DOCUMENTS,
  'policies/acme.yaml': DOCUMENTS.replace('version: default', 'version: default\n  scope: tenants').replace(
    /rules:[\s\S]*/,
    'rules: []\n',
  ),
  'policies/asks.yaml': ASKS,
  'policies/roles.yaml': ROLES,
  'policies/tenants.yaml': TENANTS,
  'tables.yaml': TABLES,
  'tenants/acme.yaml': ACME,
  'resources.yaml': RESOURCES,
  'actors.yaml': ACTORS,
};

/** A user as a table has it. */
export interface Row {
  readonly id: string | null;
  readonly roles: readonly string[];
  readonly scope?: string;
  readonly until?: string;
}

/** Holes that somebody planted in a population. */
export interface PlantedHoles {
  readonly rows: readonly Row[];
  /** Policies of persons. */
  readonly files: { readonly [path: string]: string };
  /** Whether an export has each hole. */
  readonly expected: readonly ((review: ReviewExport) => boolean)[];
}

/** Ids that databases, spreadsheets and formats may change. */
export const HOSTILE_IDS: readonly string[] = [
  'Ann',
  'ann',
  'ANN',
  'án',
  'space',
  'space ',
  ' space',
  'a,b;c',
  'q"q',
  "it's",
  'line\nfeed',
  '=1+1',
  '+1',
  '-1',
  '@sum',
  '\tx',
  '\r=x',
  "'=1",
  '007',
  '9007199254740993',
  '9223372036854775807',
  '<b>bold</b>',
  '{"id": 1}',
];

/** Plants holes that a review has to find. */
export function plantHoles(random: Random): PlantedHoles {
  const rows: Row[] = [];
  const files: { [path: string]: string } = {};
  const expected: ((review: ReviewExport) => boolean)[] = [];
  const finds = (kind: string, user: string, text = '') =>
    expected.push(({ findings }) =>
      findings.some((one) => one.kind === kind && one.user === user && one.text.includes(text)),
    );
  const has = (user: string, passes: (pair: ReviewExport['pairs'][number]) => boolean) =>
    expected.push(({ pairs }) => pairs.some((pair) => pair.user === user && passes(pair)));
  for (let i = 0; i < 25; i += 1) rows.push({ id: `user-${i}`, roles: random.some(['user', 'editor'], 1, 2) });
  // Ids that only bytes tell apart, and such that a format could change.
  for (const id of HOSTILE_IDS) {
    rows.push({ id, roles: ['editor'] });
    has(id, ({ resource, action }) => resource === 'd1' && action === 'view');
  }
  for (const [id, ...roles] of [
    ['Only-Upper', 'editor'],
    ['only-upper', 'user'],
  ] as const) {
    rows.push({ id, roles });
    expected.push(
      ({ pairs }) =>
        pairs.some(({ user, resource, action }) => user === id && resource === 'd1' && action === 'view') ===
        roles.includes('editor' as never),
    );
  }
  // The same id twice: whoever has it has what either row gives.
  rows.push({ id: 'twice', roles: ['user'] }, { id: 'twice', roles: ['editor'] });
  finds('duplicate id', 'twice');
  has('twice', ({ action }) => action === 'view');
  // A scope that only allows what its parent allows as well.
  rows.push({ id: 'asking', roles: ['editor', 'clerk'] });
  has('asking', ({ scope, action }) => scope === 'asks' && action === 'view');
  expected.push(
    ({ pairs }) =>
      !pairs.some(({ user, scope, action }) => user === 'asking' && scope === 'asks' && action === 'print'),
  );
  // Orphaned users.
  for (let i = 0; i < 20; i += 1) {
    rows.push({ id: `orphan-${i}`, roles: random.pick([[], [''], ['editor', '']]) });
    finds('not a principal', `orphan-${i}`);
  }
  // Roles that policies no longer name.
  for (let i = 0; i < 20; i += 1) {
    rows.push({ id: `left-${i}`, roles: ['user', `retired-${i}`] });
    finds('unknown role', `left-${i}`, `retired-${i}`);
  }
  // Roles of tenants, and such that no tenant defines.
  for (let i = 0; i < 20; i += 1) {
    const isDefined = i % 2 === 0;
    rows.push({ id: `tenant-${i}`, roles: [isDefined ? 'tenant:desk' : 'tenant:ghost'], scope: 'tenants.acme' });
    if (isDefined)
      has(
        `tenant-${i}`,
        ({ resource, reasons }) =>
          resource === 't1' && reasons.some(({ kind, name }) => kind === 'tenant role' && name === 'tenant:desk'),
      );
    else finds('undefined tenant role', `tenant-${i}`, 'tenant:ghost');
  }
  // One person's DENY, also of persons who are gone.
  for (let i = 0; i < 10; i += 1) {
    const id = `denied-${i}`;
    files[`policies/${id}.yaml`] =
      `apiVersion: api.authz.dev/v1\nprincipalPolicy:\n  principal: ${id}\n  version: default\n  rules:\n    - {resource: document, actions: [{name: no-${i}, action: edit, effect: EFFECT_DENY}]}\n`;
    if (i < 7) rows.push({ id, roles: ['editor'] });
    finds(i < 7 ? 'policy of a person' : 'policy without a user', id, `no-${i}`);
    expected.push(
      ({ pairs }) => !pairs.some(({ user, action, kind }) => user === id && action === 'edit' && kind !== ''),
    );
  }
  // Access that ends by itself.
  for (let i = 0; i < 15; i += 1) {
    const hasEnded = i % 3 === 0;
    rows.push({
      id: `boxed-${i}`,
      roles: ['contractor'],
      until: hasEnded ? '2025-01-30T00:00:00.000Z' : '2025-02-01T00:00:00.000Z',
    });
    if (hasEnded) expected.push(({ pairs }) => !pairs.some(({ user }) => user === `boxed-${i}`));
    else has(`boxed-${i}`, ({ timed, action }) => timed && action === 'view');
  }
  // Chains of actors: what a robot may do for somebody is what both may.
  for (let i = 0; i < 15; i += 1) {
    rows.push({ id: `chained-${i}`, roles: ['editor'] });
    has(`chained-${i}`, ({ through, action }) => through === 'robot-1' && action === 'view');
    expected.push(
      ({ pairs }) =>
        !pairs.some(({ user, through, action }) => user === `chained-${i}` && through !== '' && action === 'edit'),
    );
  }
  return { rows, files, expected };
}

/** The flags of a review of these users and documents. */
export function reviewFlags(database: string): readonly string[] {
  return [
    ...['--users', 'tables.yaml', '--database', database, '--kind', 'document'],
    ...['--resources', 'resources.yaml', '--actors', 'actors.yaml', '--tenants', 'tenants', '--now', NOW],
    ...['--lenient-scope-search', '--review', 'review.json'],
  ];
}

/** Creates the tables of users and documents, and fills them. */
export async function fillReview(
  dialect: SqlDialect,
  run: (statement: string, cells: readonly unknown[]) => unknown,
  users: readonly Row[],
): Promise<void> {
  // A collation that ignores case and blanks at the end, as MariaDB has by default.
  const text = dialect === 'mysql' ? 'varchar(200)' : 'text';
  const time = { sqlite: 'text', postgresql: 'timestamp', mysql: 'datetime(6)' }[dialect];
  const key = dialect === 'mysql' ? '`key`' : '"key"';
  const place = (index: number): string => (dialect === 'postgresql' ? `$${index}` : '?');
  const places = (count: number): string => Array.from({ length: count }, (_, index) => place(index + 1)).join(', ');
  await run(`CREATE TABLE users (${key} integer PRIMARY KEY, id ${text}, scope ${text}, until ${time})`, []);
  await run(`CREATE TABLE user_roles (user_key integer, role ${text} NOT NULL)`, []);
  await run(`CREATE TABLE documents (id varchar(50) NOT NULL PRIMARY KEY, owner_id ${text}, sealed boolean)`, []);
  for (const [index, { id, roles, scope = null, until = null }] of users.entries()) {
    const end = until !== null && dialect === 'mysql' ? until.replace('T', ' ').replace('Z', '') : until;
    await run(`INSERT INTO users VALUES (${places(4)})`, [index, id, scope, end]);
    for (const role of roles) await run(`INSERT INTO user_roles VALUES (${places(2)})`, [index, role]);
  }
  for (let i = 0; i < 5; i += 1) {
    const sealed = i % 5 === 4;
    const cell = dialect === 'sqlite' ? Number(sealed) : sealed;
    await run(`INSERT INTO documents VALUES (${places(3)})`, [`d${i}`, `user-${i}`, cell]);
  }
}
