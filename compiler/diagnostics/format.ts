import type { Diagnostic, Note } from './diagnostic.js';
import { formatFrame } from './frame.js';
import { colored, type Paint, plain } from './paint.js';
import type { Span } from './span.js';
import { join, relative } from 'node:path';
import { visible } from './visible.js';

/** Where the files of the diagnostics are. */
export interface ListStyle {
  /**
   * The folder of the policies: paths are then relative to the working directory, so that a terminal or an editor can
   * open them; without it they are relative to that folder.
   */
  readonly folder?: string | undefined;
  /** Written before each path, to tell two folders apart: `old:`. */
  readonly prefix?: string | undefined;
}

/** How diagnostics are shown. */
export interface PrettyStyle extends ListStyle {
  readonly color: boolean;
}

/** Length in UTF-16 units. */
const LONGEST_MESSAGE = 1000;

/**
 * One line per diagnostic, `file:line:col: error[code]: message`: for editors and logs. Ends with a line break unless
 * empty.
 */
export function formatList(diagnostics: readonly Diagnostic[], paths: ListStyle = {}): string {
  const lines = diagnostics.map(
    (diagnostic) => `${formatHeader(diagnostic, { paint: plain, paths })}${otherPlaces(diagnostic, paths)}\n`,
  );
  return [...lines, ...formatOmissions(diagnostics)].join('');
}

/** `and 1,234 more errors`, a line for each severity of which some were not kept. */
function formatOmissions(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.flatMap(({ severity, omitted }) =>
    omitted === undefined
      ? []
      : [`and ${omitted.toLocaleString('en-US')} more ${severity}${omitted === 1 ? '' : 's'}\n`],
  );
}

/**
 * ` (see a.yaml:3:13)`: a line has no notes, so if the text for terminals names no locations, it names those of the
 * notes that are elsewhere.
 */
function otherPlaces({ shown, place, notes }: Diagnostic, paths: ListStyle): string {
  if (shown === undefined) return '';
  const isElsewhere = ({ source, start }: Span): boolean =>
    place === undefined || source !== place.span.source || start < place.span.start || start > place.span.end;
  const places = notes.flatMap(({ span }) =>
    span !== undefined && isElsewhere(span) ? [formatPosition(span, paths)] : [],
  );
  return places.length === 0 ? '' : ` (see ${places.join(', ')})`;
}

/** Each diagnostic with its source lines and notes, followed by the totals. */
export function formatPretty(diagnostics: readonly Diagnostic[], { color, ...paths }: PrettyStyle): string {
  if (diagnostics.length === 0) return '';
  const style = { paint: color ? colored : plain, paths };
  const blocks = diagnostics.map((diagnostic) => `${formatBlock(diagnostic, style).join('\n')}\n`);
  return `${blocks.join('\n')}\n${formatSummary(diagnostics)}\n${formatOmissions(diagnostics).join('')}`;
}

/** The path of a file of a folder, from the working directory. */
export function shownPath(path: string, folder: string | undefined): string {
  return visible(folder === undefined ? path : relative('', join(folder, path)));
}

function formatPath(path: string, { folder, prefix = '' }: ListStyle): string {
  return `${prefix}${shownPath(path, folder)}`;
}

interface Style {
  readonly paint: Paint;
  readonly paths: ListStyle;
}

/** `2 errors, 1 warning`. */
export function formatSummary(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  return [counted(errors, 'error'), counted(warnings, 'warning')].filter((part) => part !== '').join(', ');
}

function formatBlock(diagnostic: Diagnostic, style: Style): readonly string[] {
  const span = diagnostic.focus ?? diagnostic.place?.span;
  return [
    formatHeader(diagnostic, style),
    ...(span === undefined ? [] : formatFrame(span, style.paint)),
    ...diagnostic.notes.map((note) => formatNote(note, style)),
  ];
}

function formatHeader(
  { source, place, focus = place?.span, severity, code, message, shown = message }: Diagnostic,
  { paint, paths }: Style,
): string {
  const where =
    focus !== undefined ? formatPosition(focus, paths) : source === undefined ? '' : formatPath(source.path, paths);
  const what = `${paint.severity(severity, `${severity}[${code}]`)}: ${paint.strong(visible(shortened(shown)))}`;
  return where === '' ? what : `${where}: ${what}`;
}

function formatNote({ message, shown = message, span }: Note, { paint, paths }: Style): string {
  const where = span === undefined ? '' : ` (${formatPosition(span, paths)})`;
  return `  ${paint.strong('note:')} ${visible(shortened(shown))}${where}`;
}

/** A message may quote an expression of any length. */
function shortened(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}

function formatPosition({ source, start }: Span, paths: ListStyle): string {
  const { line, column } = source.lineAndColumn(start);
  return `${formatPath(source.path, paths)}:${line}:${column}`;
}

function counted(count: number, word: string): string {
  if (count === 0) return '';
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
