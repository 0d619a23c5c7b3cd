import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { messages } from '../../compiler/diagnostics/messages.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { link } from '../../compiler/link/index.js';
import { parseCel } from '../../packages/cel/parse/index.js';
import { parse } from '../../compiler/parse/index.js';
import { checkExpression } from '../../packages/cel/check/check-expression.js';
import { policyEnvironment } from '../../packages/cel/check/environment.js';
import { validate } from '../../compiler/validate/index.js';
import { skip } from '../support/skip.js';

const shared = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'shared');

interface CelCase {
  readonly id: string;
  readonly expr: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly errorKind?: string;
  readonly wantError?: string;
}

const caseFile = join(shared, 'cases', 'cel-cases.json');
if (existsSync(caseFile)) celCases();
else skip(import.meta.url, 'the recorded CEL cases are not here (../shared/cases)');

const corpus = join(shared, 'conformance', 'compile');
if (existsSync(corpus)) conformance();
else skip(import.meta.url, 'the recorded suites are not here (../shared/conformance)');

test.run();

function celCases(): void {
  const { cases } = JSON.parse(readFileSync(caseFile, 'utf8')) as { cases: readonly CelCase[] };
  // The linker finds undefined variables and constants.
  const judged = cases.filter(({ wantError }) => !wantError?.startsWith('Undefined '));

  test('an expression that does not compile has the recorded error', () => {
    const refused = judged.filter(({ errorKind }) => errorKind === 'compile');
    assert.ok(refused.length > 300);
    assert.equal(
      differences(refused.map(({ id, expr, wantError }) => ({ id, text: expr, want: wantError ?? '' }))),
      [],
    );
  });

  test('an expression that compiles has no error, and neither have its variables', () => {
    const accepted = judged.filter(({ errorKind }) => errorKind !== 'compile');
    assert.ok(accepted.length > 2000);
    const texts = accepted.flatMap(({ id, expr, variables = {} }) =>
      [expr, ...Object.values(variables)].map((text) => ({ id, text, want: '' })),
    );
    assert.equal(differences(texts), []);
  });
}

interface Wanted {
  readonly id: string;
  readonly text: string;
  readonly want: string;
}

function differences(expressions: readonly Wanted[]): readonly (Wanted & { readonly got: string })[] {
  return expressions
    .map((wanted) => ({ ...wanted, got: problemsOf(wanted.text) }))
    .filter(({ want, got }) => want !== got);
}

function problemsOf(text: string): string {
  const { ast, errors } = parseCel(text);
  const problems = ast === undefined ? errors : checkExpression(ast, policyEnvironment).problems;
  return problems.map(({ message }) => message).join(', ');
}

interface WantedError {
  readonly kind: string;
  readonly file: string;
  readonly message: string;
  readonly position?: { readonly line: number; readonly column: number; readonly path: string };
}

function conformance(): void {
  const cases = readdirSync(corpus).sort().flatMap(readCases);
  const judged = cases.filter(({ errors }) => errors.every(({ kind }) => kind === 'invalid expression'));
  assert.ok(judged.filter(({ errors }) => errors.length > 0).length > 50);

  for (const { id, sources, errors } of judged) {
    test(`conformance ${id}: invalid expressions are reported at the recorded positions`, () => {
      const report = new Diagnostics();
      validate(
        link(
          sources.flatMap((source) => parse(source, report) ?? []),
          report,
        ),
        report,
      );
      const found = report.sorted().flatMap(({ code, message, source, place }) => {
        if (messages[code].kind !== 'invalid expression' || source === undefined || place === undefined) return [];
        return [{ file: source.path, message, position: { ...source.lineAndColumn(place.anchor), path: place.path } }];
      });
      const wanted = errors.map(({ file, message, position }) => ({ file, message, position }));
      assert.equal(sortedByText(found), sortedByText(wanted));
    });
  }
}

interface CorpusCase {
  readonly id: string;
  readonly sources: readonly Source[];
  readonly errors: readonly WantedError[];
}

interface CorpusFile {
  readonly id?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Policies of another suite, relative to the case. */
  readonly policies?: string;
  readonly want: { readonly errors?: readonly WantedError[] };
}

function readCases(name: string): readonly CorpusCase[] {
  const path = join(corpus, name);
  if (name.endsWith('.json')) {
    const list = JSON.parse(readFileSync(path, 'utf8')) as readonly CorpusFile[];
    return list.map(({ id, files = {}, want }) => ({
      id: `${name} ${id}`,
      sources: Object.entries(files).map(([file, text]) => new Source(file, text)),
      errors: want.errors ?? [],
    }));
  }
  const { want, policies = 'policies' } = JSON.parse(readFileSync(join(path, 'want.json'), 'utf8')) as CorpusFile;
  return [{ id: name, sources: policiesBelow(join(path, policies)), errors: want.errors ?? [] }];
}

function policiesBelow(folder: string): readonly Source[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return files
    .map((file) => join(folder, file))
    .filter((file) => /\.(ya?ml|json)$/.test(file) && !file.includes('_schemas') && statSync(file).isFile())
    .map((file) => new Source(relative(folder, file).split(sep).join('/'), readFileSync(file, 'utf8')));
}

function sortedByText<T>(list: readonly T[]): readonly T[] {
  return [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
