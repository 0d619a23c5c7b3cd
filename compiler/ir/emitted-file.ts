import type { Span } from '../diagnostics/span.js';

/** One file of generated/: equal policies give equal bytes. */
export interface EmittedFile {
  /** Below the output folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Which lines of the text came from which rule. */
  readonly origins: readonly Origin[];
}

export interface Origin {
  /** The first line, 0-based, and how many. */
  readonly line: number;
  readonly lines: number;
  /** As decisions name it: `resource.album.vdefault#owners`. */
  readonly rule: string;
  readonly span: Span;
}

/** The rule that a text states. */
export type RuleOrigin = Pick<Origin, 'rule' | 'span'>;

/** A paragraph of a file; `origin` is the rule its declaration states, `origins` those of its lines. */
export interface Section {
  readonly text: string;
  readonly origin?: RuleOrigin;
  readonly origins?: readonly Origin[];
}

/** The file made of sections, a blank line between each two. */
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

/** How many lines a text has. */
export function lineCount(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
