import * as assert from 'uvu/assert';
import { createEngine, type Engine, type PlanRequest } from '../../runtime/engine/index.js';
import { type Filter, filterText, FLAT, selects, type Writing } from '../../runtime/residual/index.js';
import { renderSql, type SqlCondition, type SqlDialect } from '../../runtime/residual/sql/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import type { Document, Match } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import type { Compilation, CompileOptions } from '../../compiler/compile.js';
import { compileRules, compileTexts, loaded } from '../support/compiled.js';
import { randomPrincipal } from '../support/sql/random-policies.js';
import { DERIVED_ROLES, typedPolicies } from './typed-policies.js';
import { DOCUMENT_HAZARDS, TYPED_HAZARDS } from '../support/sql/typed-hazards.js';
import { typedRow, type TypedRow, typedTable } from '../support/sql/typed-table.js';

/** A database with the typed table. */
export interface TypedDatabase {
  readonly dialect: SqlDialect;
  /** Replaces all rows. */
  fill(rows: readonly TypedRow[]): Promise<void>;
  /** The positions of the rows that a condition selects. */
  select(condition: SqlCondition & { readonly kind: 'sql' }): Promise<ReadonlySet<number>>;
}

export interface Extent {
  readonly seed: number;
  readonly stores: number;
  /** The number of resource kinds with policies in a store. */
  readonly kinds: number;
  readonly requests: number;
  readonly rows: number;
}

const WRITINGS: { readonly [name: string]: Writing } = { guarded: FLAT, exact: { shapes: 'flat', nots: 'exact' } };

/**
 * Compares random stores over hostile rows: a database selects the rows that check allows, for every filter that is
 * rendered.
 */
export async function compareTyped(database: TypedDatabase, extent: Extent): Promise<void> {
  const counts = new Counts();
  for (let seed = extent.seed; seed < extent.seed + extent.stores; seed += 1) {
    const random = new Random(seed);
    const kinds = Array.from({ length: extent.kinds }, (_, index) => `thing${index}`);
    const { policies } = await loaded(
      compiledStore(kinds.map((kind) => [kind, typedPolicies(random, kind, database.dialect !== 'mysql')])),
    );
    const engines = Object.entries(WRITINGS).map(([name, plan]) => [name, createEngine(policies, { plan })] as const);
    const rows = Array.from({ length: extent.rows }, () => typedRow(random, database.dialect));
    await database.fill(rows);
    const told = rows.map((row) => (row.orTold === undefined ? row : { ...row, orTold: row.attr }));
    for (const kind of kinds) {
      for (let i = 0; i < extent.requests; i += 1) {
        const { attr, ...principal } = randomPrincipal(random);
        const request: PlanRequest = {
          principal: { ...principal, attr: { ...attr, k: random.pick(KEYS) } },
          resource: { kind, policyVersion: kind },
          actions: ['view'],
        };
        for (const [writing, engine] of engines)
          await compareOne(database, {
            engine,
            request,
            rows: told,
            counts,
            where: `seed ${seed}, ${kind}, ${writing}`,
          });
      }
    }
  }
  counts.settle(
    `seeds ${extent.seed} to ${extent.seed + extent.stores - 1}, ${extent.rows} rows a store`,
    database.dialect,
  );
}

/**
 * Compares conditions of classes that once had wrong results: alone, negated and as a DENY, over rows with everything
 * that a column can hold.
 */
export async function compareHazards(database: TypedDatabase, rowCount: number): Promise<void> {
  const counts = new Counts();
  const random = new Random(1);
  const rows = Array.from({ length: rowCount }, () => typedRow(random, database.dialect));
  const conditions = database.dialect === 'mysql' ? TYPED_HAZARDS : [...TYPED_HAZARDS, ...DOCUMENT_HAZARDS];
  const rules = conditions.flatMap((expr, index) => {
    const rule = (place: string, effect: string, match: Match | undefined): object => {
      return {
        actions: [`${place}${index}`],
        effect: `EFFECT_${effect}`,
        roles: ['user'],
        ...(match === undefined ? {} : { condition: { match } }),
      };
    };
    return [
      rule('allow', 'ALLOW', { expr }),
      rule('none', 'ALLOW', { none: { of: [{ expr }] } }),
      rule('deny', 'ALLOW', undefined),
      rule('deny', 'DENY', { expr }),
    ];
  });
  const { policies } = await loaded(compileRules('thing', rules));
  await database.fill(rows);
  const principal = { id: 'u1', roles: ['user'], attr: { empty: '', nul: 'a\0', half: '\ud800' } };
  for (const [writing, plan] of Object.entries(WRITINGS)) {
    const engine = createEngine(policies, { plan });
    for (const [index, expr] of conditions.entries()) {
      for (const place of ['allow', 'none', 'deny']) {
        const request: PlanRequest = { principal, resource: { kind: 'thing' }, actions: [`${place}${index}`] };
        await compareOne(database, { engine, request, rows, counts, where: `${expr}, ${place}, ${writing}` });
      }
    }
  }
  counts.settle(`${conditions.length} conditions in 3 places`, database.dialect);
}

interface Comparison {
  readonly engine: Engine;
  readonly request: PlanRequest;
  readonly rows: readonly TypedRow[];
  readonly counts: Counts;
  readonly where: string;
}

async function compareOne(
  database: TypedDatabase,
  { engine, request, rows, counts, where }: Comparison,
): Promise<void> {
  const { filter, unplanned } = engine.plan(request);
  if (filter.kind !== 'KIND_CONDITIONAL') return;
  const rendered = renderSql(filter, typedTable(database.dialect), { dialect: database.dialect });
  counts.count(rendered);
  if (rendered.kind === 'refused') return;
  const about = (detail: string): string =>
    [
      `${detail}: ${where}: ${JSON.stringify(request.principal)}`,
      filterText(filter),
      rendered.text.slice(0, 600),
      JSON.stringify(rendered.parameters).slice(0, 300),
    ].join('\n  ');
  const selected = await database.select(rendered).catch((error: unknown) => error as Error);
  if (selected instanceof Error) {
    counts.wrong.push(about(`the statement fails: ${selected.message}`));
    return;
  }
  for (const [position, { id, attr, orTold }] of rows.entries()) {
    const inSql = selected.has(position);
    const isAllowed = (told: Attributes): boolean =>
      engine.isAllowed({
        principal: request.principal,
        resource: { ...request.resource, id, attr: told },
        action: request.actions?.[0] as string,
      });
    const allowed = isAllowed(attr);
    counts.row(inSql);
    // A row that JSON cannot represent exactly has two readings; it is not selected if check denies either.
    if (orTold !== undefined) {
      if (inSql && !(allowed && isAllowed(orTold)))
        counts.wrong.push(about(`over-grant on ${id} ${JSON.stringify(attr)}, ${JSON.stringify(orTold)}`));
      continue;
    }
    const inProcess = selects(filter as Filter, { id, attr });
    const problem =
      inSql && !allowed
        ? 'over-grant'
        : !inSql && allowed && unplanned.length === 0
          ? 'under-grant'
          : inSql !== inProcess
            ? 'SQL and the evaluator differ'
            : undefined;
    if (problem !== undefined) counts.wrong.push(about(`${problem} on ${id} ${JSON.stringify(attr)}`));
  }
}

/** What a run came to. */
class Counts {
  conditional = 0;
  rendered = 0;
  rows = 0;
  selected = 0;
  readonly wrong: string[] = [];
  readonly #reasons = new Map<string, number>();

  count(rendered: SqlCondition): void {
    this.conditional += 1;
    if (rendered.kind === 'sql') this.rendered += 1;
    else
      for (const reason of new Set(rendered.problems.map((problem) => `${problem.operator}: ${problem.reason}`)))
        this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
  }

  row(isSelected: boolean): void {
    this.rows += 1;
    if (isSelected) this.selected += 1;
  }

  /** Prints the counts, and fails on a disagreement. */
  settle(of: string, dialect: string): void {
    console.log(`  ${dialect}: ${of}\n${this.text()}`);
    assert.is(this.wrong.length, 0, `${this.wrong.length} disagreements\n${this.wrong.slice(0, 5).join('\n')}`);
    assert.ok(this.rendered > this.conditional / 3 && this.selected > this.rows / 50, 'the conditions say too little');
  }

  private text(): string {
    const reasons = [...this.#reasons]
      .sort(([, a], [, b]) => b - a)
      .map(([reason, count]) => `      ${count} x ${reason}`);
    return [
      `    ${this.conditional} conditional plans, ${this.rendered} rendered; ${this.rows} rows, ${this.selected} selected, ${this.wrong.length} disagreements; refused for`,
      ...reasons,
    ].join('\n');
  }
}

/** Includes a name that no JSON of PostgreSQL can have. */
const KEYS = ['a', 'n', 'a.b', '', '__proto__', 'a\0', '\0', 'a\ud800', '\ufffd', '0'];

/** Compiles the policies of each kind whose literals fit together; others do not compile. JSON is valid YAML. */
export function compiledStore(
  kinds: readonly (readonly [kind: string, documents: readonly Document[]])[],
  options?: CompileOptions,
): Compilation {
  const textOf = (document: Document): string => JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document });
  const texts = kinds.flatMap(([kind, documents]) =>
    documents.map((document, index) => [`${kind}.${index}.yaml`, textOf(document)] as const),
  );
  const first = compileTexts(Object.fromEntries([['roles.yaml', textOf(DERIVED_ROLES)], ...texts]), options);
  if (first.program !== undefined) return first;
  const wrong = new Set(first.diagnostics.map(({ source }) => source?.path));
  return compileTexts(
    Object.fromEntries([['roles.yaml', textOf(DERIVED_ROLES)], ...texts.filter(([path]) => !wrong.has(path))]),
    options,
  );
}
