import { visible } from '../../../compiler/diagnostics/visible.js';

/** What a command found, in the terms of SARIF 2.1.0, and as other logs for programs show it. Text is shown as for terminals: harmless characters only. */
export interface Finding {
  /** The id of its rule. */
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'note';
  /** The first sentence is its title. */
  readonly message: string;
  readonly location: Location;
  /** Other locations that explain it. */
  readonly related?: readonly (Location & { readonly message: string })[];
  readonly fix?: Fix;
}

/** A kind of finding. */
export interface FindingRule {
  readonly id: string;
  readonly level: Finding['level'];
  /** What it means and how to fix it, in Markdown. The first sentence is its description. */
  readonly help: string;
}

/** A file, or a folder for a problem of all of its files, and the part of it. */
export interface Location {
  /** Path from the working directory. */
  readonly path: string;
  readonly region?: Region;
}

/** A part of a file. Lines and columns are 1-based, columns count UTF-16 units; the end is exclusive. */
export interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
  /** The text of the region; left out if it is long. */
  readonly text?: string;
  /** The line that it begins on. */
  readonly line: string;
}

/** Replaces a part of the file of a finding. */
export interface Fix {
  readonly description: string;
  readonly region: Region;
  readonly text: string;
}

/** A text of several lines, harmless on a terminal. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}
