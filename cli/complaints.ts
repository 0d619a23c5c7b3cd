import type { Note } from '../compiler/diagnostics/diagnostic.js';
import { frameOf } from '../compiler/diagnostics/frame.js';
import { colored, type Paint, plain } from '../compiler/diagnostics/paint.js';
import type { Place } from '../compiler/diagnostics/span.js';
import { visible } from '../compiler/diagnostics/visible.js';

/** What is wrong with a file that describes a request, or with an argument: the command line's user can mend it. */
export class InputError extends Error {
  /** @param path the file or the option it is about, where there is no place in a file. */
  constructor(
    message: string,
    readonly place: Place | undefined,
    readonly notes: readonly Note[] = [],
    readonly path: string = '',
  ) {
    super(message);
  }
}

/** `alice.yaml:2:1: error: a principal has no field ...`, the lines around, and the way out. Ends with a line break. */
export function formatInputError(
  { message, place, notes, path }: InputError,
  options: { readonly color: boolean },
): string {
  const paint: Paint = options.color ? colored : plain;
  const where = place === undefined ? visible(path) : positionOf(place);
  const lines = [
    `${where === '' ? '' : `${where}: `}${paint.severity('error', 'error')}: ${paint.strong(visible(message))}`,
    ...(place === undefined ? [] : frameOf(place.span, paint)),
    ...notes.map((note) => `  ${paint.strong('note:')} ${visible(note.message)}`),
  ];
  return `${lines.join('\n')}\n`;
}

function positionOf({ span: { source, start } }: Place): string {
  const { line, column } = source.lineAndColumn(start);
  return `${visible(source.path)}:${line}:${column}`;
}
