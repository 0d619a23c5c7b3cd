import type { Diagnostic, Note } from '../../compiler/diagnostics/diagnostic.js';
import { formatList, formatPretty } from '../../compiler/diagnostics/format.js';
import { formatFrame } from '../../compiler/diagnostics/frame.js';
import { toReport } from '../../compiler/diagnostics/json.js';
import { colored, type Paint, plain } from '../../compiler/diagnostics/paint.js';
import type { Place } from '../../compiler/diagnostics/span.js';
import { visible, visibleJson } from '../../compiler/diagnostics/visible.js';
import { type CommandContext, isColorful, type OutputStream, printNote } from './context.js';
import { EXIT, choosePrefix } from './exit.js';
import { DIAGNOSTIC_RULES, toFindings } from './findings/diagnostics.js';
import { isLogFormat, LOG_FORMATS, type LogFormat, type OnFindings, printLog } from './findings/log.js';

/** How diagnostics are shown: one per line, with code frames, or as JSON or another log for programs. */
export const OUTPUT_FORMATS = ['list', 'pretty', 'json', ...LOG_FORMATS] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The colours of a stream. */
export function choosePaint(stream: OutputStream, context: Pick<CommandContext, 'env'>): Paint {
  return isColorful(stream, context) ? colored : plain;
}

/**
 * Prints diagnostics of a folder of policies to standard output, and nothing when there are none; a log for programs
 * says that there are none.
 */
export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  format: OutputFormat,
  shown: Shown,
  context: CommandContext,
): void {
  const { stdout } = context;
  const { folder, color = isColorful(stdout, context), onFindings } = shown;
  if (isLogFormat(format)) printLog(format, toFindings(diagnostics, folder), DIAGNOSTIC_RULES, { stdout, onFindings });
  else if (diagnostics.length > 0) stdout.write(formatReport(diagnostics, format, { folder, color }));
}

interface Shown {
  readonly folder: string;
  readonly color?: boolean;
  /** Takes the findings of a log in place of standard output. */
  readonly onFindings?: OnFindings | undefined;
}

function formatReport(
  diagnostics: readonly Diagnostic[],
  format: Exclude<OutputFormat, LogFormat>,
  style: { readonly folder: string; readonly color: boolean },
): string {
  switch (format) {
    case 'list':
      return formatList(diagnostics, style);
    case 'pretty':
      return formatPretty(diagnostics, style);
    case 'json':
      return `${visibleJson(toReport(diagnostics), 2)}\n`;
  }
}

/** Prints a warning to standard error, beside the result. */
export function printWarning(context: Pick<CommandContext, 'stderr'>, message: string, place = ''): void {
  printNote(context, `${place === '' ? '' : `${visible(place)}: `}warning: ${visible(message)}`);
}

/** A mistake in an argument, or in a file that describes a request. */
export class InputError extends Error {
  /** @param path the file or the option that the message is about, if there is no place in a file. */
  constructor(
    message: string,
    readonly place: Place | undefined,
    readonly notes: readonly Note[] = [],
    readonly path: string = '',
  ) {
    super(message);
  }
}

/** An argument names what does not exist, or cannot be read. */
export class MissingError extends InputError {}

/** Prints an InputError to standard error and returns the exit code. Rethrows any other error. */
export function reportInputError(error: unknown, context: CommandContext): number {
  if (!(error instanceof InputError)) throw error;
  const { stderr } = context;
  stderr.write(formatInputError(error, { color: isColorful(stderr, context), prefix: choosePrefix(context) }));
  return error instanceof MissingError ? EXIT.failed : EXIT.usage;
}

/**
 * `alice.yaml:2:1: error: a principal has no field ...`, the lines around it, and the notes. Ends with a line break.
 * @param options `prefix`: how a message without a file begins; by default `error: `.
 */
export function formatInputError(
  { message, place, notes, path }: InputError,
  options: { readonly color: boolean; readonly prefix?: string },
): string {
  const paint: Paint = options.color ? colored : plain;
  const where = place === undefined ? visible(path) : formatPosition(place);
  const isAboutRun = where === '' && options.prefix !== undefined;
  const lines = [
    isAboutRun
      ? `${options.prefix}${visible(message)}`
      : `${where === '' ? '' : `${where}: `}${paint.severity('error', 'error')}: ${paint.strong(visible(message))}`,
    ...(place === undefined ? [] : formatFrame(place.span, paint)),
    ...notes.map((note) => `  ${paint.strong('note:')} ${visible(note.message)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function formatPosition({ span: { source, start } }: Place): string {
  const { line, column } = source.lineAndColumn(start);
  return `${visible(source.path)}:${line}:${column}`;
}
