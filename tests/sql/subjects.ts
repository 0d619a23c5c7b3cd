import {
  createEngine,
  type Engine,
  type EngineOptions,
  type ResourceInput,
  type TenantDocument,
  tenants,
} from '../../runtime/engine/index.js';
import type { renderSubjects, SqlColumns, SqlDialect, SqlUsers } from '../../runtime/residual/sql/index.js';
import type { TenantRoles } from '../../runtime/policy/index.js';
import { fold } from '../../compiler/optimise/index.js';
import type { Program } from '../../compiler/ir/program.js';
import type { subjectPlans } from '../../packages/analysis/subjects/subject-plans.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { type Document, policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomRequest, randomStore } from '../support/oracle/random-store.js';

/** A database with tables of users. */
export interface UserDatabase {
  readonly dialect: SqlDialect;
  run(statement: string, parameters?: readonly (string | number | null)[]): Promise<unknown>;
  /** The positions that a query returns. */
  select(query: string, parameters: readonly unknown[]): Promise<ReadonlySet<number>>;
}

/** A user as a table has it. */
export interface User {
  readonly id: string | null;
  /** Undefined: NULL. */
  readonly roles: readonly unknown[] | undefined;
  /** Whether its row does not count. */
  readonly isGone?: boolean;
  readonly attr: { readonly [name: string]: string | number | boolean | null };
}

const COLUMNS: SqlColumns = {
  a: { column: 'a', type: 'text' },
  b: { column: 'b', type: 'text', null: 'null' },
  n: { column: 'n', type: 'number' },
  flag: { column: 'flag', type: 'boolean' },
  owner: { column: 'owner', type: 'text', null: 'null' },
  missing: { column: 'missing', type: 'boolean' },
};

/** How a table has roles. */
export type Storage = 'list' | 'one' | 'rows' | 'joined' | 'array';

/** The table of users of a storage. */
export function usersTable(storage: Storage, collation?: 'other'): SqlUsers {
  const text = { type: 'text', ...(collation !== undefined && { collation }) } as const;
  return {
    name: `users_${storage}`,
    id: { column: 'id', ...text },
    roles: {
      list: { column: 'roles', type: 'list' } as const,
      array: { column: 'roles', type: 'text[]' } as const,
      one: { column: 'roles', ...text } as const,
      rows: {
        relation: 'many',
        table: 'user_roles',
        on: { user_position: 'position' },
        value: { column: 'role', ...text },
      } as const,
      joined: {
        relation: 'many',
        table: 'user_role_ids',
        on: { user_position: 'position' },
        where: { ended: null },
        columns: {
          link: {
            relation: 'one',
            table: 'role_names',
            on: { id: 'role_id' },
            unique: true,
            where: { deleted: false },
            columns: { name: { column: 'name', ...text } },
          },
        },
      } as const,
    }[storage],
    where: { gone: null },
    columns: COLUMNS,
  };
}

/** The storages of a database. */
export function storagesOf({ dialect }: UserDatabase): readonly Storage[] {
  return ['one', 'rows', 'joined', 'list', ...(dialect === 'postgresql' ? (['array'] as const) : [])];
}

/** Creates the tables and fills them. */
export async function fillUsers(database: UserDatabase, users: readonly User[]): Promise<void> {
  const { dialect, run } = database;
  const number = dialect === 'postgresql' ? 'double precision' : 'double';
  const text = dialect === 'mysql' ? 'varchar(100)' : 'text';
  const rest = `a ${text}, b ${text}, n ${number}, flag boolean, owner ${text}, missing boolean`;
  const list = { sqlite: 'text', postgresql: 'jsonb', mysql: 'longtext' }[dialect];
  const types = { one: text, rows: text, joined: text, list, array: 'text[]' };
  for (const storage of storagesOf(database))
    await run(
      `CREATE TABLE users_${storage} (position integer PRIMARY KEY, id ${text}, roles ${types[storage]}, gone ${text}, ${rest})`,
    );
  await run(`CREATE TABLE user_roles (user_position integer, role ${text})`);
  await run(`CREATE TABLE user_role_ids (user_position integer, role_id integer, ended ${text})`);
  await run(`CREATE TABLE role_names (id integer PRIMARY KEY, name ${text}, deleted boolean)`);
  const names = [...new Set(users.flatMap(({ roles }) => rowsOf(roles)))];
  const insert = (table: string, columns: readonly string[], rows: readonly Cells[]): Promise<void> =>
    insertRows(database, table, columns, rows);
  // Each role once as it is, and once deleted.
  await insert(
    'role_names',
    ['id', 'name', 'deleted'],
    names.flatMap((name, index) => [
      [2 * index, name, false],
      [2 * index + 1, name, true],
    ]),
  );
  for (const storage of storagesOf(database))
    await insert(
      `users_${storage}`,
      ['position', 'gone', 'id', 'roles', 'a', 'b', 'n', 'owner', 'flag', 'missing'],
      users.map(({ id, roles, attr, isGone }, position) => [
        ...[position, isGone === true ? 'yes' : null, id, storedRoles(storage, roles)],
        ...['a', 'b', 'n', 'owner', 'flag'].map((name) => attr[name] ?? null),
        null,
      ]),
    );
  const roleRows = users.flatMap(({ roles }, position) => rowsOf(roles).map((role): Cells => [position, role]));
  await insert('user_roles', ['user_position', 'role'], roleRows);
  await insert(
    'user_role_ids',
    ['user_position', 'role_id', 'ended'],
    [
      ...roleRows.map(([position, role]): Cells => [position, 2 * names.indexOf(role), null]),
      // A role that is deleted, one that does not exist, and one that has ended.
      ...users.flatMap((_, position): readonly Cells[] => [
        ...(position % 3 === 0 ? [[position, 2 * (position % names.length) + 1, null]] : []),
        ...(position % 4 === 0 ? [[position, -1, null]] : []),
        ...(position % 5 === 0 ? [[position, 2 * (position % names.length), 'yes']] : []),
      ]),
    ],
  );
  for (const table of ['user_roles', 'user_role_ids'])
    await run(`CREATE INDEX ${table}_of_user ON ${table} (user_position)`);
  // Databases plan by the sizes of tables.
  const tables = [
    ...storagesOf(database).map((storage) => `users_${storage}`),
    'user_roles',
    'user_role_ids',
    'role_names',
  ];
  if (dialect === 'mysql') await run(`ANALYZE TABLE ${tables.join(', ')}`);
  else await run('ANALYZE');
}

type Cells = readonly unknown[];

/** How many rows a statement inserts. */
const ROWS_OF_STATEMENT = 100;

async function insertRows(
  { dialect, run }: UserDatabase,
  table: string,
  columns: readonly string[],
  rows: readonly Cells[],
): Promise<void> {
  const cell = (value: unknown): unknown =>
    typeof value === 'boolean' && dialect === 'sqlite' ? Number(value) : value;
  for (let start = 0; start < rows.length; start += ROWS_OF_STATEMENT) {
    const some = rows.slice(start, start + ROWS_OF_STATEMENT);
    const places = some.map((_, row) => {
      const of = columns.map((__, column) =>
        dialect === 'postgresql' ? `$${row * columns.length + column + 1}` : '?',
      );
      return `(${of.join(', ')})`;
    });
    const cells = some.flat().map(cell) as readonly (string | number | null)[];
    await run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${places.join(', ')}`, cells);
  }
}

function storedRoles(storage: Storage, roles: User['roles']): unknown {
  if (roles === undefined || storage === 'rows' || storage === 'joined') return null;
  switch (storage) {
    case 'one':
      return typeof roles[0] === 'string' ? roles[0] : null;
    case 'list':
      return JSON.stringify(roles);
    case 'array':
      return roles.filter((role) => role === null || typeof role === 'string');
  }
}

/** The roles that rows of another table can be. */
function rowsOf(roles: User['roles']): readonly unknown[] {
  return (roles ?? []).filter((role) => role === null || typeof role === 'string');
}

/** The roles that a user has by its table; undefined if it is no principal. */
export function rolesIn(storage: Storage, { roles }: User): readonly string[] | undefined {
  if (roles === undefined) return undefined;
  const stored = {
    one: () => roles.slice(0, 1).filter((role) => typeof role === 'string'),
    // NULL is no related value.
    rows: () => rowsOf(roles).filter((role) => role !== null),
    joined: () => rowsOf(roles).filter((role) => role !== null),
    list: () => roles,
    array: () => rowsOf(roles),
  }[storage]();
  const isValid = stored.length > 0 && stored.every((role) => typeof role === 'string' && role !== '');
  return isValid ? [...new Set(stored as readonly string[])] : undefined;
}

const ROLES = [
  'user',
  'admin',
  'guest',
  'auditor',
  'usher',
  'a:b',
  'admin:x',
  'admin:x:y',
  'someone',
  'User',
  'us',
  'tenant:desk',
  'tenant:night',
  'tenant:gone',
];
const IDS = ['u1', 'u2', 'u3', 'U1', 'someone', "o'x"];

/** Users as a table may have them, also such that are none. */
export function randomUsers(random: Random, count: number): readonly User[] {
  return Array.from({ length: count }, () => {
    const attr: { [name: string]: string | number | boolean | null } = {
      b: random.pick(['x', 'y', null]),
      owner: random.pick(['u1', 'u2', 'r', null]),
    };
    if (random.chance(0.8)) attr['a'] = random.pick(['x', 'y', 'z', '']);
    if (random.chance(0.8)) attr['n'] = random.pick([0, 1, 3, 5, 9.5]);
    if (random.chance(0.8)) attr['flag'] = random.chance(0.5);
    return {
      id: random.chance(0.04) ? random.pick(['', null]) : random.pick(IDS),
      roles: random.chance(0.1)
        ? random.pick([undefined, [], [''], ['admin', ''], ['admin', null], ['admin', 5], ['user', 'user']])
        : random.some(ROLES, 1, 3),
      isGone: random.chance(0.1),
      attr,
    };
  });
}

/** Lets tenants below a scope define roles. */
const TENANT_ROLES: TenantRoles = {
  scope: 'a',
  rolePrefix: 'tenant:',
  grants: [
    {
      role: 'user',
      resources: [
        { resource: 'doc', actions: ['view', 'view:*'] },
        { resource: 'a*', actions: ['*'] },
      ],
    },
    { role: 'admin', resources: [{ resource: '*', actions: ['*'] }] },
  ],
};

function tenantDocument(tenant: string): TenantDocument | undefined {
  const restricted = [{ resource: 'doc', actions: ['view', 'edit'] }];
  return tenant === 'b'
    ? { tenant, roles: { desk: { roles: ['user', 'admin'] }, night: { roles: ['admin'], resources: restricted } } }
    : undefined;
}

/** What was compared. */
export interface SubjectCounts {
  asked: number;
  refused: number;
  cells: number;
  selected: number;
  over: number;
  under: number;
  readonly reasons: Map<string, number>;
}

export function noCounts(): SubjectCounts {
  return { asked: 0, refused: 0, cells: 0, selected: 0, over: 0, under: 0, reasons: new Map() };
}

/** The parts that plan and render: those of the product, or with a mistake in them. */
export interface SubjectTools {
  readonly subjectPlans: typeof subjectPlans;
  readonly renderSubjects: typeof renderSubjects;
}

/** A random store, in whose conditions principal and resource may have changed places. */
function randomSubjectStore(random: Random): readonly Document[] {
  const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
  if (random.chance(0.3)) for (const { resourcePolicy: { rules = [] } = {} } of documents) shareName(random, rules);
  if (random.chance(0.25)) return documents;
  return JSON.parse(
    JSON.stringify(documents).replaceAll(/\b([RP])\.attr\b/g, (_, side: string) => `${side === 'R' ? 'P' : 'R'}.attr`),
  ) as readonly Document[];
}

/** Gives a rule the name of a later rule that has none, so that both share a result. */
function shareName(random: Random, rules: readonly { name?: string }[]): void {
  const [first, other] = [random.below(rules.length), random.below(rules.length)];
  const [named, unnamed] = [rules[first], rules[other]];
  if (named === undefined || unnamed === undefined || first === other || unnamed.name !== undefined) return;
  named.name = `rule-${String(other + 1).padStart(3, '0')}`;
}

/** An engine of a random store, which plans subjects; also one whose tenants define roles. */
export async function randomSubjectEngine(
  random: Random,
  tools: Pick<SubjectTools, 'subjectPlans'>,
): Promise<{ readonly engine: Engine; readonly hasTenants: boolean }> {
  const hasTenants = random.chance(0.3);
  const documents = randomSubjectStore(random);
  const compilation = compileTexts(policyFiles(documents));
  const options: EngineOptions = {
    defaultScope: random.pick(['', '', 'a', '.a']),
    lenientScopeSearch: random.chance(0.4),
  };
  const { policies: base } = await loaded(compilation);
  const policies = hasTenants ? { ...base, tenantRoles: TENANT_ROLES } : base;
  const program = fold(compilation.lowered as Program);
  const engine = createEngine(policies, {
    ...options,
    use: [tools.subjectPlans(program), ...(hasTenants ? [tenants({ documents: tenantDocument })] : [])],
  });
  return { engine, hasTenants };
}

/** Asks who may do something by SQL and by checks of each user. Returns the differences. */
export async function compareSubjects(
  database: UserDatabase,
  users: readonly User[],
  seed: number,
  asked: { readonly resources: number; readonly actions: number },
  counts: SubjectCounts,
  tools: SubjectTools,
): Promise<readonly string[]> {
  const random = new Random(seed);
  const { engine, hasTenants } = await randomSubjectEngine(random, tools);
  const wrong: string[] = [];
  const place = random.chance(hasTenants ? 0.8 : 0.3) ? { scope: random.pick(['', 'a', '.a', 'a.b', 'a.b', 'z']) } : {};
  for (let i = 0; i < asked.resources; i += 1) {
    const { resource: found, actions } = randomRequest(random);
    const resource = { ...found, id: random.pick(['r', 'u1']), attr: randomAttributes(random) } as ResourceInput;
    for (const action of actions.slice(0, asked.actions))
      wrong.push(
        ...(await compareOne(database, engine, users, { seed, resource, action, place }, counts, tools, random)),
      );
  }
  return wrong;
}

async function compareOne(
  database: UserDatabase,
  engine: Engine,
  users: readonly User[],
  {
    seed,
    resource,
    action,
    place,
  }: {
    readonly seed: number;
    readonly resource: ResourceInput;
    readonly action: string;
    readonly place: { readonly scope?: string };
  },
  counts: SubjectCounts,
  { renderSubjects: render }: SubjectTools,
  random: Random,
): Promise<readonly string[]> {
  counts.asked += 1;
  const refuse = (reason: string): readonly string[] => {
    counts.refused += 1;
    counts.reasons.set(reason, (counts.reasons.get(reason) ?? 0) + 1);
    return [];
  };
  const plan = engine.planSubjects({ resource, action, principal: place });
  if (plan.kind === 'refused') return refuse(plan.problems[0]?.reason ?? '');
  const storage = random.pick(storagesOf(database));
  const condition = render(plan.filter, usersTable(storage), { dialect: database.dialect, rules: plan.rules });
  if (condition.kind === 'refused') return refuse(`${condition.problems[0]?.reason}: ${condition.problems[0]?.part}`);
  const selected = await database.select(
    `SELECT position FROM users_${storage} WHERE ${condition.text}`,
    condition.parameters,
  );
  const wrong: string[] = [];
  for (const [position, user] of users.entries()) {
    const roles = rolesIn(storage, user);
    const isUser = roles !== undefined && user.isGone !== true && user.id !== null && user.id !== '';
    const principal = { id: user.id ?? '', roles: roles ?? [], attr: user.attr, ...place };
    const allowed = isUser && engine.isAllowed({ principal, resource, action });
    counts.cells += 1;
    if (selected.has(position)) counts.selected += 1;
    if (selected.has(position) === allowed) continue;
    if (allowed) counts.under += 1;
    else counts.over += 1;
    wrong.push(
      `seed ${seed}, ${storage}: ${allowed ? 'not listed' : 'listed'}: ${JSON.stringify(user)} for ${action} on ${JSON.stringify(resource)}\n  ${condition.text} ${JSON.stringify(condition.parameters)}`,
    );
  }
  return wrong;
}
