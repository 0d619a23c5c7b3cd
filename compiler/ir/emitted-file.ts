import type { Source } from '../diagnostics/source.js';
import type { Span } from '../diagnostics/span.js';
import { type PieceKind, PieceList } from './pieces.js';

/** A file of a compilation, most of them in generated/: equal policies produce equal bytes. */
export interface EmittedFile {
  /** Below the output folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** What the parts of the text are: nothing that works with generated code reads it to find out. */
  readonly pieces: PieceList;
  /** The imports of a module, without those of types. */
  readonly imports: readonly ModuleImport[];
  /** The exports of the module of a policy. */
  readonly exports: readonly ModuleExport[];
  /** The lists that the function of the module of a scope returns; none in other files. */
  readonly lists: readonly ReturnedList[];
  /** The lines that each rule produced. */
  readonly origins: readonly Origin[];
  /** Where the parts of the text were written. */
  readonly places: readonly TextPlace[];
}

/** The path of the module with the hash of the bundle. */
export const HASH_FILE = 'hash.ts';

/** The path of the module that is bundled. */
export const BUNDLE_ENTRY = 'bundle.ts';

/**
 * The files that are written to the output folder, where people review them. The second emission decides nothing: it is
 * only bundled, except where decisions are explained.
 */
export function reviewedFiles(files: readonly EmittedFile[]): readonly EmittedFile[] {
  const isExplained = files.some(({ path }) => path.startsWith('explain/'));
  return files.filter(({ path }) => path !== BUNDLE_ENTRY && (isExplained || !path.startsWith('traced/')));
}

/** An import of generated code. */
export interface ModuleImport {
  /** `authz/runtime/cel`, or the path of an emitted file. */
  readonly from: string;
  readonly names: readonly ImportedName[];
}

/** A name that a module imports, and its name there; `*` for all of a module. */
export interface ImportedName {
  readonly name: string;
  readonly as: string;
}

/** A constant that a module exports. */
export interface ModuleExport {
  readonly name: string;
  /** Whether other code of the module has the name. */
  readonly isMentioned: boolean;
}

/** A list by its name, of imported names: of what they are, or of what they contain. */
export interface ReturnedList {
  readonly list: string;
  readonly names: readonly string[];
  readonly isSpread: boolean;
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

/** Code as it was printed: what its parts are and where they were written, what it mentions and exports. */
export interface Printed {
  readonly text: string;
  /** The number of its lines. */
  readonly lines: number;
  readonly pieces: PieceList;
  readonly places: readonly PrintedPlace[];
  /** The names that have to be imported. */
  readonly mentions: ReadonlySet<string>;
  readonly exports: readonly ModuleExport[];
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
export interface Section extends Partial<Printed> {
  readonly text: string;
  readonly origin?: RuleOrigin;
  readonly origins?: readonly Origin[];
}

/** Joins sections into a file, with a blank line between them. Text of which nothing else is known is code. */
export function emittedFile(
  path: string,
  sections: readonly Section[],
  { imports = [], lists = [] }: Partial<Pick<EmittedFile, 'imports' | 'lists'>> = {},
): EmittedFile {
  const origins: Origin[] = [];
  const places: TextPlace[] = [];
  const pieces = new PieceList();
  const isOriginal = selectOriginals(sections);
  let line = 0;
  let offset = 0;
  for (const section of sections) {
    const { text, origin, origins: inside = [], places: marked = [], lines = lineCount(text) } = section;
    if (offset > 0) pieces.add('code', SEPARATOR.length);
    if (section.pieces === undefined) pieces.add('code', text.length);
    else pieces.addAll(section.pieces);
    for (const place of marked) {
      const { source, at, isEnd } = place;
      if (isOriginal(place)) places.push({ offset: offset + place.offset, source, at, isEnd });
    }
    offset += text.length + SEPARATOR.length;
    if (origin !== undefined) origins.push({ line, lines, ...origin });
    for (const part of inside) origins.push({ ...part, line: line + part.line });
    line += lines + 1;
  }
  pieces.add('code', END.length);
  return {
    path,
    text: `${sections.map(({ text }) => text).join(SEPARATOR)}${END}`,
    pieces,
    imports,
    exports: sections.flatMap(({ exports = [] }) => exports),
    lists,
    origins,
    places,
  };
}

/** A file with one more statement at its end. */
export function extendFile(file: EmittedFile, statement: string): EmittedFile {
  const pieces = new PieceList();
  pieces.addAll(file.pieces);
  pieces.add('code', statement.length + 2);
  return { ...file, text: `${file.text}\n${statement}\n`, pieces };
}

/** A section that is one piece. */
export function makeSection(kind: PieceKind, text: string): Section {
  const pieces = new PieceList();
  pieces.add(kind, text.length);
  return { text, pieces };
}

const END = '\n';
const SEPARATOR = '\n\n';

/**
 * Tells the places to keep: no copy of a place that the file has otherwise. A debugger stops where it first finds a
 * place: in the code that decides.
 */
function selectOriginals(sections: readonly Section[]): (place: PrintedPlace) => boolean {
  if (!sections.some(({ places }) => places?.some(({ isCopy }) => isCopy))) return () => true;
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
