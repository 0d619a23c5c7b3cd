import { findZ3, startZ3 } from '../../../packages/analysis/solve/z3.js';
import type { Solver } from '../../../packages/analysis/solve/solver.js';
import { ROOT } from '../compiled.js';
import { LAST_RESORT } from '../timeout.js';

/** The z3 of this repository. Queries bound their work by `rlimit`, so time is the last resort. */
export function z3(timeout: number = LAST_RESORT * 10): Solver {
  return startZ3(findZ3(ROOT) ?? 'z3-solver is a dependency of tests', timeout);
}
