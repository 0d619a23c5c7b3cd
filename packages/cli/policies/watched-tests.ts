import type { Source } from '../../../compiler/diagnostics/source.js';
import { watchPaths } from '../../../server/watch-paths.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { SuiteFiles } from '../../../compiler/load/index.js';
import type { CommandContext } from '../context.js';
import { printMessage } from '../exit.js';
import { affectedSuites, isUnchanged, type TestInputs } from './affected-suites.js';
import type { FolderCompilation } from './compile.js';

/** Knows which tests have run, and which have to run again. */
export class WatchedTests {
  private before: TestInputs | undefined = undefined;
  private now: TestInputs | undefined = undefined;
  private readonly failed = new Set<string>();
  /** Whether the run before this one ended with results; otherwise this one says so even if nothing changed since. */
  private hadResults = true;
  private hasResults = true;

  /** @param runsAll whether a change of anything runs all tests: coverage is that of all of them. */
  constructor(
    private readonly runsAll: boolean,
    private readonly context: Pick<CommandContext, 'stderr'>,
  ) {}

  /** Those of the last policies that compiled: unchanged files are not compiled again. */
  get sources(): readonly Source[] {
    return this.before?.sources ?? [];
  }

  /** Begins a run. */
  begin(): void {
    this.hadResults = this.hasResults;
    this.hasResults = false;
  }

  /** The suites that the changes since the last run can affect; undefined if nothing changed. */
  suitesToRun(
    { sources, schemas, lowered }: FolderCompilation,
    suites: readonly SuiteFiles[],
  ): readonly SuiteFiles[] | undefined {
    if (lowered === undefined) return undefined;
    this.now = { sources, schemas, program: lowered, suites };
    const unchanged = isUnchanged(this.before, this.now);
    if (unchanged) this.hasResults = true;
    if (unchanged && this.hadResults) return undefined;
    return this.runsAll ? suites : affectedSuites(this.before, this.now);
  }

  /** Says which suites ran, and which others failed when they last did. */
  finish(ran: readonly SuiteFiles[], failed: readonly string[]): void {
    this.before = this.now;
    this.hasResults = true;
    const suites = this.before?.suites ?? [];
    for (const { path } of ran) this.failed.delete(path);
    const others = suites.flatMap(({ path }) => (this.failed.has(path) ? path : []));
    this.failed.clear();
    for (const path of [...others, ...failed]) this.failed.add(path);
    const still = others.length === 0 ? '' : `; still failing: ${others.map(visible).join(', ')}`;
    printMessage(this.context, `ran ${ran.length} of ${suites.length} suites${still}`);
  }
}

/**
 * Does something now, and again after each change in one of the folders, until SIGINT or SIGTERM. An error is shown,
 * and the next change tries again; the first one is thrown.
 */
export async function untilInterrupted(
  folders: readonly string[],
  work: () => Promise<void>,
  context: CommandContext,
): Promise<void> {
  const retried = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      printMessage(context, `${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let first: Promise<void> | undefined;
  const again = async (): Promise<void> => {
    await first;
    await retried();
  };
  const watch = watchPaths(folders, again);
  try {
    first = work();
    await first;
    printMessage(context, `waiting for changes in ${[...new Set(folders)].map(visible).join(', ')}`);
    await interruption(context);
  } finally {
    watch.close();
  }
}

function interruption({ signals }: CommandContext): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const name of ENDS) signals.off(name, end);
      resolve();
    };
    for (const name of ENDS) signals.on(name, end);
  });
}

const ENDS = ['SIGINT', 'SIGTERM'] as const;
