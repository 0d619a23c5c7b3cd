import { posix } from 'node:path';
import type { EmittedFile, TextPlace } from '../ir/emitted-file.js';

/**
 * A generated module, split into its imports and its body. Without the body: there may be tens of thousands of modules,
 * and most of them share one.
 */
export interface ScopedModule {
  readonly file: EmittedFile;
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
  /** The line of the file at which the body begins, 0-based. */
  readonly firstLine: number;
}

/** The body of a module. `export` is removed from it, so that it can be placed in a function. */
export interface ScopedBody {
  readonly text: string;
  /** The places of the file, with offsets in the body. */
  readonly places: () => readonly TextPlace[];
}

/**
 * One export of a generated module. An export that the module itself does not use gets a neutral local name, so that
 * modules that are otherwise equal do not differ in it.
 */
export interface ModuleExport {
  readonly name: string;
  readonly local: string;
}

/**
 * One import of a generated module: `import * as cel` or `import { requester as asker }`. Type imports are omitted, as
 * esbuild omits them.
 */
export interface ModuleImport {
  /** `authz/runtime/cel`, or the path of an emitted file. */
  readonly from: string;
  /** `* as cel`, or each name as it is written: `requester as asker`. */
  readonly names: readonly string[];
}

/** The path of the policy whose filters a module contains; undefined for any other module. */
export function decisionsOf(path: string): string | undefined {
  return path.endsWith('.where.ts') ? path.replace(/\.where\.ts$/, '.ts') : undefined;
}

/** Splits a generated module into imports, exports and body. */
export function scopedModule(file: EmittedFile): { readonly module: ScopedModule; readonly body: ScopedBody } {
  const { text } = file;
  const imports: ModuleImport[] = [];
  let end = 0;
  for (const match of text.matchAll(IMPORT)) {
    const [statement, type, clause, specifier] = match as unknown as readonly [
      string,
      string | undefined,
      string,
      string,
    ];
    if (type === undefined)
      imports.push({ from: detached(sourcePath(file.path, specifier)), names: namesOf(clause).map(detached) });
    end = match.index + statement.length;
  }
  const exports: ModuleExport[] = [];
  const whole = text.slice(end);
  const code = whole.replace(NO_CODE, '');
  const moves: { readonly after: number; readonly by: number }[] = [];
  const body = whole.replace(EXPORT, (statement, name: string, start: number) => {
    const isAlone = code.indexOf(name, code.indexOf(name) + name.length) === -1;
    const local = isAlone ? `$$export${exports.length}` : name;
    exports.push({ name: detached(name), local: detached(local) });
    const declaration = `const ${local}`;
    moves.push({ after: end + start, by: declaration.length - statement.length });
    return declaration;
  });
  return {
    module: { file, imports, exports, firstLine: text.slice(0, end).split('\n').length - 1 },
    body: { text: body, places: () => moved(file.places, moves, end) },
  };
}

/** Places in a text that begins at an offset of the file, after replacements there. */
function moved(
  places: readonly TextPlace[],
  moves: readonly { readonly after: number; readonly by: number }[],
  begin: number,
): readonly TextPlace[] {
  let next = 0;
  let shift = -begin;
  return places.map((place) => {
    for (let move = moves[next]; move !== undefined && move.after < place.offset; move = moves[next]) {
      shift += move.by;
      next += 1;
    }
    return { ...place, offset: place.offset + shift };
  });
}

/* Each line of a generated module is code or a `//` comment, so its first word identifies it. */
const IMPORT = /^import (type )?(\* as \w+|\{[^}]*\}) from '([^']+)';$/gm;
const NO_CODE = /\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'/g;
const EXPORT = /^export const ([\w$]+)/gm;

/** A copy: V8 keeps a text in memory as long as a part of it. */
function detached(part: string): string {
  return Buffer.from(part).toString();
}

function sourcePath(importer: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(importer), specifier).replace(/\.js$/, '.ts') : specifier;
}

function namesOf(clause: string): readonly string[] {
  if (clause.startsWith('*')) return [clause];
  return clause
    .slice(1, -1)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
