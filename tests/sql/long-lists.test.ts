import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Filter, Operand } from '../../runtime/residual/filters.js';
import { selects } from '../../runtime/residual/index.js';
import { renderSql, type SqlTable } from '../../runtime/residual/sql/index.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

const TABLE: SqlTable = {
  name: 'things',
  id: { column: 'id', type: 'text' },
  columns: {
    name: { column: 'name', type: 'text' },
    nick: { column: 'nick', type: 'text', collation: 'other', null: 'null' },
    kind: { column: 'kind', type: 'text' },
    key: { column: 'key', type: 'text' },
    n: { column: 'n', type: 'integer' },
    m: { column: 'm', type: 'number', null: 'null' },
    meta: { column: 'meta', type: 'json' },
    tags: { column: 'tags', type: 'list' },
  },
};

/** Strings in which separators, quotes and other characters of array literals occur. */
const TEXTS = ['', ',', 'a,b', '"', '{}', '\\', "'", 'NULL', 'null', ' ', 'é', 'K1', 'k1', 'a\u001fb', '\u001e', 'x'];
const PRIVATE = [',', '\u001f', '\u001e', '\u001d', '\u001c', '\ue000', '\ue001', '\uf8ff'];
const FILLER = Array.from({ length: 200 }, (_, index) => `filler-${index}`);
const KEYS = [1, 2, 3].map((digit) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`);

const LISTS: { readonly [name: string]: readonly (string | number | boolean | null)[] } = {
  'few separators': [...FILLER, 'k1', 'x', '', 'a'],
  'some separators': [...FILLER, ...TEXTS.filter((_, index) => index % 2 === 0)],
  'all separators': [...FILLER, ...TEXTS, ...PRIVATE],
  NUL: [...FILLER, 'x\0', 'x'],
  numbers: [...FILLER.keys(), 2.5, -0, 1e21, 2 ** 53, -1],
  'several types': [...FILLER, ...FILLER.keys(), 'x', 3, 2.5, true, null],
  enumeration: [...Array.from({ length: 200 }, () => 'draft'), 'final'],
  keys: [...Array.from({ length: 200 }, () => KEYS[0] as string), KEYS[1] as string],
};

const test = suite('long lists of constants');

test('a list of any length is read a fixed number of times', () => {
  const list = Array.from({ length: 200_000 }, (_, index) => `user-${index}`);
  for (const operator of ['in', 'not']) {
    const condition = operator === 'in' ? isIn('name', list) : not(isIn('name', list));
    const rendered = renderSql(conditional(condition), TABLE, { dialect: 'postgresql' });
    assert.ok(rendered.kind === 'sql');
    assert.is(rendered.parameters.length, 2);
    assert.is(renderSql(conditional(condition), TABLE, { dialect: 'sqlite' }).kind, 'refused');
  }
});

test('PostgreSQL selects what check allows', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query("CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
    await client.query("CREATE TYPE kind AS ENUM ('draft', 'final', 'other')");
    await client.query(
      'CREATE TABLE things (id text, name text, nick text COLLATE nocase, kind kind, key uuid, n bigint, m double precision, meta jsonb, tags jsonb)',
    );
    const rows = [...TEXTS, ...PRIVATE, null].map((text, index) => ({
      id: `i${index}`,
      name: text,
      nick: text,
      kind: ['draft', 'final', 'other', null][index % 4] ?? null,
      key: [...KEYS, null][index % 4] ?? null,
      n: index % 5 === 0 ? null : index - 1,
      m: [1, 2.5, null, -0, 1e21][index % 5] ?? null,
      meta: index % 3 === 0 ? null : { a: index % 3 === 1 ? text : index },
      tags: index % 4 === 0 ? null : [text, index],
    }));
    for (const { id, name, nick, kind, key, n, m, meta, tags } of rows)
      await client.query('INSERT INTO things VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
        ...[id, name, nick, kind, key, n, m],
        ...[meta, tags].map((one) => one && JSON.stringify(one)),
      ]);
    let selected = 0;
    for (const [named, list] of Object.entries(LISTS))
      for (const attribute of attributesFor(named)) {
        const isAmong = isIn(attribute, list);
        for (const condition of [isAmong, not(isAmong), call('unless', isAmong)]) {
          const filter = conditional(condition);
          const rendered = renderSql(filter, TABLE, { dialect: 'postgresql' });
          assert.ok(rendered.kind === 'sql');
          const isOneType = !/several|NUL/.test(named);
          assert.ok(
            !isOneType || named === 'all separators' || rendered.parameters.length <= 4,
            `${named} ${attribute}`,
          );
          const { rows: found } = await client.query(
            `SELECT id FROM things WHERE ${rendered.text}`,
            rendered.parameters,
          );
          const expected = rows.filter(({ id, nick, m, ...others }) =>
            selects(filter, { id, attr: { ...present(others), nick, m } }),
          );
          selected += expected.length;
          assert.equal(
            found.map((row) => row['id']).sort(),
            expected.map(({ id }) => id).sort(),
            `${named}: ${attribute}: ${rendered.text}`,
          );
        }
      }
    assert.ok(selected > 300, `the lists select too little: ${selected}`);
  } finally {
    await cluster.stop();
  }
});

test.run();

/** A column of another type than text accepts its own values only. */
function attributesFor(list: string): readonly string[] {
  if (list === 'enumeration') return ['kind'];
  if (list === 'keys') return ['key'];
  return ['name', 'nick', 'n', 'm', 'meta.a', 'tags'];
}

function isIn(attribute: string, list: readonly (string | number | boolean | null)[]): Operand {
  const variable = { variable: `request.resource.attr.${attribute}` };
  return attribute === 'tags'
    ? call('hasIntersection', variable, { value: list })
    : call('in', variable, { value: list });
}

function not(operand: Operand): Operand {
  return call('not', operand);
}

function call(operator: string, ...operands: readonly Operand[]): Operand {
  return { expression: { operator, operands } };
}

function conditional(condition: Operand): Filter {
  return { kind: 'KIND_CONDITIONAL', condition };
}

function present(fields: { readonly [name: string]: unknown }): { readonly [name: string]: unknown } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
