import { existsSync, mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Diagnostic, Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { messages } from '../../compiler/diagnostics/messages.js';
import { load } from '../../compiler/load/index.js';
import { parse } from '../../compiler/parse/index.js';

/** The kinds of problem that loading and parsing find; those of other stages are not looked at here. */
const KINDS = ['parse', 'validation', 'load'];

interface Wanted {
  readonly kind: string;
  readonly file: string;
  readonly message?: string;
  readonly position?: { readonly line: number; readonly column: number; readonly path?: string };
  readonly advisory?: readonly string[];
}

interface Case {
  readonly id: string;
  readonly directory?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly policies?: string;
  readonly want: { readonly errors?: readonly Wanted[] };
}

const corpus = fileURLToPath(new URL('../../../shared/conformance/compile', import.meta.url));

if (existsSync(corpus)) {
  for (const one of readCases()) test(`${one.id} has the recorded problems of loading and parsing`, () => compareCase(one));
} else {
  console.log(`skipped: the recorded cases are not at ${corpus}`);
}

test.run();

function readCases(): readonly Case[] {
  const names = readdirSync(corpus).sort();
  const lists = names.filter((name) => name.endsWith('.json')).flatMap((name) => JSON.parse(readFileSync(join(corpus, name), 'utf8')) as Case[]);
  const directories = names
    .filter((name) => existsSync(join(corpus, name, 'want.json')))
    .map((name) => ({ ...(JSON.parse(readFileSync(join(corpus, name, 'want.json'), 'utf8')) as Case), id: name, directory: join(corpus, name) }));
  return [...directories, ...lists];
}

function compareCase(one: Case): void {
  const report = new Diagnostics();
  withDirectory(one, (directory) => {
    for (const source of load(directory, report).sources) parse(source, report);
  });
  const have = report.sorted().filter(({ severity }) => severity === 'error');
  const want = (one.want.errors ?? []).filter(({ kind }) => KINDS.includes(kind));
  assert.equal(have.map((diagnostic) => rowOf(diagnostic, want)).sort(byText), want.map((row) => wantedRow(row)).sort(byText));
}

function byText(a: unknown, b: unknown): number {
  const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

function withDirectory(one: Case, use: (directory: string) => void): void {
  if (one.files === undefined) {
    use(join(one.directory ?? corpus, one.policies ?? 'policies'));
    return;
  }
  const directory = mkdtempSync(join(tmpdir(), 'authz-parse-'));
  try {
    for (const [path, text] of Object.entries(one.files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

// Only texts of the YAML parser may be worded and placed in another way: all others are held to the letter.
function isFree({ message, kind }: Wanted): boolean {
  return kind === 'parse' && SYNTAX_TEXTS.some((text) => message?.startsWith(text));
}

const SYNTAX_TEXTS = ['could not find', 'non-map value', 'found character'];

function wantedRow(row: Wanted): unknown {
  if (isFree(row)) return { kind: row.kind, file: row.file };
  return { kind: row.kind, file: row.file, message: row.message, position: row.position && plain(row.position) };
}

function rowOf(diagnostic: Diagnostic, want: readonly Wanted[]): unknown {
  const file = diagnostic.source?.path;
  const { kind } = messages[diagnostic.code];
  if (want.some((row) => row.file === file && isFree(row))) return { kind, file };
  const { place, source } = diagnostic;
  const position = place && source && plain({ ...source.lineAndColumn(place.anchor), path: place.path });
  return { kind, file, message: diagnostic.message, position };
}

function plain({ line, column, path }: { line: number; column: number; path?: string }): unknown {
  return path ? { line, column, path } : { line, column };
}
