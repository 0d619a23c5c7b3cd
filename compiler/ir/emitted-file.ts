import type { Span } from '../diagnostics/span.js';

/** A file in generated/: equal policies produce equal bytes. */
export interface EmittedFile {
  /** Below the output folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The lines that each rule produced. */
  readonly origins: readonly Origin[];
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
  readonly origin?: RuleOrigin;
  readonly origins?: readonly Origin[];
}

/** Joins sections into a file, with a blank line between them. */
export function emittedFile(path: string, sections: readonly Section[]): EmittedFile {
  const origins: Origin[] = [];
  let line = 0;
  for (const { text, origin, origins: inside = [] } of sections) {
    const lines = lineCount(text);
    if (origin !== undefined) origins.push({ line, lines, ...origin });
    for (const part of inside) origins.push({ ...part, line: line + part.line });
    line += lines + 1;
  }
  return { path, text: `${sections.map(({ text }) => text).join('\n\n')}\n`, origins };
}

/** The number of lines in a string. */
export function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
