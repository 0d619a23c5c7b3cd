import { findZ3, startZ3 } from '../../../analysis/solve/z3.js';
import type { Solver } from '../../../analysis/solve/solver.js';
import { ROOT } from '../compiled.js';

/** The z3 of this repository. */
export function z3(timeout?: number): Solver {
  return startZ3(findZ3(ROOT) ?? 'z3-solver is a dependency of tests', timeout);
}
