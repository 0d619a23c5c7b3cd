import type { ActorInput, Engine, PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import {
  renderSubjectQuery,
  type SqlDialect,
  type SqlParameter,
  type SqlProblem,
  type SqlUsers,
} from '../../../runtime/residual/sql/index.js';
import type { SelectRows } from '../tables/stored-table.js';
import type { Population } from './population.js';

/** One action on one resource, by whoever may do it; through an actor, if one acts for them. */
export interface ReviewedCell {
  readonly resource: ResourceInput;
  readonly action: string;
  readonly through: ActorInput | undefined;
}

/** Somebody who may do something. */
export interface ReviewedPair extends ReviewedCell {
  readonly principal: PrincipalInput;
}

/** Why it is not known who may do something. */
export interface Unevaluated extends ReviewedCell {
  readonly reason: string;
  /** The line of the policy, if it is one. */
  readonly place: string;
}

/** What a review has found out. */
export interface EvaluatedReview {
  readonly pairs: readonly ReviewedPair[];
  readonly unevaluated: readonly Unevaluated[];
}

/** Where users are asked for: in a database, or among those that a file lists. */
export type UserStore =
  | { readonly kind: 'table'; readonly users: SqlUsers; readonly dialect: SqlDialect; readonly select: SelectRows }
  | { readonly kind: 'file' };

/** Evaluates users by resources by actions. The users of a table are selected by SQL, and each of them is checked. */
export async function evaluateReview(
  engine: Engine,
  { users, resources }: Pick<Population, 'users' | 'resources'>,
  actions: readonly string[],
  actors: readonly ActorInput[],
  store: UserStore,
): Promise<EvaluatedReview> {
  const principals = users.flatMap(({ principal }) => principal ?? []);
  const cells = [undefined, ...actors].flatMap((through) =>
    resources.flatMap((resource) => actions.map((action): ReviewedCell => ({ resource, action, through }))),
  );
  const isAllowed = ({ resource, action, through }: ReviewedCell, principal: PrincipalInput): boolean =>
    engine.isAllowed({
      principal: through === undefined ? principal : { ...principal, actors: [through] },
      resource,
      action,
    });
  if (store.kind === 'file')
    return {
      pairs: cells.flatMap((cell) =>
        principals.flatMap((principal) => (isAllowed(cell, principal) ? [{ ...cell, principal }] : [])),
      ),
      unevaluated: [],
    };
  const byId = new Map<string, PrincipalInput[]>();
  for (const principal of principals) byId.set(principal.id, [...(byId.get(principal.id) ?? []), principal]);
  const scopes = [...new Set(principals.map(({ scope }) => scope ?? ''))].sort();
  const selection = new Selection(engine, store, scopes);
  const pairs: ReviewedPair[] = [];
  const unevaluated: Unevaluated[] = [];
  for (const cell of cells) {
    const selected = await selection.of(cell);
    if ('problem' in selected) {
      const { reason, place = '' } = selected.problem;
      unevaluated.push({ ...cell, reason, place });
      continue;
    }
    const wrong = [...selected.ids].filter((id) => byId.get(id)?.some((one) => isAllowed(cell, one)) !== true);
    if (wrong.length > 0) {
      const reason = `the database selects \`${wrong[0]}\`, whom a check of the row that was read denies it`;
      unevaluated.push({ ...cell, reason, place: '' });
      continue;
    }
    for (const id of selected.ids)
      for (const principal of byId.get(id) ?? []) if (isAllowed(cell, principal)) pairs.push({ ...cell, principal });
  }
  return { pairs, unevaluated };
}

/** Selects users by SQL. Resources of which policies ask the same have the same query, which runs once. */
class Selection {
  private readonly known = new Map<string, Promise<readonly string[]>>();

  constructor(
    private readonly engine: Engine,
    private readonly store: UserStore & { readonly kind: 'table' },
    private readonly scopes: readonly string[],
  ) {}

  async of({
    resource,
    action,
    through,
  }: ReviewedCell): Promise<{ readonly ids: ReadonlySet<string> } | { readonly problem: SqlProblem }> {
    const { users, dialect } = this.store;
    const ids = new Set<string>();
    for (const scope of this.scopes) {
      const actors = through === undefined ? [] : [through];
      const plan = this.engine.planSubjects({ resource, action, actors, principal: { scope } });
      const query =
        plan.kind === 'refused' ? plan : renderSubjectQuery(plan.filter, users, { dialect, rules: plan.rules, scope });
      if (query.kind === 'refused') return { problem: query.problems[0] as SqlProblem };
      for (const id of await this.run(query.text, query.parameters)) ids.add(id);
    }
    return { ids };
  }

  private run(text: string, parameters: readonly SqlParameter[]): Promise<readonly string[]> {
    const key = JSON.stringify([text, parameters]);
    const known =
      this.known.get(key) ?? this.store.select(text, parameters).then((rows) => rows.map(({ id }) => String(id)));
    this.known.set(key, known);
    return known;
  }
}
