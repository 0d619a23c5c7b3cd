import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { currentInstant } from '../../analysis/explain/explain.js';
import type { PolicyFile } from '../../../compiler/ast/policy.js';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../../compiler/diagnostics/format.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { load } from '../../../compiler/load/index.js';
import { parse } from '../../../compiler/parse/index.js';
import { PendingInput } from '../repl/pending-input.js';
import { type ReadPolicy, Session } from '../repl/session.js';
import { type CommandContext, isColorful } from '../context.js';
import { EXIT } from '../exit.js';
import { formatInputError } from '../report.js';
import type { NowOption } from '../policies/now-option.js';
import { readText } from '../policies/request-files.js';

/** The command line options of `authzc repl`. */
export interface ReplOptions extends NowOption {
  /** The file that keeps the input history between sessions. */
  readonly history?: string;
}

/** The maximum number of lines of the history. */
const MOST_LINES = 1000;

/**
 * `authzc repl`: reads expressions and directives until the end of the input, and answers each
 * (docs/spec/server.md#command-line). Returns the exit code.
 */
export async function replCommand({ history, now }: ReplOptions, context: CommandContext): Promise<number> {
  const { stdin, stdout, stderr } = context;
  const session = new Session({
    now: now === undefined ? currentInstant : () => now,
    read: (path) => readPolicy(path, context),
  });
  const pending = new PendingInput();
  const terminal = stdin.isTTY === true && stdout.isTTY === true;
  const lines = createInterface({
    input: stdin,
    output: stdout,
    terminal,
    prompt: '',
    historySize: MOST_LINES,
    history: terminal ? readHistory(history) : [],
  });
  const ask = (): void => {
    lines.setPrompt(pending.isOpen ? '.. ' : '-> ');
    if (terminal) lines.prompt();
  };
  const answer = (input: string): boolean => {
    const { output, problems, leaves } = session.enter(input);
    stdout.write(output);
    stderr.write(problems);
    return leaves;
  };
  // Discards the current input; there is a directive to exit.
  lines.on('SIGINT', () => {
    pending.take();
    lines.write(null, { ctrl: true, name: 'u' });
    stdout.write('\n(:quit exits)\n');
    ask();
  });
  stdout.once('error', () => lines.close());
  if (terminal) stdout.write('Enter a CEL expression, or :help\n');
  ask();
  let hasLeft = false;
  for await (const line of lines) {
    if (terminal) remember(history, line, context);
    const input = pending.add(line);
    hasLeft = input !== undefined && answer(input);
    if (hasLeft) break;
    ask();
  }
  // The input may end within an expression: the missing part is reported then.
  if (!hasLeft && pending.isOpen) answer(pending.take());
  lines.close();
  return EXIT.done;
}

/** The lines of the history, newest first, as `readline` expects them. A history that cannot be read is empty. */
function readHistory(file: string | undefined): string[] {
  if (file === undefined) return [];
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .slice(-MOST_LINES)
      .reverse();
  } catch {
    return [];
  }
}

/** The input may contain secrets, so only the owner can read the file. */
function remember(file: string | undefined, line: string, { stderr }: CommandContext): void {
  if (file === undefined || line.trim() === '') return;
  try {
    appendFileSync(file, `${line}\n`, { mode: 0o600 });
  } catch (error) {
    stderr.write(
      `warning: the history cannot be saved: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}\n`,
    );
  }
}

/** A policy file, with the policies of its folder. */
function readPolicy(path: string, context: CommandContext): ReadPolicy {
  const color = isColorful(context.stderr, context);
  const report = new Diagnostics();
  let source: Source;
  try {
    source = new Source(path, readText(path, context));
  } catch (error) {
    return { problems: formatInputError(error as never, { color }) };
  }
  const file = parse(source, report);
  if (file === undefined)
    return {
      problems: report.hasErrors ? formatPretty(report.sorted(), { color }) : 'error: the file is empty\n',
    };
  return { file, others: policiesIn(dirname(resolve(path))) };
}

/** The policies of a folder. Files that are not policies are ignored: their errors are not about the loaded policy. */
function policiesIn(folder: string): readonly PolicyFile[] {
  try {
    const ignored = new Diagnostics();
    return load(folder, ignored).sources.flatMap((source) => parse(source, ignored) ?? []);
  } catch {
    return [];
  }
}
