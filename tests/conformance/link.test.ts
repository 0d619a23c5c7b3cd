import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { toReport } from '../../compiler/diagnostics/json.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { link } from '../../compiler/link/index.js';
import { parse } from '../../compiler/parse/index.js';

const root = join(import.meta.dirname, '../../../shared/conformance/compile');

/** The kinds of problems that linking reports (policy-language.md 12.5, 12.6); the others are left out of the comparison. */
const KINDS = new Set([
  'ambiguous derived role',
  'constant redefined',
  'cyclical variable definitions',
  'disabled policy',
  'duplicate definition',
  'empty output',
  'invalid constant name',
  'invalid variable name',
  'missing import',
  'missing scope',
  'scope permissions conflict',
  'scripts in conditions are no longer supported',
  'undefined constant',
  'undefined variable',
  'unknown derived role',
  'variable redefined',
]);

interface Problem {
  readonly kind: string;
  readonly [fact: string]: unknown;
}

interface Case {
  readonly id?: string;
  readonly description?: string;
  readonly policies?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly want: { readonly ok: boolean; readonly errors?: readonly Problem[] };
}

if (existsSync(root)) {
  for (const entry of readdirSync(root).sort()) {
    if (entry.endsWith('.json')) inlineCases(entry);
    else folderCase(entry);
  }
} else {
  console.log('skipped: the recorded cases (../shared/conformance) are not here');
}

test.run();

function inlineCases(file: string): void {
  const content = readJson<readonly Case[] | { readonly cases: readonly Case[] }>(join(root, file));
  const cases = 'cases' in content ? content.cases : content;
  for (const recorded of cases) {
    const sources = Object.entries(recorded.files ?? {}).map(([path, text]) => new Source(path, text));
    test(`compile/${recorded.id}: ${recorded.description}`, () => verify(sources, recorded));
  }
}

function folderCase(name: string): void {
  const recorded = readJson<Case>(join(root, name, 'want.json'));
  const folder = join(root, name, recorded.policies ?? 'policies');
  test(`compile/${name}: ${recorded.description}`, () => verify(sourcesOf(folder), recorded));
}

function verify(sources: readonly Source[], recorded: Case): void {
  const report = new Diagnostics();
  const files = sources.flatMap((source) => parse(source, report) ?? []);
  link(files, report);
  assert.equal(comparable(toReport(report.sorted()).errors), comparable(recorded.want.errors ?? []));
}

/** What the recorded report says of a problem, in one order. */
function comparable(problems: readonly object[]): readonly unknown[] {
  const facts = (problems as readonly Problem[])
    .filter(({ kind }) => KINDS.has(kind))
    .map(({ stage, kind, file, message, position, policy, otherFile, descendants, scope }) =>
      JSON.stringify({ stage, kind, file, message, position, policy, otherFile, descendants, scope }),
    );
  return facts.sort().map((fact) => JSON.parse(fact));
}

/** The policy files below a folder (2.1). */
function sourcesOf(folder: string): readonly Source[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => /\.(?:ya?ml|json)$/i.test(path) && !/_test\.[a-z]+$/i.test(path))
    .filter((path) => path.split('/').every((part) => !part.startsWith('.') && part !== 'testdata' && part !== '_schemas'))
    .sort()
    .map((path) => new Source(path, readFileSync(join(folder, path), 'utf8')));
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
