import type { SqlTable } from '../../runtime/residual/sql/index.js';

/** The table of the examples. */
export const CONTACTS: SqlTable = {
  name: 'contacts',
  id: { column: 'id', type: 'text' },
  columns: {
    ownerId: { column: 'owner_id', type: 'text' },
    dept: { column: 'dept', type: 'text', null: 'null' },
    code: { column: 'code', type: 'text', collation: 'binary' },
    nick: { column: 'nick', type: 'text', collation: 'other' },
    amount: { column: 'amount', type: 'integer' },
    price: { column: 'price', type: 'number' },
    shared: { column: 'shared', type: 'boolean' },
    created: { column: 'created', type: 'timestamp' },
    tags: { column: 'tags', type: 'list' },
    meta: { column: 'meta', type: 'json' },
    order: { column: 'order', type: 'text' },
  },
};

/** The SQL of each dialect by condition. */
export const TEXTS_BY_CONDITION: {
  readonly [expr: string]: {
    readonly sqlite: string;
    readonly postgresql: string;
    readonly mysql: string;
    readonly parameters: readonly unknown[];
  };
} = {
  'R.attr.ownerId == P.id': {
    sqlite: 'contacts.owner_id = ?',
    postgresql: 'contacts.owner_id = $1',
    mysql: 'contacts.owner_id = ? AND CAST(contacts.owner_id AS BINARY) = CAST(? AS BINARY)',
    parameters: ['u1'],
  },
  'P.id == R.attr.ownerId': {
    sqlite: 'contacts.owner_id = ?',
    postgresql: 'contacts.owner_id = $1',
    mysql: 'contacts.owner_id = ? AND CAST(contacts.owner_id AS BINARY) = CAST(? AS BINARY)',
    parameters: ['u1'],
  },
  'R.attr.ownerId != P.id': {
    sqlite: 'contacts.owner_id <> ?',
    postgresql: 'contacts.owner_id <> $1',
    mysql: 'CAST(contacts.owner_id AS BINARY) <> CAST(? AS BINARY)',
    parameters: ['u1'],
  },
  '!(R.attr.ownerId == P.id)': {
    sqlite: 'contacts.owner_id <> ?',
    postgresql: 'contacts.owner_id <> $1',
    mysql: 'CAST(contacts.owner_id AS BINARY) <> CAST(? AS BINARY)',
    parameters: ['u1'],
  },
  'R.attr.order == "x"': {
    sqlite: 'contacts."order" = ?',
    postgresql: 'contacts."order" = $1',
    mysql: 'contacts.`order` = ? AND CAST(contacts.`order` AS BINARY) = CAST(? AS BINARY)',
    parameters: ['x'],
  },
  'R.attr.ownerId in ["a", "b"]': {
    sqlite: 'contacts.owner_id IN (?, ?)',
    postgresql: 'contacts.owner_id IN ($1, $2)',
    mysql:
      'contacts.owner_id IN (?, ?) AND CAST(contacts.owner_id AS BINARY) IN (CAST(? AS BINARY), CAST(? AS BINARY))',
    parameters: ['a', 'b'],
  },
  'R.attr.code in ["a", "b"]': {
    sqlite: 'contacts.code IN (?, ?)',
    postgresql: 'contacts.code IN ($1, $2)',
    mysql: 'contacts.code IN (?, ?)',
    parameters: ['a', 'b'],
  },
  'R.attr.code == "x"': {
    sqlite: 'contacts.code = ?',
    postgresql: 'contacts.code = $1',
    mysql: 'contacts.code = ?',
    parameters: ['x'],
  },
  'R.attr.nick == "x"': {
    sqlite: 'contacts.nick = ? AND contacts.nick COLLATE BINARY = ?',
    postgresql: 'contacts.nick = $1 AND contacts.nick::text COLLATE "C" = $2',
    mysql: 'contacts.nick = ? AND CAST(contacts.nick AS BINARY) = CAST(? AS BINARY)',
    parameters: ['x', 'x'],
  },
  'R.attr.dept == "x"': {
    sqlite: 'contacts.dept = ?',
    postgresql: 'contacts.dept = $1',
    mysql: 'contacts.dept = ? AND CAST(contacts.dept AS BINARY) = CAST(? AS BINARY)',
    parameters: ['x'],
  },
  'R.attr.dept != "x"': {
    sqlite: '(contacts.dept IS NULL OR contacts.dept <> ?)',
    postgresql: '(contacts.dept IS NULL OR contacts.dept <> $1)',
    mysql: '(contacts.dept IS NULL OR CAST(contacts.dept AS BINARY) <> CAST(? AS BINARY))',
    parameters: ['x'],
  },
  'R.attr.dept == null': {
    sqlite: 'contacts.dept IS NULL',
    postgresql: 'contacts.dept IS NULL',
    mysql: 'contacts.dept IS NULL',
    parameters: [],
  },
  'R.attr.dept == R.attr.ownerId': {
    sqlite: 'contacts.dept = contacts.owner_id',
    postgresql: 'contacts.dept::text COLLATE "C" = contacts.owner_id::text COLLATE "C"',
    mysql: 'CAST(contacts.dept AS BINARY) = CAST(contacts.owner_id AS BINARY)',
    parameters: [],
  },
  'R.attr.amount < 2.5': {
    sqlite: 'contacts.amount <= ?',
    postgresql: 'contacts.amount <= $1::bigint',
    mysql: 'contacts.amount <= ?',
    parameters: [2],
  },
  '2.5 <= R.attr.amount': {
    sqlite: 'contacts.amount >= ?',
    postgresql: 'contacts.amount >= $1::bigint',
    mysql: 'contacts.amount >= ?',
    parameters: [3],
  },
  'R.attr.amount == 2.5': {
    sqlite: '1 = 0',
    postgresql: '1 = 0',
    mysql: '1 = 0',
    parameters: [],
  },
  'R.attr.amount >= 9007199254740992.0': {
    sqlite: 'CAST(contacts.amount AS REAL) >= ?',
    postgresql: 'contacts.amount::float8 >= $1::float8',
    mysql: '(contacts.amount + 0e0) >= ?',
    parameters: [9007199254740992],
  },
  'R.attr.amount == R.attr.price': {
    sqlite: 'CAST(contacts.amount AS REAL) = contacts.price',
    postgresql: 'contacts.amount::float8 = contacts.price',
    mysql: '(contacts.amount + 0e0) = contacts.price',
    parameters: [],
  },
  'R.attr.amount == R.attr.ownerId': {
    sqlite: '1 = 0',
    postgresql: '1 = 0',
    mysql: '1 = 0',
    parameters: [],
  },
  'R.attr.price * 1.2 < 100.0': {
    sqlite: 'contacts.price <= ?',
    postgresql: "contacts.price <= $1::float8 AND contacts.price < 'NaN'",
    mysql: 'contacts.price <= ?',
    parameters: [83.33333333333333],
  },
  'R.attr.shared': {
    sqlite: 'contacts.shared = 1',
    postgresql: 'contacts.shared',
    mysql: 'contacts.shared = 1',
    parameters: [],
  },
  '!R.attr.shared': {
    sqlite: 'contacts.shared = 0',
    postgresql: 'NOT contacts.shared',
    mysql: 'contacts.shared = 0',
    parameters: [],
  },
  'R.attr.shared || R.attr.ownerId == P.id': {
    sqlite: '(contacts.shared = 1 OR contacts.owner_id = ?)',
    postgresql: '(contacts.shared OR contacts.owner_id = $1)',
    mysql: '(contacts.shared = 1 OR (contacts.owner_id = ? AND CAST(contacts.owner_id AS BINARY) = CAST(? AS BINARY)))',
    parameters: ['u1'],
  },
  'timestamp(R.attr.created) > timestamp("2020-01-01T02:00:00+02:00")': {
    sqlite:
      "contacts.created > ? AND contacts.created >= '0001' AND contacts.created = strftime('%Y-%m-%dT%H:%M:%fZ', contacts.created, '+0 days')",
    postgresql:
      "contacts.created > $1::timestamptz AND contacts.created BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00'",
    mysql:
      "contacts.created > CAST(? AS DATETIME(6)) AND contacts.created >= '0001-01-01' AND DAYOFMONTH(contacts.created) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(contacts.created))",
    parameters: ['2020-01-01T00:00:00.000000Z'],
  },
  'timestamp(R.attr.created) < timestamp("2020-01-01T00:00:00.0000005Z")': {
    sqlite:
      "contacts.created <= ? AND contacts.created >= '0001' AND contacts.created = strftime('%Y-%m-%dT%H:%M:%fZ', contacts.created, '+0 days')",
    postgresql:
      "contacts.created <= $1::timestamptz AND contacts.created BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00'",
    mysql:
      "contacts.created <= CAST(? AS DATETIME(6)) AND contacts.created >= '0001-01-01' AND DAYOFMONTH(contacts.created) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(contacts.created))",
    parameters: ['2020-01-01T00:00:00.000000Z'],
  },
  '"x" in R.attr.tags': {
    sqlite:
      "EXISTS (SELECT 1 FROM json_each(CASE json_type(contacts.tags) WHEN 'array' THEN contacts.tags END) AS authz_1 WHERE authz_1.type = 'text' AND authz_1.value = ?)",
    postgresql: "contacts.tags @> to_jsonb($1::text) AND jsonb_typeof(contacts.tags) = 'array'",
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: ['x'],
  },
  '!("x" in R.attr.tags)': {
    sqlite:
      "json_type(contacts.tags) = 'array' AND NOT EXISTS (SELECT 1 FROM json_each(CASE json_type(contacts.tags) WHEN 'array' THEN contacts.tags END) AS authz_1 WHERE authz_1.type = 'text' AND authz_1.value = ?)",
    postgresql: "(contacts.tags @> to_jsonb($1::text)) IS NOT TRUE AND jsonb_typeof(contacts.tags) = 'array'",
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: ['x'],
  },
  'R.attr.tags.exists(t, t == "x")': {
    sqlite:
      "EXISTS (SELECT 1 FROM json_each(CASE json_type(contacts.tags) WHEN 'array' THEN contacts.tags END) AS authz_1 WHERE authz_1.type = 'text' AND authz_1.value = ?)",
    postgresql: "contacts.tags @> to_jsonb($1::text) AND jsonb_typeof(contacts.tags) = 'array'",
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: ['x'],
  },
  'R.attr.tags.all(t, t.startsWith("a"))': {
    sqlite:
      "json_type(contacts.tags) = 'array' AND NOT EXISTS (SELECT 1 FROM json_each(CASE json_type(contacts.tags) WHEN 'array' THEN contacts.tags END) AS authz_1 WHERE (CASE WHEN authz_1.type = 'text' THEN authz_1.value END GLOB ?) IS NOT TRUE)",
    postgresql:
      "jsonb_typeof(contacts.tags) = 'array' AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(CASE jsonb_typeof(contacts.tags) WHEN 'array' THEN contacts.tags END) WITH ORDINALITY AS authz_1 WHERE (starts_with(CASE WHEN jsonb_typeof(authz_1.value) = 'string' THEN authz_1.value #>> '{}' END, $1)) IS NOT TRUE)",
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: ['a'],
  },
  'R.attr.meta.a.b == "x"': {
    sqlite: "json_type(contacts.meta, '$.a.b') = 'text' AND json_extract(contacts.meta, '$.a.b') = ?",
    postgresql: "((contacts.meta -> 'a') -> 'b') = to_jsonb($1::text)",
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: ['x'],
  },
  'R.attr.meta.a.n > 3': {
    sqlite:
      "CASE WHEN json_type(contacts.meta, '$.a.n') IN ('integer', 'real') THEN CAST(json_extract(contacts.meta, '$.a.n') AS REAL) END > ?",
    postgresql:
      "CASE WHEN jsonb_typeof(((contacts.meta -> 'a') -> 'n')) = 'number' THEN CASE WHEN ((contacts.meta -> 'a') -> 'n') > '1.79769313486231580793e308' THEN 'Infinity' WHEN ((contacts.meta -> 'a') -> 'n') < '-1.79769313486231580793e308' THEN '-Infinity' WHEN ((contacts.meta -> 'a') -> 'n') BETWEEN '-2.4703282292062327209e-324' AND '2.4703282292062327209e-324' THEN 0 ELSE ((contacts.meta -> 'a') -> 'n')::float8 END END > $1::float8",
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: [3],
  },
  'R.attr.meta["a b"] == true': {
    sqlite: "json_type(contacts.meta, ?) = 'true'",
    postgresql: '(contacts.meta -> $1::text) = to_jsonb($2::boolean)',
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: ['a b', true],
  },
  'R.attr.ownerId.startsWith("a%*")': {
    sqlite: 'contacts.owner_id GLOB ?',
    postgresql: 'starts_with(contacts.owner_id, $1)',
    mysql:
      "contacts.owner_id LIKE ? ESCAPE '|' AND LEFT(CAST(contacts.owner_id AS BINARY), LENGTH(CAST(? AS BINARY))) = CAST(? AS BINARY)",
    parameters: ['a%*'],
  },
  'R.attr.ownerId.endsWith("b")': {
    sqlite: "ifnull(substr(CAST(contacts.owner_id AS BLOB), -length(CAST(? AS BLOB))), x'') = CAST(? AS BLOB)",
    postgresql: 'right(contacts.owner_id, length($1)) = $2',
    mysql: 'RIGHT(CAST(contacts.owner_id AS BINARY), LENGTH(CAST(? AS BINARY))) = CAST(? AS BINARY)',
    parameters: ['b', 'b'],
  },
  'R.attr.ownerId.contains("_")': {
    sqlite: 'instr(contacts.owner_id, ?) > 0',
    postgresql: 'strpos(contacts.owner_id, $1) > 0',
    mysql: 'LOCATE(CAST(? AS BINARY), CAST(contacts.owner_id AS BINARY)) > 0',
    parameters: ['_'],
  },
  'R.attr.ownerId < "m"': {
    sqlite: 'contacts.owner_id < ?',
    postgresql: 'contacts.owner_id::text COLLATE "C" < $1',
    mysql: 'CAST(contacts.owner_id AS BINARY) < CAST(? AS BINARY)',
    parameters: ['m'],
  },
  'R.attr.code < "m"': {
    sqlite: 'contacts.code < ?',
    postgresql: 'contacts.code < $1',
    mysql: 'contacts.code < ?',
    parameters: ['m'],
  },
  'size(R.attr.tags) > 2': {
    sqlite:
      "CASE json_type(contacts.tags) WHEN 'array' THEN json_array_length(contacts.tags) WHEN 'object' THEN (SELECT count(*) FROM json_each(json_extract(contacts.tags, '$')) AS authz_1) WHEN 'text' THEN CASE WHEN instr(CASE WHEN json_type(contacts.tags) = 'text' THEN json_extract(contacts.tags, '$') END, char(0)) = 0 THEN length(CASE WHEN json_type(contacts.tags) = 'text' THEN json_extract(contacts.tags, '$') END) ELSE (WITH RECURSIVE authz_1(\"rest\", \"counted\") AS (SELECT CAST(CASE WHEN json_type(contacts.tags) = 'text' THEN json_extract(contacts.tags, '$') END AS BLOB), 0 UNION ALL SELECT substr(\"rest\", instr(\"rest\", x'00') + 1), \"counted\" + length(CAST(substr(\"rest\", 1, instr(\"rest\", x'00') - 1) AS TEXT)) + 1 FROM authz_1 WHERE instr(\"rest\", x'00') > 0) SELECT \"counted\" + length(CAST(\"rest\" AS TEXT)) FROM authz_1 WHERE instr(\"rest\", x'00') = 0) END END > ?",
    postgresql:
      "CASE jsonb_typeof(contacts.tags) WHEN 'array' THEN jsonb_array_length(contacts.tags) WHEN 'object' THEN (SELECT count(*) FROM jsonb_object_keys(contacts.tags)) WHEN 'string' THEN char_length(contacts.tags #>> '{}') END > $1::bigint",
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: [2],
  },
  'has(R.attr.ownerId)': {
    sqlite: 'contacts.owner_id IS NOT NULL',
    postgresql: 'contacts.owner_id IS NOT NULL',
    mysql: 'contacts.owner_id IS NOT NULL',
    parameters: [],
  },
  '!has(R.attr.ownerId)': {
    sqlite: 'contacts.owner_id IS NULL',
    postgresql: 'contacts.owner_id IS NULL',
    mysql: 'contacts.owner_id IS NULL',
    parameters: [],
  },
  'has(R.attr.dept)': {
    sqlite: '1 = 1',
    postgresql: '1 = 1',
    mysql: '1 = 1',
    parameters: [],
  },
  'hasIntersection(R.attr.tags, ["a", "b"])': {
    sqlite:
      "EXISTS (SELECT 1 FROM json_each(CASE json_type(contacts.tags) WHEN 'array' THEN contacts.tags END) AS authz_1 WHERE CASE WHEN authz_1.type = 'text' THEN authz_1.value END IN (?, ?))",
    postgresql:
      "(contacts.tags @> to_jsonb($1::text) OR contacts.tags @> to_jsonb($2::text)) AND jsonb_typeof(contacts.tags) = 'array'",
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: ['a', 'b'],
  },
  '(R.attr.shared ? R.attr.amount : 3) > 2': {
    sqlite: '((contacts.shared = 1 AND contacts.amount > ?) OR contacts.shared = 0)',
    postgresql: '((contacts.shared AND contacts.amount > $1::bigint) OR NOT contacts.shared)',
    mysql: '((contacts.shared = 1 AND contacts.amount > ?) OR contacts.shared = 0)',
    parameters: [2],
  },
  'R.attr.amount + 1.0 == 5.0': {
    sqlite: 'contacts.amount IS NOT NULL AND contacts.amount >= ? AND contacts.amount <= ?',
    postgresql: 'contacts.amount IS NOT NULL AND contacts.amount >= $1::bigint AND contacts.amount <= $2::bigint',
    mysql: 'contacts.amount IS NOT NULL AND contacts.amount >= ? AND contacts.amount <= ?',
    parameters: [4, 4],
  },
  '(R.attr.shared ? R.attr.amount : R.attr.price) + 1.0 > 2.0': {
    sqlite: '((contacts.shared = 1 AND contacts.amount >= ?) OR (contacts.shared = 0 AND contacts.price > ?))',
    postgresql:
      "((contacts.shared AND contacts.amount >= $1::bigint) OR (NOT contacts.shared AND contacts.price > $2::float8 AND contacts.price < 'NaN'))",
    mysql: '((contacts.shared = 1 AND contacts.amount >= ?) OR (contacts.shared = 0 AND contacts.price > ?))',
    parameters: [2, 1.0000000000000002],
  },
  'timestamp(R.attr.amount) < timestamp("2020-01-01T00:00:00Z")': {
    sqlite: '1 = 0',
    postgresql: '1 = 0',
    mysql: '1 = 0',
    parameters: [],
  },
  'R.attr.created == R.attr.meta.x': {
    sqlite: 'refused: a timestamp compared with a value of a JSON document',
    postgresql: 'refused: a timestamp compared with a value of a JSON document',
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: [],
  },
  'R.attr.meta.x < dyn(null)': {
    sqlite: '1 = 0',
    postgresql: '1 = 0',
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: [],
  },
  'R.attr.meta.x < dyn(["a"])': {
    sqlite: '1 = 0',
    postgresql: '1 = 0',
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: [],
  },
  'R.attr.meta.x >= dyn({"a": 1})': {
    sqlite: '1 = 0',
    postgresql: '1 = 0',
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: [],
  },
  'R.attr.meta.x in ["a", "b"]': {
    sqlite: "CASE WHEN json_type(contacts.meta, '$.x') = 'text' THEN json_extract(contacts.meta, '$.x') END IN (?, ?)",
    postgresql: "(contacts.meta -> 'x') IN (to_jsonb($1::text), to_jsonb($2::text))",
    mysql: 'refused: a JSON document or a list, which is not rendered for MySQL',
    parameters: ['a', 'b'],
  },
  'has(R.attr.ownerId.x)': {
    sqlite: '1 = 0',
    postgresql: '1 = 0',
    mysql: '1 = 0',
    parameters: [],
  },
  '!has(R.attr.ownerId.x)': {
    sqlite: 'contacts.owner_id IS NOT NULL',
    postgresql: 'contacts.owner_id IS NOT NULL',
    mysql: 'contacts.owner_id IS NOT NULL',
    parameters: [],
  },
  'R.id == "r"': {
    sqlite: 'contacts.id = ?',
    postgresql: 'contacts.id = $1',
    mysql: 'contacts.id = ? AND CAST(contacts.id AS BINARY) = CAST(? AS BINARY)',
    parameters: ['r'],
  },
};
