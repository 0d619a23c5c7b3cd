import type { ActorInput, Engine, PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import type { SqlProblem } from '../../../runtime/residual/sql/index.js';
import type { EvaluatedCell, ReviewedCell, ReviewedPair, UserStore } from './cells.js';
import type { Population } from './population.js';
import { Selections, type SelectionsOfCells } from './selections.js';

/** How many cells are planned before their queries run. */
const CELLS_OF_BATCH = 500;

/**
 * Evaluates users by resources by actions, cell by cell: in the order of kinds, ids, scopes, actions and actors. The
 * users of a table are selected by SQL, and each of them is checked as well: a cell where the two differ is not
 * evaluated. Cells share statements, and no more than a batch of them is in memory.
 */
export async function* evaluateReview(
  engine: Engine,
  { users, resources }: Pick<Population, 'users' | 'resources'>,
  actions: readonly string[],
  actors: readonly ActorInput[],
  store: UserStore,
): AsyncGenerator<EvaluatedCell> {
  const principals = users.flatMap(({ principal }) => principal ?? []);
  const isAllowed = ({ resource, action, through }: ReviewedCell, principal: PrincipalInput): boolean =>
    engine.isAllowed({
      principal: through === undefined ? principal : { ...principal, actors: [through] },
      resource,
      action,
    });
  const listAllowed = (cell: ReviewedCell): readonly ReviewedPair[] =>
    principals.flatMap((principal) => (isAllowed(cell, principal) ? [{ ...cell, principal }] : []));
  const scopes = [...new Set(principals.map(({ scope }) => scope ?? ''))].sort();
  const selections = store.kind === 'file' ? undefined : new Selections(engine, store, scopes);
  for (const batch of inBatches(listCells(resources, actions, actors), CELLS_OF_BATCH)) {
    const selected = await selections?.of(batch);
    for (const cell of batch) {
      const allowed = listAllowed(cell);
      const problem = selected && findProblem(selected, cell, allowed);
      if (problem === undefined) yield { allowed };
      else yield { unevaluated: { ...cell, reason: problem.reason, place: problem.place ?? '' } };
    }
  }
}

/** Why a cell is not evaluated: it has no exact query, or the database selects others than checks of the rows allow. */
function findProblem(
  selected: SelectionsOfCells,
  cell: ReviewedCell,
  allowed: readonly ReviewedPair[],
): Pick<SqlProblem, 'reason' | 'place'> | undefined {
  const found = selected.of(cell);
  if ('problem' in found) return found.problem;
  const ids = new Set(allowed.map(({ principal }) => principal.id));
  for (const id of found.ids)
    if (!ids.has(id)) return { reason: `the database selects \`${id}\`, but a check of the same rows denies it` };
  for (const id of ids)
    if (!found.ids.has(id))
      return { reason: `a check of the same rows allows it to \`${id}\`, but the database does not select them` };
  return undefined;
}

function listCells(
  resources: readonly ResourceInput[],
  actions: readonly string[],
  actors: readonly ActorInput[],
): readonly ReviewedCell[] {
  const keyOf = ({ kind, id, scope = '' }: ResourceInput): string => JSON.stringify([kind, id, scope]);
  const sorted = resources.map((resource) => [keyOf(resource), resource] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.flatMap(([, resource]) =>
    [...actions]
      .sort()
      .flatMap((action) => [undefined, ...actors].map((through): ReviewedCell => ({ resource, action, through }))),
  );
}

function* inBatches<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}
