import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../compiler/diagnostics/format.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { printProgram } from '../support/print-program.js';
import { ROOT } from '../support/compiled.js';

/**
 * Each folder is a test: what its `policies/` compile to, as people read it. `FILTER=name` runs the folders with that in their
 * name, `RECORD=1` rewrites what is expected: the diff is the review.
 */
const test = suite('golden files');

/** Where a case has its JSON schemas, below its policies. */
const SCHEMAS = '_schemas/';

const folder = join(ROOT, 'tests', 'golden');
const cases = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name.includes(process.env['FILTER'] ?? ''))
  .map(({ name }) => name)
  .sort();

test('there is a folder to run', () => {
  assert.ok(cases.length > 0, `no folder of tests/golden has \`${process.env['FILTER'] ?? ''}\` in its name`);
});

for (const name of cases) {
  test(`${name} compiles to what was recorded`, () => {
    const actual = outcomeOf(join(folder, name, 'policies'));
    if (process.env['RECORD'] === '1') record(join(folder, name), actual);
    const expected = recorded(join(folder, name));
    assert.equal([...expected.keys()], [...actual.keys()]);
    for (const [path, text] of actual) assert.fixture(text, expected.get(path) ?? '', path);
  });
}

test.run();

/** The files of a case by path, sorted; the manifest changes with every edit, and is not among them. */
function outcomeOf(policies: string): ReadonlyMap<string, string> {
  const read = (path: string): string => readFileSync(join(policies, path), 'utf8');
  const paths = filesIn(policies, '');
  const sources = paths.filter((path) => !path.startsWith(SCHEMAS)).map((path) => new Source(path, read(path)));
  const schemas = new Map(paths.filter((path) => path.startsWith(SCHEMAS)).map((path) => [path.slice(SCHEMAS.length), read(path)]));
  const { files, program, diagnostics } = compile(sources, new Diagnostics(), { schemaTexts: schemas });
  const outcome = new Map<string, string>();
  if (diagnostics.length > 0) outcome.set('diagnostics.txt', formatPretty(diagnostics, { color: false }));
  for (const { path, text } of files) if (path !== 'manifest.json') outcome.set(`generated/${path}`, text);
  if (program !== undefined) outcome.set('ir.txt', printProgram(program));
  return outcome;
}

function recorded(directory: string): ReadonlyMap<string, string> {
  const paths = filesIn(directory, '').filter((path) => !path.startsWith('policies/'));
  return new Map(paths.map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
}

function record(directory: string, outcome: ReadonlyMap<string, string>): void {
  for (const path of ['generated', 'ir.txt', 'diagnostics.txt']) rmSync(join(directory, path), { recursive: true, force: true });
  for (const [path, text] of outcome) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

/** All files below a folder, sorted, with `/`. */
function filesIn(directory: string, prefix: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const paths = readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(directory, entry.name), `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  );
  return paths.sort();
}
