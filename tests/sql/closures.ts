import type { Attributes } from '../../runtime/policy/index.js';
import type { SqlColumns, SqlDialect, SqlRelation, SqlTable } from '../../runtime/residual/sql/index.js';
import { Random } from '../support/oracle/random.js';
import type { Cell, StoredTable, Subject } from './related-tables.js';

/** A row of the table of folders; several may have the same id. */
export interface Folder {
  readonly tenant: string;
  readonly id: string | null;
  readonly parent: string | null;
  readonly name: string | null;
  readonly owner: string | null;
  readonly locked: boolean | null;
  readonly level: number | null;
  readonly hidden: boolean;
}

/** A document, as its row has it. */
export interface Document {
  readonly title: string | null;
  readonly tenant: string;
  readonly folder: string | null;
}

const USER: SqlRelation = {
  relation: 'one',
  table: 'users',
  on: { id: 'owner_id' },
  unique: true,
  columns: { name: { column: 'name', type: 'text' } },
};

/** What the ids of folders are. */
export type Keys = 'text' | 'integer' | 'uuid';

/** The id of a folder as check receives it, in the place of one that is a text. */
function keyOf(keys: Keys, id: string): string {
  if (keys === 'text') return id;
  const number = ALL_IDS.indexOf(id);
  return keys === 'integer' ? String(number - 3) : `0a1b2c3d-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function columnsOf(keys: Keys): SqlColumns {
  return { ...FOLDER, id: { column: 'id', type: keys === 'integer' ? 'integer-as-text' : keys, null: 'never' } };
}

const FOLDER: SqlColumns = {
  name: { column: 'name', type: 'text' },
  owner: { column: 'owner_id', type: 'text' },
  locked: { column: 'locked', type: 'boolean', null: 'null' },
  level: { column: 'level', type: 'integer' },
  user: USER,
};

/** What attributes of documents and folders are rows of folders, and how each is found. */
const LISTS = {
  ancestors: { on: { id: 'folder_id' }, closure: { id: 'parent_id' } },
  visible: { on: { id: 'folder_id' }, closure: { id: 'parent_id' }, where: { hidden: false } },
  ofTenant: { on: { id: 'folder_id', tenant: 'tenant' }, closure: { tenant: 'tenant', id: 'parent_id' } },
  below: { on: { parent_id: 'folder_id' }, closure: { parent_id: 'id' } },
} satisfies Record<string, Pick<SqlRelation, 'on' | 'closure' | 'where'>>;

/** Documents in folders in folders. */
export function documentsInFolders(keys: Keys = 'text'): SqlTable {
  const columns = columnsOf(keys);
  const folders = { relation: 'many', table: 'folders' } as const;
  return {
    name: 'documents',
    columns: {
      title: { column: 'title', type: 'text' },
      ancestors: { ...folders, ...LISTS.ancestors, columns },
      visible: { ...folders, ...LISTS.visible, columns },
      ofTenant: { ...folders, ...LISTS.ofTenant, columns },
      below: { ...folders, ...LISTS.below, columns },
      names: { ...folders, ...LISTS.ancestors, value: { column: 'name', type: 'text' } },
      levels: { ...folders, ...LISTS.ancestors, value: { column: 'level', type: 'integer', null: 'null' } },
      folder: {
        relation: 'one',
        table: 'folders',
        on: { id: 'folder_id' },
        columns: {
          name: { column: 'name', type: 'text' },
          above: { ...folders, on: { id: 'parent_id' }, closure: { id: 'parent_id' }, columns },
        },
      },
      tags: { relation: 'many', table: 'tags', on: { document: 'position' }, value: { column: 'tag', type: 'text' } },
    },
  };
}

const IDS = ['f1', 'F1', 'f1 ', ' f1', "f'1", 'é', 'e', 'É', '', 'f2', 'f3', 'f4', 'f5'];
const ALL_IDS = [...IDS, 'gone', ...Array.from({ length: 50 }, (_, index) => `c${index}`)];
const NAMES = ['x', 'y', 'u1', 'X', 'x ', 'é', 'e'];

/** Forests with cycles, loops, rows of the same id, parents that are not there, and chains. */
function randomFolders(random: Random): readonly Folder[] {
  const maybe = <T>(value: T, chance = 0.15): T | null => (random.chance(chance) ? null : value);
  const isChain = random.chance(0.2);
  const size = isChain ? 10 + random.below(30) : random.below(15);
  return Array.from({ length: size }, (_, index) => ({
    tenant: random.pick(['t1', 't1', 't1', 't2']),
    id: isChain ? `c${index}` : maybe(random.pick(IDS), 0.05),
    parent: isChain && !random.chance(0.05) ? `c${index + 1}` : maybe(random.pick([...IDS, 'gone'])),
    name: maybe(random.pick(NAMES)),
    owner: maybe(random.pick(['u1', 'u2', 'u3', 'U1', 'u1 '])),
    locked: maybe(random.chance(0.2)),
    level: maybe(random.below(4)),
    hidden: random.chance(0.2),
  }));
}

/** Random stores whose folders have ids of a type. */
export function randomForests(keys: Keys): typeof randomForest {
  return (random, dialect, size) => randomForest(random, dialect, size, keys);
}

/** A random store of a size, and its documents as check receives them. */
export function randomForest(
  random: Random,
  dialect: SqlDialect,
  size: number,
  keys: Keys = 'text',
): { readonly tables: readonly StoredTable[]; readonly subjects: readonly Subject[] } {
  const folders = randomFolders(random);
  // One related row is found as the database compares: a collation of MySQL ignores case, accents and blanks at the end.
  const asKey = (id: string): string =>
    dialect === 'mysql' ? id.trimEnd().normalize('NFD').replace(/\p{M}/gu, '').toLowerCase() : id;
  const users = (dialect === 'mysql' ? ['u1', 'u2'] : ['u1', 'u2', 'u1 ']).map((id) => ({
    id,
    name: random.pick([...NAMES, null]),
  }));
  const ids = [...IDS, ...IDS, 'c0', 'c1', 'c5', 'gone', null];
  const documents = Array.from({ length: size }, () => ({
    title: random.pick([...NAMES, null]),
    tenant: random.pick(['t1', 't2']),
    folder: random.pick(ids),
    tags: random.times(0, 2, () => random.pick(NAMES)),
  }));
  const stored = (id: string | null): string | number | null =>
    id === null ? null : keys === 'integer' ? Number(keyOf(keys, id)) : keyOf(keys, id);
  const tables: readonly StoredTable[] = [
    {
      name: 'documents',
      columns: [
        ['position', 'integer'],
        ['title', 'text'],
        ['tenant', 'text'],
        ['folder_id', keys],
      ],
      rows: documents.map(({ title, tenant, folder }, position) => [position, title, tenant, stored(folder)]),
    },
    {
      name: 'folders',
      columns: [
        ['tenant', 'text'],
        ['id', keys],
        ['parent_id', keys],
        ['name', 'text'],
        ['owner_id', 'text'],
        ['locked', 'boolean'],
        ['level', 'integer'],
        ['hidden', 'boolean'],
      ],
      rows: folders.map(({ tenant, id, parent, name, owner, locked, level, hidden }) => [
        tenant,
        stored(id),
        stored(parent),
        name,
        owner,
        locked,
        level,
        hidden,
      ]),
    },
    {
      name: 'users',
      columns: [
        ['id', 'text'],
        ['name', 'text'],
      ],
      rows: users.map(({ id, name }) => [id, name]),
    },
    {
      name: 'tags',
      columns: [
        ['document', 'integer'],
        ['tag', 'text'],
      ],
      rows: documents.flatMap(({ tags }, position) => tags.map((tag) => [position, tag])),
    },
  ];
  const toAttributes = (one: Folder): Attributes => {
    const user = users.find(({ id }) => one.owner !== null && id === asKey(one.owner));
    return {
      id: one.id === null ? null : keyOf(keys, one.id),
      locked: one.locked,
      ...present({ name: one.name, owner: one.owner, level: one.level, user: user && present({ name: user.name }) }),
    } as Attributes;
  };
  const subjects = documents.map((document): Subject => {
    const lists = listsOf(document, folders);
    const attr = {
      ...present({ title: document.title }),
      ancestors: lists.ancestors.map(toAttributes),
      visible: lists.visible.map(toAttributes),
      ofTenant: lists.ofTenant.map(toAttributes),
      below: lists.below.map(toAttributes),
      names: lists.ancestors.flatMap(({ name }) => name ?? []),
      levels: lists.ancestors.map(({ level }) => level),
      tags: document.tags,
    };
    const mine = folders.filter(
      ({ id }) => id !== null && document.folder !== null && asKey(id) === asKey(document.folder),
    );
    const attrs = mine.map((one) => {
      const above = reached(
        folders,
        (next) => isParent(next, one.parent),
        (next, found) => isParent(next, found.parent),
      );
      return { ...attr, folder: { ...present({ name: one.name }), above: above.map(toAttributes) } };
    });
    return { attrs: (attrs.length === 0 ? [attr] : attrs) as unknown as readonly Attributes[], isReadable: true };
  });
  return { tables, subjects };
}

/** Conditions about such a chain. */
export const CHAIN_CONDITIONS = [
  'R.attr.ancestors.exists(f, f.owner == P.id)',
  '!R.attr.ancestors.exists(f, f.owner == P.id)',
] as const;

/** A chain of folders, of which the first has the owner, and a document in the last. */
export function chain(length: number): readonly StoredTable[] {
  const folders = Array.from({ length }, (_, index): readonly Cell[] => [
    't1',
    `c${index}`,
    index === 0 ? `c${length - 1}` : `c${index - 1}`,
    null,
    index === 0 ? 'u1' : 'u2',
    false,
    1,
    false,
  ]);
  const { tables } = randomForest(new Random(1), 'sqlite', 0);
  return tables.map((table): StoredTable => {
    if (table.name === 'documents')
      return {
        ...table,
        rows: [
          [0, 'x', 't1', `c${length - 1}`],
          [1, 'x', 't1', 'c'],
        ],
      };
    return table.name === 'folders' ? { ...table, rows: folders } : table;
  });
}

/** The folders that each list of a document has. */
function listsOf(
  { folder, tenant }: Document,
  folders: readonly Folder[],
): Record<keyof typeof LISTS, readonly Folder[]> {
  const isOf = (next: Folder, key: string | null, owner: string): boolean =>
    isParent(next, key) && next.tenant === owner;
  return {
    ancestors: reached(
      folders,
      (next) => isParent(next, folder),
      (next, { parent }) => isParent(next, parent),
    ),
    visible: reached(
      folders.filter(({ hidden }) => !hidden),
      (next) => isParent(next, folder),
      (next, { parent }) => isParent(next, parent),
    ),
    ofTenant: reached(
      folders,
      (next) => isOf(next, folder, tenant),
      (next, found) => isOf(next, found.parent, found.tenant),
    ),
    below: reached(
      folders,
      (next) => next.parent !== null && next.parent === folder,
      (next, { id }) => next.parent !== null && next.parent === id,
    ),
  };
}

function isParent({ id }: Folder, key: string | null): boolean {
  return id !== null && id === key;
}

/** The rows of the first step and of any number of further ones. */
function reached(
  folders: readonly Folder[],
  isFirst: (folder: Folder) => boolean,
  isNext: (folder: Folder, found: Folder) => boolean,
): readonly Folder[] {
  const found = new Set(folders.filter(isFirst));
  for (const one of found) for (const next of folders) if (isNext(next, one)) found.add(next);
  return [...found];
}

/** Without the fields that are null or undefined. */
function present(fields: { readonly [name: string]: unknown }): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** Conditions on an element `f` that read nothing else. */
const OF_FOLDER: readonly string[] = [
  'f.owner == P.id',
  'f.owner != P.id',
  'f.locked',
  '!f.locked',
  'f.locked == null',
  'f.level > 1',
  'has(f.name)',
  'f.name in P.attr.names',
  'f.user.name == "x"',
  'has(f.user)',
  'f.id == "f1"',
];

const EVERY = Object.keys(LISTS);

/** Conditions that name ids of folders, for ids of a type. */
export function withKeys(conditions: readonly string[], keys: Keys): readonly string[] {
  return conditions.map((condition) =>
    condition.includes('.id')
      ? condition.replace(/"(f1|e|c9)"/g, (_, id: string) => JSON.stringify(keyOf(keys, id)))
      : condition,
  );
}

/** Conditions that a database answers by a set. */
export const SETS: readonly string[] = [
  ...OF_FOLDER.flatMap((body) => [
    `R.attr.ancestors.exists(f, ${body})`,
    `!R.attr.ancestors.exists(f, ${body})`,
    `R.attr.ancestors.all(f, ${body})`,
  ]),
  ...EVERY.flatMap((list) => [
    `R.attr.${list}.exists(f, f.owner == P.id)`,
    `R.attr.${list}.all(f, f.level > 0)`,
    `size(R.attr.${list}) > 0`,
    `R.attr.${list}.size() == 0`,
    `has(R.attr.${list})`,
    `"f1" in R.attr.${list}.map(f, f.id)`,
    `hasIntersection(R.attr.${list}.map(f, f.id), ["f1", "e", "c9"])`,
  ]),
  'R.attr.ancestors.exists(f, f.owner == P.id) || R.attr.title == "x"',
  'R.attr.ancestors.exists(f, f.owner == P.id) && !R.attr.ancestors.exists(f, f.locked)',
  'R.attr.ancestors.filter(f, f.owner == P.id).size() > 0',
  'R.attr.folder.above.exists(f, f.owner == P.id)',
  'R.attr.folder.above.all(f, f.level > 0)',
  'size(R.attr.folder.above) < 1',
  '"x" in R.attr.names',
  '!("x" in R.attr.names)',
  'size(R.attr.names) > 0',
  'R.attr.names.size() == 0',
  'hasIntersection(R.attr.names, ["x", "y"])',
  'R.attr.names.isSubset(["x", "y", "u1"])',
  '["x"].isSubset(R.attr.names)',
  'null in R.attr.levels',
  '2 in R.attr.levels',
  'R.attr.levels.all(l, l > 0)',
];

/** Conditions that read the row for each element. */
export const PER_ROW: readonly string[] = [
  ...OF_FOLDER.map((body) => `R.attr.ancestors.exists_one(f, ${body})`),
  ...EVERY.flatMap((list) => [`size(R.attr.${list}) > 2`, `R.attr.${list}.exists(f, f.name == R.attr.title)`]),
  'R.attr.ancestors.all(f, f.name != R.attr.title)',
  'R.attr.ancestors.filter(f, f.owner == P.id).size() >= 2',
  'R.attr.title in R.attr.names',
  '!(R.attr.title in R.attr.names)',
  'hasIntersection(R.attr.names, R.attr.tags)',
  'hasIntersection(R.attr.tags, R.attr.names)',
  'R.attr.tags.isSubset(R.attr.names)',
  'R.attr.names.isSubset(R.attr.tags)',
  'R.attr.tags.exists(t, R.attr.ancestors.exists(f, f.name == t))',
  'R.attr.ancestors.exists(f, R.attr.below.exists(g, g.name == f.name))',
  'R.attr.ancestors.exists(f, f.owner == P.id && R.attr.title == "x")',
  'R.attr.ancestors.exists(f, f.name == R.attr.folder.name)',
  'R.attr.folder.above.exists_one(f, f.level > 1)',
];
