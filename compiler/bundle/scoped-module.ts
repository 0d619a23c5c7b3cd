import { posix } from 'node:path';
import type { EmittedFile } from '../ir/emitted-file.js';

/**
 * A generated module taken apart: its imports apart from its body, in which `export` is gone, so that it may stand in a
 * function.
 */
export interface ScopedModule {
  readonly file: EmittedFile;
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
  readonly body: readonly string[];
  /** The line of the file at which the body begins, 0-based. */
  readonly firstLine: number;
}

/** One export of a generated module. What only it is called for loses its name, which tells like modules apart. */
export interface ModuleExport {
  readonly name: string;
  readonly local: string;
}

/**
 * One import of a generated module: `import * as cel` or `import { requester as asker }`. Types are left out, as
 * esbuild leaves them out.
 */
export interface ModuleImport {
  /** `#runtime/cel`, or the path of an emitted file. */
  readonly from: string;
  /** `* as cel`, or each name as it is written: `requester as asker`. */
  readonly names: readonly string[];
}

/** The path of the policy that a module has the filters of; undefined for any other module. */
export function decisionsOf(path: string): string | undefined {
  return path.endsWith('.where.ts') ? path.replace(/\.where\.ts$/, '.ts') : undefined;
}

/** Takes a generated module apart. */
export function scopedModule(file: EmittedFile): ScopedModule {
  const imports: ModuleImport[] = [];
  let end = 0;
  for (const match of file.text.matchAll(IMPORT)) {
    const [statement, type, clause, specifier] = match as unknown as readonly [
      string,
      string | undefined,
      string,
      string,
    ];
    if (type === undefined) imports.push({ from: sourcePath(file.path, specifier), names: namesOf(clause) });
    end = match.index + statement.length;
  }
  const exports: ModuleExport[] = [];
  const whole = file.text.slice(end);
  const code = whole.replace(NO_CODE, '');
  const body = whole.replace(EXPORT, (_, name: string) => {
    const isAlone = code.indexOf(name, code.indexOf(name) + name.length) === -1;
    const local = isAlone ? `$$export${exports.length}` : name;
    exports.push({ name, local });
    return `const ${local}`;
  });
  return { file, imports, exports, body: body.split('\n'), firstLine: file.text.slice(0, end).split('\n').length - 1 };
}

/* Each line of a generated module is code or a `//` comment, so what a line begins with is what it says. */
const IMPORT = /^import (type )?(\* as \w+|\{[^}]*\}) from '([^']+)';$/gm;
const NO_CODE = /\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'/g;
const EXPORT = /^export const ([\w$]+)/gm;

function sourcePath(importer: string, specifier: string): string {
  return specifier.startsWith('#') ? specifier : posix.join(posix.dirname(importer), specifier).replace(/\.js$/, '.ts');
}

function namesOf(clause: string): readonly string[] {
  if (clause.startsWith('*')) return [clause];
  return clause
    .slice(1, -1)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}
