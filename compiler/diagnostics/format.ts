import type { Diagnostic, Note } from './diagnostic.js';
import { frameOf } from './frame.js';
import { colored, type Paint, plain } from './paint.js';
import type { Source } from './source.js';
import type { Span } from './span.js';
import { visible } from '../../terminal/text.js';

/** In UTF-16 units. */
const LONGEST_MESSAGE = 1000;

/** One line a diagnostic, `file:line:col: error[code]: message`: for editors and logs. Ends with a line break unless empty. */
export function formatList(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${headerOf(diagnostic, plain)}\n`).join('');
}

/** Each diagnostic with the lines of the policy it is about and its notes, then how many there were. */
export function formatPretty(diagnostics: readonly Diagnostic[], options: { readonly color: boolean }): string {
  if (diagnostics.length === 0) return '';
  const paint = options.color ? colored : plain;
  const blocks = diagnostics.map((diagnostic) => `${blockOf(diagnostic, paint).join('\n')}\n`);
  return `${blocks.join('\n')}\n${summaryOf(diagnostics)}\n`;
}

/** `2 errors, 1 warning`. */
export function summaryOf(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const warnings = diagnostics.length - errors;
  return [counted(errors, 'error'), counted(warnings, 'warning')].filter((part) => part !== '').join(', ');
}

function blockOf(diagnostic: Diagnostic, paint: Paint): readonly string[] {
  const { place, notes } = diagnostic;
  return [
    headerOf(diagnostic, paint),
    ...(place === undefined ? [] : frameOf(place.span, paint)),
    ...notes.map((note) => noteOf(note, paint)),
  ];
}

function headerOf({ source, place, severity, code, message }: Diagnostic, paint: Paint): string {
  const where = place === undefined ? pathOf(source) : positionOf(place.span);
  const what = `${paint.severity(severity, `${severity}[${code}]`)}: ${paint.strong(visible(shortened(message)))}`;
  return where === '' ? what : `${where}: ${what}`;
}

function noteOf({ message, span }: Note, paint: Paint): string {
  const where = span === undefined ? '' : ` (${positionOf(span)})`;
  return `  ${paint.strong('note:')} ${visible(shortened(message))}${where}`;
}

/** A message may quote an expression of any length. */
function shortened(message: string): string {
  return message.length <= LONGEST_MESSAGE ? message : `${message.slice(0, LONGEST_MESSAGE)}…`;
}

function pathOf(source: Source | undefined): string {
  return source === undefined ? '' : visible(source.path);
}

function positionOf({ source, start }: Span): string {
  const { line, column } = source.lineAndColumn(start);
  return `${pathOf(source)}:${line}:${column}`;
}

function counted(count: number, word: string): string {
  if (count === 0) return '';
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
