import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MutationReport, tryMutants } from '../../policy-tests/mutate/mutate.js';
import { listMutants } from '../../policy-tests/mutate/mutants.js';
import { mutationText } from '../../policy-tests/mutate/report/text.js';
import { selected } from '../../policy-tests/mutate/selection.js';
import type { SuiteFiles } from '../../../compiler/load/index.js';
import { testCalls } from '../../policy-tests/run-tests.js';
import type { CommandContext } from '../context.js';
import { EXIT, printMessage } from '../exit.js';
import { ProgressLine, formatStep } from '../progress.js';
import type { PoliciesInMemory } from './compile.js';
import type { MutationOptions } from './mutation-options.js';
import type { SolverOptions } from './comparison-options.js';
import { chooseProver } from './solver.js';
import type { PolicyTestOptions } from './test-policies.js';

/** Runs tests against mutants of the policies. Ctrl-C ends it with what is known. */
export async function tryTests(
  suites: readonly SuiteFiles[],
  { lowered, policies }: PoliciesInMemory,
  testOptions: PolicyTestOptions,
  { rule, mutants: count, seed, solver }: MutationOptions & SolverOptions,
  { signals, stderr }: CommandContext,
): Promise<MutationReport> {
  const progress = new ProgressLine(stderr);
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
  };
  signals.on('SIGINT', interrupt);
  try {
    return await tryMutants(
      lowered,
      selected(listMutants(lowered), { rule, count, seed }),
      {
        calls: testCalls(suites, { ...testOptions, traced: false }),
        options: testOptions,
        compiled: policies,
        prover: chooseProver({ solver }),
      },
      {
        next: async (done, all) => {
          progress.show(`trying ${formatStep(done + 1, all, 'mutants')}`);
          await nextTurn();
          return !isInterrupted;
        },
      },
    );
  } finally {
    signals.off('SIGINT', interrupt);
    progress.clear();
  }
}

/** Signals arrive between turns. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** How a report is shown. */
export interface MutationTexts {
  /** The path of a policy as the reader would open it. */
  readonly pathOf: (file: string) => string;
  readonly print: (text: string) => void;
  /** Whether equivalent mutants are listed. */
  readonly verbose: boolean;
}

/** Writes the report, and returns the exit code. */
export function reportMutants(
  report: MutationReport,
  { mutateOutput = ['text'], mutateDir = 'mutation', minScore = 0 }: MutationOptions,
  { pathOf, print, verbose }: MutationTexts,
  context: CommandContext,
): number {
  for (const format of new Set(mutateOutput)) {
    switch (format) {
      case 'text':
        print(mutationText(report, pathOf, { verbose }));
        break;
      case 'json':
        mkdirSync(mutateDir, { recursive: true });
        writeFileSync(join(mutateDir, 'mutation.json'), `${JSON.stringify(report, undefined, 2)}\n`);
        break;
    }
  }
  if (report.isInterrupted) printMessage(context, 'interrupted');
  if (report.total.score >= minScore) return report.isInterrupted ? EXIT.failed : EXIT.done;
  printMessage(context, `the mutation score is ${report.total.score} %, less than ${minScore} %`);
  return EXIT.failed;
}
