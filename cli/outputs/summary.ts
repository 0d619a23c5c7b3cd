import type { Program } from '../../compiler/ir/program.js';

/** What a compilation came to. */
export interface Outcome {
  readonly program: Program | undefined;
  /** How many tests passed. */
  readonly tests: number;
  /** What happened to the files. */
  readonly done: string;
  readonly milliseconds: number;
}

/**
 * Says in one line what was done, to a person: on standard error when that is a terminal. Programs that read the
 * output, and logs, see nothing, as they always have.
 */
export function saySummary(outcome: Outcome): void {
  if (process.stderr.isTTY === true) process.stderr.write(`${summaryLine(outcome)}\n`);
}

/** `12 policies, 40 rules, 31 tests passed, 5 files written in 0.4 s`. */
export function summaryLine({ program, tests, done, milliseconds }: Outcome): string {
  const modules = program?.modules ?? [];
  const rules = modules.flatMap((module) =>
    module.kind === 'derived-roles' ? [] : module.rules.map(({ span }) => `${span.source.path}:${span.start}`),
  );
  const parts = [
    counted(modules.length, 'policy', 'policies'),
    // A rule with several derived roles is lowered to several.
    counted(new Set(rules).size, 'rule'),
    ...(tests > 0 ? [`${counted(tests, 'test')} passed`] : []),
    done,
  ];
  return `${parts.join(', ')} in ${(milliseconds / 1000).toFixed(1)} s`;
}

/** `1 file`, `2 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
