import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The folder of this repository. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The folders of the product: what is published or served. A folder that is not there has no files. */
export const PRODUCT = ['compiler', 'packages', 'proto', 'runtime', 'server'] as const;

/** Every file that git tracks and that is still there, sorted, with paths from the root. */
export function trackedFiles(): readonly string[] {
  const names = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 }).split(
    '\0',
  );
  return names.filter((name) => name !== '' && existsSync(join(ROOT, name)));
}

/** The text of a tracked file. */
export function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** How many lines a text has; a last line without a line break counts. */
export function lineCount(text: string): number {
  const breaks = text.split('\n').length - 1;
  return text === '' || text.endsWith('\n') ? breaks : breaks + 1;
}

/** The lines of several files together. */
export function linesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + lineCount(textOf(file)), 0);
}

export function isTest(file: string): boolean {
  return file.endsWith('.test.ts');
}

/** Whether a program of this repository prints the file: such files are read, not edited. */
export function isGenerated(file: string): boolean {
  return /^(examples\/[^/]+\/)?generated\/|^proto\/gen\/|^tests\/golden\/|^tests\/diagnostics\/[^/]*__/.test(file);
}

/**
 * What `proto` holds beside messages: the description of REST, a channel for clients, and the index that reflection
 * answers from.
 */
const NO_MESSAGES = /^proto\/openapi\/|^proto\/(tls-channel|descriptor-index)\.ts$/;

/**
 * Whether people write this file by hand to define, read, print, encode, measure or validate messages. Counted are
 * `proto` (the generator, too, but neither what it prints nor OpenAPI's examples) and the messages that the server's
 * transports write themselves.
 */
export function isMessageLayer(file: string): boolean {
  if (!file.endsWith('.ts') || isTest(file) || isGenerated(file) || NO_MESSAGES.test(file)) return false;
  return /^proto\/|^server\/transport\/[^/]*-messages\.ts$/.test(file);
}

/** The lines of a TypeScript file that are longer than `columns` characters. */
export interface LongLines {
  /** Those that a formatter could break: they would be too long without their strings, too. */
  readonly code: number;
  /** Those that only the text of strings, templates and regular expressions makes too long. */
  readonly text: number;
}

/** Counts the long lines of a TypeScript file. Comments are code here: they can be wrapped. */
export function longLines(text: string, columns: number): LongLines {
  const lines = text.split('\n');
  if (lines.every((line) => line.length <= columns)) return { code: 0, text: 0 };
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  const starts = source.getLineStarts();
  const inText = new Array<number>(lines.length).fill(0);
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node) || ts.isTemplateLiteralToken(node)) {
      const start = node.getStart(source);
      const last = source.getLineAndCharacterOfPosition(node.end).line;
      for (let line = source.getLineAndCharacterOfPosition(start).line; line <= last; line++) {
        const from = starts[line] as number;
        const length = Math.min(node.end, from + (lines[line] as string).length) - Math.max(start, from);
        inText[line] = (inText[line] as number) + Math.max(0, length);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  const long = lines.flatMap((line, index) =>
    [...line].length > columns ? [line.length - (inText[index] as number)] : [],
  );
  const code = long.filter((rest) => rest > columns).length;
  return { code, text: long.length - code };
}

/** The folder of a test suite that a file of tests belongs to: `tests/sql/rows.ts` to `sql`. */
function suiteOf(file: string): string | undefined {
  return /^tests\/([^/]+)\//.exec(file)?.[1];
}

const IMPORT = /(?:^(?:import|export|\})[^'\n]*|\bimport\()'(\.{1,2}\/[^']+)'/gm;

/** What a file of one test suite imports from the folder of another; `tests/support` is for all. */
export function crossSuiteImports(file: string, text: string): readonly string[] {
  const own = suiteOf(file);
  if (own === undefined) return [];
  const targets = [...text.matchAll(IMPORT)].map(([, specifier = '']) => join(dirname(file), specifier));
  return targets.filter((target) => ![undefined, own, 'support'].includes(suiteOf(target)));
}
