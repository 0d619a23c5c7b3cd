import type { Engine } from '../../../runtime/engine/index.js';
import { renderSubjectQuery, type SqlParameter, type SqlProblem } from '../../../runtime/residual/sql/index.js';
import { renderSubjectQueries } from '../../../runtime/residual/sql/subjects.js';
import type { ReviewedCell, UserStore } from './cells.js';

/** The ids that the query of a cell selects, or why it has none. */
export type Selected = { readonly ids: ReadonlySet<string> } | { readonly problem: SqlProblem };

/** What the queries of a batch of cells select. */
export interface SelectionsOfCells {
  of(cell: ReviewedCell): Selected;
}

/** How many queries a statement has at most, and how many parameters: databases have limits of both. */
const QUERIES_OF_STATEMENT = 50;
const PARAMETERS_OF_STATEMENT = 900;

/** How many ids are kept of queries that ran before. */
const MOST_KEPT = 500_000;

/**
 * Selects users by SQL. Cells of which policies ask the same have the same query, which runs once, and a statement has
 * many queries.
 */
export class Selections {
  private readonly known = new Map<string, ReadonlySet<string>>();
  private kept = 0;

  constructor(
    private readonly engine: Engine,
    private readonly store: UserStore & { readonly kind: 'table' },
    private readonly scopes: readonly string[],
  ) {}

  async of(cells: readonly ReviewedCell[]): Promise<SelectionsOfCells> {
    const planned = new Map(cells.map((cell) => [cell, this.plan(cell)]));
    const queries = new Map<string, PlannedQuery>();
    for (const plan of planned.values())
      if (!('problem' in plan)) for (const query of plan) queries.set(query.key, query);
    await this.run([...queries.values()]);
    const found = new Map([...queries.keys()].map((key) => [key, this.known.get(key) as ReadonlySet<string>]));
    // Results of later batches may be the same, but not all results can be kept.
    if (this.kept > MOST_KEPT) {
      this.known.clear();
      this.kept = 0;
    }
    return {
      of: (cell) => {
        const plan = planned.get(cell) as Planned;
        if ('problem' in plan) return plan;
        const [only, ...others] = plan.map(({ key }) => found.get(key) as ReadonlySet<string>);
        return {
          ids: others.length === 0 ? (only ?? NOBODY) : new Set([only ?? NOBODY, ...others].flatMap((ids) => [...ids])),
        };
      },
    };
  }

  private plan({ resource, action, through }: ReviewedCell): Planned {
    const { users, dialect } = this.store;
    const queries: PlannedQuery[] = [];
    for (const scope of this.scopes) {
      const actors = through === undefined ? [] : [through];
      const plan = this.engine.planSubjects({ resource, action, actors, principal: { scope } });
      if (plan.kind === 'refused') return { problem: plan.problems[0] as SqlProblem };
      const query = renderSubjectQuery(plan.filter, users, { dialect, rules: plan.rules, scope });
      if (query.kind === 'refused') return { problem: query.problems[0] as SqlProblem };
      const { text, parameters } = query;
      queries.push({
        key: JSON.stringify([text, parameters]),
        parameters: parameters.length,
        filter: plan.filter,
        scope,
      });
    }
    return queries;
  }

  private async run(queries: readonly PlannedQuery[]): Promise<void> {
    const { users, dialect, select } = this.store;
    const wanted = queries.filter(({ key }) => !this.known.has(key));
    for (const some of inStatements(wanted)) {
      const { text, parameters } = renderSubjectQueries(some, users, dialect);
      const found = some.map(() => new Set<string>());
      for (const { query, id } of await select(text, parameters as readonly SqlParameter[]))
        found[Number(query)]?.add(String(id));
      for (const [index, { key }] of some.entries()) {
        this.known.set(key, found[index] as ReadonlySet<string>);
        this.kept += found[index]?.size ?? 0;
      }
    }
  }
}

const NOBODY: ReadonlySet<string> = new Set();

type Planned = readonly PlannedQuery[] | { readonly problem: SqlProblem };

interface PlannedQuery {
  /** Equal for the same query. */
  readonly key: string;
  /** How many it has. */
  readonly parameters: number;
  readonly filter: Parameters<typeof renderSubjectQuery>[0];
  readonly scope: string;
}

function* inStatements(queries: readonly PlannedQuery[]): Generator<readonly PlannedQuery[]> {
  let [some, parameters]: [PlannedQuery[], number] = [[], 0];
  for (const query of queries) {
    const isFull = some.length === QUERIES_OF_STATEMENT || parameters + query.parameters > PARAMETERS_OF_STATEMENT;
    if (some.length > 0 && isFull) {
      yield some;
      [some, parameters] = [[], 0];
    }
    some.push(query);
    parameters += query.parameters;
  }
  if (some.length > 0) yield some;
}
