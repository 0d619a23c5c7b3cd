import { type EmittedFile, lineCount, type ModuleExport, type TextPlace } from '../ir/emitted-file.js';
import type { Piece } from '../ir/pieces.js';

/** The path of the policy whose filters a module contains; undefined for any other module. */
export function matchDecisions(path: string): string | undefined {
  return path.endsWith('.where.ts') ? path.replace(/\.where\.ts$/, '.ts') : undefined;
}

/**
 * The names of exports where the module is the body of a function. One that the module itself does not mention has a
 * neutral name: modules that are otherwise equal do not differ in it.
 */
export function localExports(exports: readonly ModuleExport[]): readonly string[] {
  let neutral = 0;
  return exports.map(({ name, isMentioned }) => (isMentioned ? name : neutralName(neutral++)));
}

function neutralName(index: number): string {
  return `$$export${index}`;
}

/** What is kept of a module to compare it with others. */
export interface Shape {
  /** The code before, between and after the literals, without comments and imports. */
  readonly code: readonly string[];
  readonly literals: readonly string[];
}

/** The shape of a module: modules that differ only in literals and comments have the same code. */
export function findShape({ text, pieces }: EmittedFile): Shape {
  const code: string[] = [''];
  const literals: string[] = [];
  for (const piece of pieces.of(text)) {
    if (piece.kind === 'literal') {
      literals.push(piece.text);
      code.push('');
    } else if (piece.kind === 'code') code[code.length - 1] += piece.text;
  }
  return { code, literals };
}

/** A module as the body of a function. */
export interface ModuleBody {
  /** The code, with as many lines as the file; comments and imports are blank. */
  readonly text: string;
  /** The places of the file, with offsets in the body. */
  readonly places: readonly TextPlace[];
}

/**
 * The body of a module.
 * @param termOf what stands for a literal, by its index; undefined for the literal itself.
 */
export function moduleBody(
  { text, pieces, places }: EmittedFile,
  termOf: (literal: number) => string | undefined = () => undefined,
): ModuleBody {
  let body = '';
  let [literals, names, read, next] = [0, 0, 0, 0];
  const moved: TextPlace[] = [];
  const textIn = ({ kind, text }: Piece): string => {
    switch (kind) {
      case 'code':
        return text;
      case 'literal':
        return termOf(literals++) ?? text;
      case 'name':
        return neutralName(names++);
      case 'export':
        return '';
      case 'comment':
      case 'imports':
        return '\n'.repeat(lineCount(text) - 1);
    }
  };
  for (const piece of pieces.of(text)) {
    const end = read + piece.text.length;
    for (let place = places[next]; place !== undefined && place.offset < end; place = places[++next])
      moved.push({ ...place, offset: body.length + place.offset - read });
    body += textIn(piece);
    read = end;
  }
  return { text: body, places: moved };
}
