import { resolve } from 'node:path';
import type { Prover } from '../../analysis/question/question.js';
import type { Solver } from '../../analysis/solve/solver.js';
import { findZ3, startZ3 } from '../../analysis/solve/z3.js';
import type { ComparisonOptions, SolverOptions } from './comparison-options.js';

/**
 * Starts the solver of the options when it is first needed; undefined if there is none. What encodes questions is
 * loaded with it: most runs need neither.
 *
 * @throws Error from the function, for a version of z3-solver that is not known to work, or a program that is no solver.
 */
export function chooseProver({
  solver: command,
  smt: queries,
  effort = 3,
}: SolverOptions & Partial<Pick<ComparisonOptions, 'smt' | 'effort'>>): (() => Promise<Prover>) | undefined {
  const start = chooseStarter(command);
  if (start === undefined) return undefined;
  return async () => {
    const solver = await start();
    const { makeProver: proverWith } = await import('../../analysis/solve/prover.js');
    return proverWith(solver, { effort, queries });
  };
}

function chooseStarter(command: string | false | undefined): (() => Promise<Solver>) | undefined {
  if (command === false) return undefined;
  if (command !== undefined) return () => startCommand(command);
  const z3 = findZ3(resolve('.'));
  return z3 === undefined ? undefined : () => Promise.resolve(startZ3(z3));
}

/** A program that does not speak SMT-LIB would leave every row undecided, without saying why. */
async function startCommand(command: string): Promise<Solver> {
  const [{ solverCommand }, { readReply }] = await Promise.all([
    import('../../analysis/solve/command.js'),
    import('../../analysis/solve/reply.js'),
  ]);
  const solver = solverCommand(command);
  const { status } = readReply(await solver.run('(echo "ready")\n(check-sat)\n(echo "ready")\n'), 'ready', 0);
  if (status === 'trouble') throw new Error(`\`${command}\` does not answer sat, unsat or unknown to a query`);
  return solver;
}
