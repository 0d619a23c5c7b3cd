import type * as ir from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { classesAt } from '../decision/classes.js';
import { Decisions, type PointDecisions } from '../decision/decisions.js';
import type { Point } from '../decision/point.js';
import { pointsOf, TooManyRows } from '../decision/points.js';
import { and, type Formula, not } from '../formula/formula.js';
import { FormulaKeys } from '../formula/keys.js';
import { Booleans } from '../solve/booleans.js';

/**
 * Whether two programs decide every request alike, in default evaluation, with and without lenient scope search. True is
 * a proof: at each point their decisions are one formula, or formulas that differ for no values of their atoms
 * (docs/spec/analysis.md#levels). False is not one.
 */
export function areEquivalent(before: ir.Program, after: ir.Program): boolean {
  const isConcerned = concerned(changedModules(before, after), [...before.modules, ...after.modules]);
  const [old, new_] = [fold(before), fold(after)];
  const keys = new FormulaKeys();
  const booleans = new Booleans(keys);
  const areAlike = (one: Formula, other: Formula): boolean =>
    keys.of(one) === keys.of(other) ||
    [and(one, not(other)), and(other, not(one))].every((difference) => booleans.isImpossible(difference));
  try {
    return [false, true].every((lenientScopeSearch) => {
      const sets = [old, new_].map((program) => new Decisions(program, { lenientScopeSearch }));
      return pointsOf(sets, lenientScopeSearch, isConcerned).every((point) => areAlikeAt(point, sets, keys, areAlike));
    });
  } catch (error) {
    if (error instanceof TooManyRows) return false;
    throw error;
  }
}

function areAlikeAt(
  point: Point,
  sets: readonly Decisions[],
  keys: FormulaKeys,
  areAlike: (one: Formula, other: Formula) => boolean,
): boolean {
  const at = (roles: readonly string[]): [PointDecisions, PointDecisions] =>
    sets.map((set) => set.at(point, roles)) as [PointDecisions, PointDecisions];
  const [one, other] = at([]);
  if (one.signature === other.signature) return true;
  if (one.sharesResults || other.sharesResults) return false;
  const { actions, roles } = classesAt(point, [one, other]);
  if (!actions.isComplete || !roles.isComplete) return false;
  const [before, after] = at([...roles.named, ...roles.others]);
  return [...actions.named, ...actions.others].every((action) =>
    areAlike(before.of(action, keys), after.of(action, keys)),
  );
}

/** The policies of two programs that are not the same in both. */
export function changedModules(before: ir.Program, after: ir.Program): readonly ir.Module[] {
  const [old, new_] = [before, after].map(({ modules }) => new Set(modules)) as [Set<ir.Module>, Set<ir.Module>];
  return [
    ...before.modules.filter((module) => !new_.has(module)),
    ...after.modules.filter((module) => !old.has(module)),
  ];
}

/** The points that a change may concern: those of its kinds, unless policies of principals or roles changed. */
function concerned(changed: readonly ir.Module[], modules: readonly ir.Module[]): (point: Point) => boolean {
  if (changed.some(({ kind }) => kind === 'principal' || kind === 'role')) return () => true;
  const sets = new Set(changed.flatMap(({ kind, key }) => (kind === 'derived-roles' ? [key] : [])));
  const kinds = new Set(
    [...changed, ...modules].flatMap((module) =>
      module.kind === 'resource' &&
      (changed.includes(module) || module.derivedRoles.some(({ module: set }) => sets.has(set)))
        ? [module.kindName]
        : [],
    ),
  );
  return ({ kind }) => kinds.has(kind);
}
