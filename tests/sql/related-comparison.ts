import * as assert from 'uvu/assert';
import { createEngine, type Engine, type PlanRequest } from '../../runtime/engine/index.js';
import { filterText, FLAT, type Writing } from '../../runtime/residual/index.js';
import {
  renderSql,
  type SqlCondition,
  type SqlDialect,
  type SqlOptions,
  type SqlTable,
} from '../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { Random } from '../support/oracle/random.js';
import { documents, randomStore, type StoredTable, type Subject } from './related-tables.js';

/** A database that holds a store. */
export interface RelatedDatabase {
  readonly dialect: SqlDialect;
  /** Replaces all tables. */
  fill(tables: readonly StoredTable[]): Promise<void>;
  /** The positions of the documents that a condition selects. */
  select(condition: SqlCondition & { readonly kind: 'sql' }): Promise<ReadonlySet<number>>;
}

export interface Extent {
  readonly seed: number;
  readonly stores: number;
  /** Documents in a store. */
  readonly size: number;
  /** The number of random conditions, beside the ATOMS. */
  readonly conditions: number;
}

const WRITINGS: { readonly [name: string]: Writing } = { guarded: FLAT, exact: { shapes: 'flat', nots: 'exact' } };

/** What is compared: the table of documents, random stores, and conditions that combinations are made of. */
export interface Related {
  readonly table: SqlTable;
  readonly atoms: readonly string[];
  readonly randomStore: typeof randomStore;
  readonly randomCondition: (random: Random, atoms: readonly string[], depth: number) => string;
  readonly options?: Pick<SqlOptions, 'closures'>;
  /** What renders the conditions; that of the tree without it. */
  readonly render?: typeof renderSql;
}

/** Documents with owners, folders, shares and tags. */
function relatedDocuments(dialect: SqlDialect): Related {
  const atoms = dialect === 'mysql' ? ATOMS : [...ATOMS, ...DOCUMENT_ATOMS];
  return { table: documents(dialect), atoms, randomStore, randomCondition };
}

/**
 * Compares conditions over related tables and timestamps in documents with check, over random stores: each condition
 * allows, allows as `none`, and denies.
 */
export async function compareRelated(
  database: RelatedDatabase,
  extent: Extent,
  related = relatedDocuments(database.dialect),
): Promise<void> {
  const { dialect } = database;
  const { atoms, table } = related;
  const random = new Random(extent.seed);
  const randoms = Array.from({ length: extent.conditions }, () => related.randomCondition(random, atoms, 3));
  const conditions = [...atoms, ...randoms];
  const { policies } = await loaded(compileTexts({ 'p.yaml': policyOf(conditions) }));
  const engines = Object.entries(WRITINGS).map(([name, plan]) => [name, createEngine(policies, { plan })] as const);
  const principal = { id: 'u1', roles: ['user'], attr: { names: ['x', 'u1'], name: 'x' } };
  const counts = { rendered: 0, selected: 0, of: 0, reasons: new Map<string, number>() };
  const wrong: string[] = [];
  for (let store = 0; store < extent.stores; store += 1) {
    const { tables, subjects } = related.randomStore(random, dialect, extent.size);
    await database.fill(tables);
    for (const [index, expr] of conditions.entries()) {
      for (const place of ['allow', 'none', 'deny']) {
        const request: PlanRequest = { principal, resource: { kind: 'document' }, actions: [`${place}${index}`] };
        const allowed = decisions(engines[0]?.[1] as Engine, request, subjects);
        for (const [writing, engine] of engines) {
          const { filter } = engine.plan(request);
          const rendered = (related.render ?? renderSql)(filter, table, { dialect, ...related.options });
          if (rendered.kind === 'refused') {
            for (const { operator, reason } of rendered.problems)
              counts.reasons.set(`${operator}: ${reason}`, (counts.reasons.get(`${operator}: ${reason}`) ?? 0) + 1);
            continue;
          }
          counts.rendered += 1;
          const selected = await database.select(rendered).catch((error: unknown) => error as Error);
          const problems =
            selected instanceof Error
              ? [`the statement fails: ${selected.message}`]
              : differences(subjects, allowed, selected);
          counts.of += subjects.length;
          counts.selected += selected instanceof Error ? 0 : selected.size;
          for (const problem of problems)
            wrong.push(
              [`${problem}: ${expr}, ${place}, ${writing}, store ${store}`, filterText(filter), rendered.text].join(
                '\n  ',
              ),
            );
        }
      }
    }
  }
  const reasons = [...counts.reasons]
    .sort(([, a], [, b]) => b - a)
    .map(([reason, count]) => `    ${count} x ${reason}`);
  const told = `${counts.rendered} statements, ${counts.selected} of ${counts.of} rows selected`;
  console.log([`  ${dialect}: ${conditions.length} conditions, ${told}; refused for`, ...reasons].join('\n'));
  assert.is(wrong.length, 0, `${wrong.length} disagreements\n${wrong.slice(0, 3).join('\n').slice(0, 4000)}`);
  assert.ok(counts.selected > counts.of / 20 && counts.selected < counts.of * 0.9, 'the conditions say too little');
}

/** For each document, whether check allows what it may receive. */
function decisions(
  engine: Engine,
  request: PlanRequest,
  subjects: readonly Subject[],
): readonly (readonly boolean[])[] {
  const [action = ''] = request.actions ?? [];
  return subjects.map(({ attrs }) =>
    attrs.map((attr) => {
      const resource = { ...request.resource, id: 'd', attr };
      return engine.isAllowed({ principal: request.principal, resource, action });
    }),
  );
}

function differences(
  subjects: readonly Subject[],
  allowed: readonly (readonly boolean[])[],
  selected: ReadonlySet<number>,
): readonly string[] {
  return subjects.flatMap(({ attrs, isReadable }, position) => {
    const isSelected = selected.has(position);
    const isAllowed = allowed[position]?.every((one) => one) === true;
    if (isSelected && !isAllowed) return [`over-grant on ${JSON.stringify(attrs)}`];
    const isExact = isReadable && attrs.length === 1;
    return isExact && isAllowed && !isSelected ? [`under-grant on ${JSON.stringify(attrs)}`] : [];
  });
}

/** A policy with three actions for each condition: it allows, allows as `none`, and denies. */
export function policyOf(conditions: readonly string[]): string {
  const rule = (action: string, effect: string, match?: object): object => ({
    actions: [action],
    effect: `EFFECT_${effect}`,
    roles: ['user'],
    ...(match === undefined ? {} : { condition: { match } }),
  });
  const rules = conditions.flatMap((expr, index) => [
    rule(`allow${index}`, 'ALLOW', { expr }),
    rule(`none${index}`, 'ALLOW', { none: { of: [{ expr }] } }),
    rule(`deny${index}`, 'ALLOW'),
    rule(`deny${index}`, 'DENY', { expr }),
  ]);
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'document', version: 'default', rules },
  });
}

/** A condition made of others. */
export function randomCondition(random: Random, atoms: readonly string[], depth: number): string {
  if (depth === 0 || random.chance(0.3)) return random.pick(atoms);
  const inner = (): string => `(${randomCondition(random, atoms, depth - 1)})`;
  return random.pick([
    () => `!${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
    () => `${inner()} == ${random.pick(['true', 'false'])}`,
    () => `R.attr.shares.${random.pick(['exists', 'all', 'exists_one'])}(s, ${inner()} && ${random.pick(OF_SHARE)})`,
    () => `R.attr.tags.${random.pick(['exists', 'all', 'exists_one'])}(s, ${inner()} || s == "x")`,
  ])();
}

/** Conditions on an element `s` of the shares. */
const OF_SHARE = [
  's.user == P.id',
  's.role == "editor"',
  'has(s.role)',
  's.grantor.level > 1',
  'has(s.grantor)',
  's.grantor.team.name == R.attr.title',
  '"x" in s.grantor.nicknames',
  's.user == R.attr.owner.name',
  'timestamp(s.until) < timestamp("2020-06-01T00:00:00Z")',
];

/** Each stands for a way to read related rows. */
export const ATOMS: readonly string[] = [
  // One row: its fields, its absence, and comparisons with other columns.
  'R.attr.owner.name == "x"',
  'R.attr.owner.name != "x"',
  'R.attr.owner.level > 1',
  'R.attr.owner.level > R.attr.n',
  'R.attr.owner.active',
  '!R.attr.owner.active',
  'R.attr.owner.active == null',
  'R.attr.owner.address.city == "Bern"',
  'R.attr.owner.name == R.attr.title',
  'R.attr.owner.name == R.attr.folder.name',
  'R.attr.owner.name in P.attr.names',
  'R.attr.owner.name.startsWith(R.attr.title)',
  'R.attr.owner["name"] == "u1"',
  'has(R.attr.owner)',
  '!has(R.attr.owner)',
  'has(R.attr.owner.name)',
  'has(R.attr.owner.address)',
  'has(R.attr.owner.address.city)',
  'has(R.attr.owner.team)',
  'has(R.attr.owner.team.name)',
  'R.attr.owner.team.name == "x"',
  'R.attr.owner.team.name != R.attr.owner.name',
  'R.attr.owner != null',
  'R.attr.owner == "x"',
  'type(R.attr.owner) == map',
  '"x" in R.attr.owner.nicknames',
  'R.attr.owner.nicknames.all(t, t != R.attr.owner.name)',
  'R.attr.owner.level + 1.0 > 2.0',
  '[R.attr.owner.name, R.attr.title].exists(t, t == "x")',
  '"x" in [R.attr.owner.name, R.attr.title]',
  '(R.attr.owner.level > 1 || R.attr.n == 1) == true',
  '(has(R.attr.owner) ? R.attr.owner.level : R.attr.n) > 1',
  // One that is not declared unique.
  'R.attr.folder.name == "x"',
  'R.attr.folder.name != "x"',
  'has(R.attr.folder)',
  '!has(R.attr.folder)',
  'has(R.attr.folder.name)',
  '!has(R.attr.folder.name)',
  'timestamp(R.attr.folder.at) < timestamp("2020-06-01T00:00:00Z")',
  // Many rows: as a list of objects, and of values.
  ...OF_SHARE.flatMap((body) => ['exists', 'all', 'exists_one'].map((macro) => `R.attr.shares.${macro}(s, ${body})`)),
  'R.attr.shares.exists(s, s.user == P.id && s.role == "editor")',
  'R.attr.shares.exists(s, !has(s.role))',
  'size(R.attr.shares) > 1',
  'size(R.attr.tags) == size(R.attr.marks)',
  'R.attr.shares != null',
  'type(R.attr.tags) == list',
  'has(R.attr.shares)',
  'R.attr.title in R.attr.tags',
  '!(R.attr.title in R.attr.tags)',
  'P.id in R.attr.tags',
  'R.attr.owner.name in R.attr.tags',
  '2 in R.attr.marks',
  'null in R.attr.marks',
  'R.attr.n in R.attr.marks',
  'R.attr.marks.exists(m, m == null)',
  'R.attr.marks.all(m, m > 0)',
  'R.attr.marks.exists_one(m, m > 1)',
  'hasIntersection(R.attr.tags, ["x", "y"])',
  'hasIntersection(R.attr.tags, R.attr.owner.nicknames)',
  'R.attr.tags.isSubset(["x", "y", "u1"])',
  '["x"].isSubset(R.attr.tags)',
  'R.attr.owner.nicknames.isSubset(R.attr.tags)',
  'R.attr.tags.exists(t, R.attr.shares.exists(s, s.user == t || s.role == R.attr.title))',
  // Never a boolean, an order or a field.
  'R.attr.tags.a == "x"',
  'R.attr.shares > 1',
  'R.attr.owner < 1',
  'R.attr.n == 1',
  'R.attr.title == "x"',
];

/** Timestamps in documents, and documents beside related rows. */
const DOCUMENT_ATOMS: readonly string[] = [
  'R.attr.events.exists(e, timestamp(e) < timestamp("2020-01-01T00:00:00.0005Z"))',
  'R.attr.events.all(e, timestamp(e) >= timestamp("2020-01-01T00:00:00Z"))',
  'R.attr.events.exists(e, timestamp(e) == timestamp("2020-01-01T00:00:00Z"))',
  'R.attr.events.all(e, timestamp(e) != timestamp("2020-01-01T00:00:00Z"))',
  'R.attr.events.exists_one(e, timestamp(e) > timestamp("2019-06-01T00:00:00Z"))',
  'R.attr.events.exists(e, timestamp(e) == timestamp(e))',
  'R.attr.events.exists(e, timestamp(e) < timestamp(R.attr.folder.at))',
  'timestamp(R.attr.events[0]) < timestamp("2020-06-01T00:00:00Z")',
  'timestamp(R.attr.meta.at) >= timestamp("2020-01-01T00:00:00Z")',
  'timestamp(R.attr.meta.at) != timestamp("2020-01-01T00:00:00Z")',
  'timestamp(R.attr.meta.at) == timestamp(R.attr.events[0])',
  'timestamp(R.attr.meta.at) <= timestamp(R.attr.events[0])',
  'timestamp(R.attr.meta.at) in [timestamp("2020-01-01T00:00:00Z"), timestamp("2024-02-29T12:00:00.5Z")]',
  'R.attr.shares.exists(s, timestamp(s.until) > timestamp(R.attr.meta.at))',
  'R.attr.events.exists(e, e == R.attr.title)',
  'R.attr.meta.at == R.attr.owner.name',
];
