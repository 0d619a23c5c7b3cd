import type { Source } from '../diagnostics/source.js';
import type { Span } from '../diagnostics/span.js';

/** A file in generated/: equal policies produce equal bytes. */
export interface EmittedFile {
  /** Below the output folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The lines that each rule produced. */
  readonly origins: readonly Origin[];
  /** Where the parts of the text were written. */
  readonly places: readonly TextPlace[];
}

/** Where the text from an offset on was written, in order of the offsets; the last of equal offsets counts. */
export interface TextPlace {
  readonly offset: number;
  readonly source: Source;
  /** The offset in the source. */
  readonly at: number;
  /** Whether an expression ends here: the next line belongs to the rule. */
  readonly isEnd: boolean;
}

/** A place that is left out where other code of the file has it, too. */
export interface PrintedPlace extends TextPlace {
  readonly isCopy: boolean;
}

/** Text, and where its parts were written. */
export interface Printed {
  readonly text: string;
  readonly places: readonly PrintedPlace[];
}

export interface Origin {
  /** The first line, 0-based, and the number of lines. */
  readonly line: number;
  readonly lines: number;
  /** The name of the rule as in decisions: `resource.album.vdefault#owners`. */
  readonly rule: string;
  readonly span: Span;
}

/** The rule that a piece of generated code implements. */
export type RuleOrigin = Pick<Origin, 'rule' | 'span'>;

/** A section of a file; `origin` is the rule that its declaration implements, `origins` are those of its lines. */
export interface Section {
  readonly text: string;
  readonly places?: readonly PrintedPlace[];
  readonly origin?: RuleOrigin;
  readonly origins?: readonly Origin[];
}

/** Joins sections into a file, with a blank line between them. */
export function emittedFile(path: string, sections: readonly Section[]): EmittedFile {
  const origins: Origin[] = [];
  const places: TextPlace[] = [];
  const isOriginal = originalsOf(sections);
  let line = 0;
  let offset = 0;
  for (const { text, origin, origins: inside = [], places: marked = [] } of sections) {
    const lines = lineCount(text);
    for (const place of marked) {
      const { source, at, isEnd } = place;
      if (isOriginal(place)) places.push({ offset: offset + place.offset, source, at, isEnd });
    }
    offset += text.length + SEPARATOR.length;
    if (origin !== undefined) origins.push({ line, lines, ...origin });
    for (const part of inside) origins.push({ ...part, line: line + part.line });
    line += lines + 1;
  }
  return {
    path,
    text: `${sections.map(({ text }) => text).join(SEPARATOR)}\n`,
    origins,
    places,
  };
}

const SEPARATOR = '\n\n';

/**
 * Tells the places to keep: no copy of a place that the file has otherwise. A debugger stops where it first finds a
 * place: in the code that decides.
 */
function originalsOf(sections: readonly Section[]): (place: PrintedPlace) => boolean {
  const offsets = new Map<string, Set<number>>();
  for (const { places = [] } of sections) {
    for (const { isCopy, source, at } of places) {
      if (isCopy) continue;
      const known = offsets.get(source.path);
      if (known === undefined) offsets.set(source.path, new Set([at]));
      else known.add(at);
    }
  }
  return ({ isCopy, source, at }) => !isCopy || offsets.get(source.path)?.has(at) !== true;
}

/** The number of lines in a string. */
export function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
