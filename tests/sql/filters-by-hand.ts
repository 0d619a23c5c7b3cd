import type { SqlTable } from '../../runtime/residual/sql/index.js';

/** A filter, and the condition that a person writes for it. */
export interface ByHand {
  readonly name: string;
  /** The condition of an ALLOW. */
  readonly expr: string;
  /** The condition of a DENY. */
  readonly deny?: string;
  /** `$1` is the time of the request. */
  readonly sql: string;
  /** MySQL, if it is written in another way there; null if its index cannot answer it. */
  readonly mysql?: string | null;
  /** What follows the condition: the order and the end of a page. */
  readonly page?: string;
}

/** The time of each request. */
export const NOW = '2024-06-15T12:00:00.000Z';

export const PRINCIPAL = {
  id: 'u7',
  roles: ['user'],
  attr: {
    tenant: 't3',
    reports: ['u8', 'u9', 'u10'],
    path: 'a.7.b.3.c',
    many: Array.from({ length: 1000 }, (_, index) => `u${index * 3}`),
    ids: ['d5', 'd50', 'd500'],
  },
};

const FOLDERS_OF = (owner: string): string =>
  `WITH RECURSIVE r(id) AS (SELECT id FROM folders WHERE owner_id = '${owner}' UNION SELECT f.id FROM folders f JOIN r ON f.parent_id = r.id) SELECT DISTINCT id FROM r`;

/** The shapes of filters that applications have. */
export const FILTERS: readonly ByHand[] = [
  { name: 'owner', expr: 'R.attr.owner == P.id', sql: "owner = 'u7'" },
  { name: 'one of some', expr: 'R.attr.owner in P.attr.reports', sql: "owner IN ('u8', 'u9', 'u10')" },
  {
    name: 'tenant and status',
    expr: 'R.attr.tenant == P.attr.tenant && R.attr.status in ["draft", "review"]',
    sql: "tenant = 't3' AND status IN ('draft', 'review')",
  },
  {
    name: 'tenant and owner or shared',
    expr: 'R.attr.tenant == P.attr.tenant && (R.attr.owner == P.id || R.attr.shared)',
    sql: "tenant = 't3' AND (owner = 'u7' OR shared)",
  },
  {
    name: 'another status',
    expr: 'R.attr.tenant == P.attr.tenant && R.attr.status != "archived"',
    sql: "tenant = 't3' AND status <> 'archived'",
  },
  {
    name: 'none of some statuses',
    expr: 'R.attr.tenant == P.attr.tenant && !(R.attr.status in ["archived", "deleted"])',
    sql: "tenant = 't3' AND status NOT IN ('archived', 'deleted')",
  },
  {
    name: 'a boolean',
    expr: 'R.attr.owner == P.id && !R.attr.shared',
    sql: "owner = 'u7' AND NOT shared",
  },
  {
    name: 'absence',
    expr: 'R.attr.tenant == P.attr.tenant && (!has(R.attr.assignee) || R.attr.assignee == P.id)',
    sql: "tenant = 't3' AND (assignee IS NULL OR assignee = 'u7')",
  },
  { name: 'a range', expr: 'R.attr.amount >= 100 && R.attr.amount < 110', sql: 'amount >= 100 AND amount < 110' },
  { name: 'arithmetic', expr: 'R.attr.amount * 2.0 < 9.0', sql: 'amount < 4.5' },
  { name: 'the whole of a number', expr: 'int(R.attr.price) == 7', sql: 'price >= 7 AND price < 8' },
  { name: 'an absolute value', expr: 'math.abs(R.attr.amount) < 5.0', sql: 'amount > -5 AND amount < 5' },
  {
    name: 'a prefix',
    expr: 'R.attr.path.startsWith("a.77.")',
    sql: "starts_with(path, 'a.77.')",
    mysql: "path LIKE 'a.77.%'",
  },
  {
    name: 'prefixes of a string',
    expr: 'P.attr.path.startsWith(R.attr.path)',
    sql: "path IN ('a', 'a.', 'a.7', 'a.7.', 'a.7.b', 'a.7.b.', 'a.7.b.3', 'a.7.b.3.', 'a.7.b.3.c')",
  },
  {
    name: 'below in a hierarchy',
    expr: 'hierarchy(R.attr.path).descendentOf(hierarchy("a.77.b"))',
    sql: "starts_with(path, 'a.77.b.')",
    mysql: "path LIKE 'a.77.b.%'",
  },
  {
    name: 'above in a hierarchy',
    expr: 'hierarchy(R.attr.path).ancestorOf(hierarchy(P.attr.path))',
    sql: "path IN ('a', 'a.7', 'a.7.b', 'a.7.b.3')",
  },
  {
    name: 'a string put together',
    expr: '"user:" + R.attr.owner in ["user:u8", "user:u9"]',
    sql: "owner IN ('u8', 'u9')",
  },
  {
    name: 'recent',
    expr: 'now() - timestamp(R.attr.createdAt) < duration("1h")',
    sql: "created_at > '2024-06-15T11:00:00Z'",
    mysql: "created_at > '2024-06-15 11:00:00'",
  },
  {
    name: 'a year',
    expr: 'timestamp(R.attr.createdAt).getFullYear() == 2021',
    sql: "created_at >= '2021-01-01T00:00:00Z' AND created_at < '2022-01-01T00:00:00Z'",
    mysql: "created_at >= '2021-01-01 00:00:00' AND created_at < '2022-01-01 00:00:00'",
  },
  {
    name: 'not expired',
    expr: 'R.attr.owner == P.id && (!has(R.attr.expiresAt) || timestamp(R.attr.expiresAt) > now())',
    sql: "owner = 'u7' AND (expires_at IS NULL OR expires_at > '2024-06-15T12:00:00Z')",
    mysql: "owner = 'u7' AND (expires_at IS NULL OR expires_at > '2024-06-15 12:00:00')",
  },
  {
    name: 'a related row',
    expr: 'R.attr.shares.exists(s, s.user == P.id)',
    sql: "id IN (SELECT document_id FROM shares WHERE user_id = 'u7')",
    mysql: null,
  },
  {
    name: 'owner or a related row',
    expr: 'R.attr.owner == P.id || R.attr.shares.exists(s, s.user == P.id && s.role == "editor")',
    sql: "owner = 'u7' OR id = ANY (ARRAY(SELECT document_id FROM shares WHERE user_id = 'u7' AND role = 'editor'))",
    mysql: null,
  },
  {
    name: 'tenant without a related row',
    expr: 'R.attr.tenant == P.attr.tenant && !R.attr.shares.exists(s, s.user == P.id)',
    sql: "tenant = 't3' AND NOT EXISTS (SELECT 1 FROM shares WHERE document_id = documents.id AND user_id = 'u7')",
  },
  {
    name: 'the row above',
    expr: 'R.attr.folder.owner == P.id',
    sql: "folder_id IN (SELECT id FROM folders WHERE owner_id = 'u7')",
    mysql: null,
  },
  {
    name: 'owner or the row above',
    expr: 'R.attr.owner == P.id || R.attr.folder.owner == P.id',
    sql: "owner = 'u7' OR folder_id = ANY (ARRAY(SELECT id FROM folders WHERE owner_id = 'u7'))",
    mysql: null,
  },
  {
    name: 'folders in folders',
    expr: 'R.attr.ancestors.exists(f, f.owner == P.id)',
    sql: `folder_id IN (${FOLDERS_OF('u7')})`,
    mysql: null,
  },
  {
    name: 'an element of a list',
    expr: '"x7" in R.attr.tags',
    sql: `tags @> '["x7"]'`,
    mysql: null,
  },
  {
    name: 'owner or an element of a list',
    expr: 'R.attr.owner == P.id || hasIntersection(R.attr.tags, ["x7", "x8"])',
    sql: `owner = 'u7' OR tags @> '["x7"]' OR tags @> '["x8"]'`,
    mysql: null,
  },
  {
    name: 'one of many',
    expr: 'R.attr.owner in P.attr.many',
    sql: `owner IN (${PRINCIPAL.attr.many.map((one) => `'${one}'`).join(', ')})`,
  },
  {
    name: 'but not what a rule denies',
    expr: 'R.attr.tenant == P.attr.tenant',
    deny: 'R.attr.status == "deleted" && R.attr.owner != P.id',
    sql: "tenant = 't3' AND NOT (status = 'deleted' AND owner <> 'u7')",
  },
  {
    name: 'a page',
    expr: 'R.attr.tenant == P.attr.tenant && (R.attr.owner == P.id || R.attr.shared || R.id in P.attr.ids)',
    sql: "tenant = 't3' AND (owner = 'u7' OR shared OR id IN ('d5', 'd50', 'd500'))",
    page: " AND id > 'd5' ORDER BY id LIMIT 20",
  },
];

export const TABLE: SqlTable = {
  name: 'documents',
  id: { column: 'id', type: 'text', null: 'never' },
  columns: {
    tenant: { column: 'tenant', type: 'text', null: 'never' },
    owner: { column: 'owner', type: 'text', null: 'never' },
    assignee: { column: 'assignee', type: 'text' },
    status: { column: 'status', type: 'text', null: 'never' },
    shared: { column: 'shared', type: 'boolean', null: 'never' },
    amount: { column: 'amount', type: 'integer', null: 'never' },
    price: { column: 'price', type: 'number', null: 'never' },
    path: { column: 'path', type: 'text', null: 'never', collation: 'binary' },
    createdAt: { column: 'created_at', type: 'timestamp', null: 'never' },
    expiresAt: { column: 'expires_at', type: 'timestamp' },
    tags: { column: 'tags', type: 'list', null: 'never' },
    shares: {
      relation: 'many',
      table: 'shares',
      on: { document_id: 'id' },
      columns: { user: { column: 'user_id', type: 'text', null: 'never' }, role: { column: 'role', type: 'text' } },
    },
    folder: {
      relation: 'one',
      table: 'folders',
      on: { id: 'folder_id' },
      unique: true,
      columns: { owner: { column: 'owner_id', type: 'text' } },
    },
    ancestors: {
      relation: 'many',
      table: 'folders',
      on: { id: 'folder_id' },
      closure: { id: 'parent_id' },
      columns: { owner: { column: 'owner_id', type: 'text' } },
    },
  },
};

export const INDEXES: readonly string[] = [
  'CREATE INDEX documents_owner ON documents (owner)',
  'CREATE INDEX documents_tenant ON documents (tenant, id)',
  'CREATE INDEX documents_amount ON documents (amount)',
  'CREATE INDEX documents_price ON documents (price)',
  'CREATE INDEX documents_path ON documents (path)',
  'CREATE INDEX documents_created ON documents (created_at)',
  'CREATE INDEX documents_folder ON documents (folder_id)',
  'CREATE INDEX shares_user ON shares (user_id)',
  'CREATE INDEX shares_document ON shares (document_id)',
  'CREATE INDEX folders_owner ON folders (owner_id)',
  'CREATE INDEX folders_parent ON folders (parent_id)',
];
