import * as assert from 'uvu/assert';
import { createEngine, type Engine, type PlanRequest } from '#runtime/engine';
import { type Filter, filterText, FLAT, selects, type Writing } from '#runtime/residual';
import { renderSql, type SqlCondition, type SqlDialect } from '../../runtime/residual/sql/index.js';
import type { Document } from '../oracle/documents.js';
import { Random } from '../oracle/random.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { randomPrincipal } from './random-policies.js';
import { KIND, typedPolicies } from './typed-policies.js';
import { TYPED_TABLE, typedRow, type TypedRow } from './typed-table.js';

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
  readonly requests: number;
  readonly rows: number;
}

const WRITINGS: { readonly [name: string]: Writing } = { guarded: FLAT, exact: { shapes: 'flat', nots: 'exact' } };

/** Random stores over hostile rows: the rows that a database selects are those that check allows, of every filter that is rendered. */
export async function compareTyped(database: TypedDatabase, extent: Extent): Promise<void> {
  const counts = new Counts();
  for (let seed = extent.seed; seed < extent.seed + extent.stores; seed += 1) {
    const random = new Random(seed);
    const compiled = compileTexts(textsOf(typedPolicies(random)));
    // Literals of types that never go together do not compile.
    if (compiled.program === undefined) continue;
    const { policies } = await loaded(compiled);
    const engines = Object.entries(WRITINGS).map(([name, plan]) => [name, createEngine(policies, { plan })] as const);
    const rows = Array.from({ length: extent.rows }, () => typedRow(random, database.dialect));
    await database.fill(rows);
    for (let i = 0; i < extent.requests; i += 1) {
      const request: PlanRequest = { principal: randomPrincipal(random), resource: { kind: KIND }, actions: ['view'] };
      for (const [writing, engine] of engines) await compareOne(database, { engine, request, rows, counts, where: `seed ${seed}, ${writing}` });
    }
  }
  console.log(`  ${database.dialect}: seeds ${extent.seed} to ${extent.seed + extent.stores - 1}, ${extent.rows} rows a store\n${counts.text()}`);
  assert.is(counts.wrong.length, 0, `${counts.wrong.length} disagreements\n${counts.wrong.slice(0, 5).join('\n')}`);
  assert.ok(counts.rendered > counts.conditional / 3 && counts.selected > counts.rows / 50, 'the stores say too little');
}

interface Comparison {
  readonly engine: Engine;
  readonly request: PlanRequest;
  readonly rows: readonly TypedRow[];
  readonly counts: Counts;
  readonly where: string;
}

async function compareOne(database: TypedDatabase, { engine, request, rows, counts, where }: Comparison): Promise<void> {
  const { filter, unplanned } = engine.plan(request);
  if (filter.kind !== 'KIND_CONDITIONAL') return;
  const rendered = renderSql(filter, TYPED_TABLE, { dialect: database.dialect });
  counts.count(rendered);
  if (rendered.kind === 'refused') return;
  const about = (detail: string): string => `${detail}: ${where}: ${JSON.stringify(request.principal)}\n  ${filterText(filter)}\n  ${rendered.text.slice(0, 600)}\n  ${JSON.stringify(rendered.parameters).slice(0, 300)}`;
  const selected = await database.select(rendered).catch((error: unknown) => error as Error);
  if (selected instanceof Error) {
    counts.wrong.push(about(`the statement fails: ${selected.message}`));
    return;
  }
  for (const [position, { id, attr }] of rows.entries()) {
    const inSql = selected.has(position);
    const inProcess = selects(filter as Filter, { id, attr });
    const allowed = engine.isAllowed({ principal: request.principal, resource: { kind: KIND, id, attr }, action: 'view' });
    counts.row(inSql);
    const problem = inSql && !allowed ? 'over-grant' : !inSql && allowed && unplanned.length === 0 ? 'under-grant' : inSql !== inProcess ? 'SQL and the evaluator differ' : undefined;
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
    else for (const reason of new Set(rendered.problems.map((problem) => `${problem.operator}: ${problem.reason}`))) this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1);
  }

  row(isSelected: boolean): void {
    this.rows += 1;
    if (isSelected) this.selected += 1;
  }

  text(): string {
    const reasons = [...this.#reasons].sort(([, a], [, b]) => b - a).map(([reason, count]) => `      ${count} x ${reason}`);
    return [`    ${this.conditional} conditional plans, ${this.rendered} rendered; ${this.rows} rows, ${this.selected} selected, ${this.wrong.length} disagreements; refused for`, ...reasons].join('\n');
  }
}

/** Policies as a folder would hold them; JSON is YAML. */
function textsOf(documents: readonly Document[]): { readonly [path: string]: string } {
  return Object.fromEntries(documents.map((document, index) => [`p${String(index).padStart(3, '0')}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', ...document })]));
}
