import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic } from '../../../compiler/diagnostics/diagnostic.js';
import type { Fix } from '../../../compiler/diagnostics/fix.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import type { Severity } from '../../../compiler/diagnostics/messages.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT } from '../exit.js';
import { keepLineEnds } from '../../../compiler/format/line-ends.js';
import { replaceFiles } from '../outputs/replace-files.js';
import { compileFolder } from '../policies/compile.js';
import { type OutputFormat, printDiagnostics } from '../report.js';
import { counted } from './compile.js';

/** The command line options of `authzc lint`. */
export interface LintOptions {
  /** Whether safe fixes are applied. */
  readonly fix?: boolean;
  readonly output: OutputFormat;
  readonly failOn: Severity;
  readonly strictTypes?: boolean;
}

/**
 * `authzc lint`: reports the problems of a folder of policies; with `--fix`, after applying the fixes that are safe.
 * Writes no generated code. Returns the exit code.
 */
export function lintCommand(
  directory: string,
  { fix, output, failOn, strictTypes = false }: LintOptions,
  context: CommandContext,
): number {
  const diagnostics = fix === true ? fixFolder(directory, strictTypes, context) : findProblems(directory, strictTypes);
  printDiagnostics(diagnostics, output, { folder: directory }, context);
  const isFailed = diagnostics.some(({ severity }) => severity === 'error' || failOn === 'warning');
  return isFailed ? EXIT.refused : EXIT.done;
}

function findProblems(directory: string, strictTypes: boolean): readonly Diagnostic[] {
  return compileFolder(directory, { strictTypes }).diagnostics;
}

/**
 * Applies safe fixes until there are none, and names the files that it wrote on standard error: a deprecated function
 * is reported once for each policy, and a fix may uncover a problem that has a fix, too. Returns the problems that stay.
 */
function fixFolder(directory: string, strictTypes: boolean, context: CommandContext): readonly Diagnostic[] {
  const counts = new Map<string, number>();
  let diagnostics = findProblems(directory, strictTypes);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const fixed = applyFixes(directory, diagnostics);
    if (fixed.size === 0) break;
    for (const [path, count] of fixed) counts.set(path, (counts.get(path) ?? 0) + count);
    diagnostics = findProblems(directory, strictTypes);
  }
  for (const [path, count] of counts)
    printNote(context, `fixed ${counted(count, 'problem')} in ${visible(shownPath(path, directory))}`);
  return diagnostics;
}

const MOST_ROUNDS = 100;

/** Applies the safe fixes of problems. Returns how many it applied to each file. */
function applyFixes(directory: string, diagnostics: readonly Diagnostic[]): ReadonlyMap<string, number> {
  const bySource = new Map<Source, Fix[]>();
  for (const { fix } of diagnostics) {
    if (fix?.isSafe !== true) continue;
    const fixes = bySource.get(fix.span.source);
    if (fixes === undefined) bySource.set(fix.span.source, [fix]);
    else fixes.push(fix);
  }
  const fixed = [...bySource].map(([source, fixes]) => ({ path: source.path, ...withFixes(source, fixes) }));
  replaceFiles(
    fixed.map(({ path, text }) => {
      const file = join(directory, path);
      return { path: file, text: keepLineEnds(readFileSync(file, 'utf8'), text) };
    }),
  );
  return new Map(fixed.map(({ path, count }) => [path, count]));
}

/** The text of a file with fixes. Of two that overlap the first is applied; the other comes in the next round. */
function withFixes(source: Source, fixes: readonly Fix[]): { readonly text: string; readonly count: number } {
  const parts: string[] = [];
  let end = 0;
  let count = 0;
  for (const { span, text } of fixes.toSorted((one, other) => one.span.start - other.span.start)) {
    if (span.start < end) continue;
    parts.push(source.text.slice(end, span.start), text);
    end = span.end;
    count += 1;
  }
  return { text: [...parts, source.text.slice(end)].join(''), count };
}
