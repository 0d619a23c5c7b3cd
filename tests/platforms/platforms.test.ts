import { createEngine } from '#runtime/engine';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { importBundle } from '../../compiler/bundle/import-bundle.js';
import { bundle } from '../../compiler/bundle/index.js';
import { minifiedProgram } from '../../scripts/minified-program.js';
import { ROOT } from '../support/compiled.js';
import { hasBrowser, inBrowser } from '../support/platforms/browser.js';
import { emittedPolicies, suiteProgram } from './programs.js';
import { answersOf, OPTIONS, type Wants } from './suite.js';
import { hasWorker, inWorker } from '../support/platforms/worker.js';
import { skip } from '../support/skip.js';

const test = suite('places');

const WANTS: readonly Wants[] = ['checks', 'checks and plans'];

/* A method may be called so (re2js has one); a call, or the function itself, may not. */
const DIRECT_EVAL = /(?<!\.)\beval\s*\([^()]*\)(?!\s*\{)/;
const INDIRECT_EVAL = /\beval\b(?!\s*\()/;

/** From a bundle as a server loads it, and the engine beside it: two copies of the runtime, neither minified. */
const expected = new Map<Wants, string>();
const programs = new Map<Wants, string>();

test.before(async () => {
  for (const wants of WANTS) {
    const { js } = await bundle(emittedPolicies(wants), join(ROOT, 'runtime'));
    expected.set(wants, answersOf(createEngine((await importBundle(js)).policies, OPTIONS), wants));
    programs.set(wants, await suiteProgram(wants));
  }
});

test('the suite asks something: there are answers of each kind', () => {
  const text = expected.get('checks and plans') ?? '';
  for (const part of [
    '"effect":1',
    '"effect":2',
    'KIND_CONDITIONAL',
    'KIND_ALWAYS_DENIED',
    '"val":"Ärger 123 9"',
    '"error":',
  ])
    assert.ok(text.includes(part), part);
});

test('policies compiled for checks only decide as those with plans do', () => {
  const checks = (text: string | undefined): readonly string[] =>
    (text ?? '').split('\n').filter((line) => !line.startsWith('{"filter"'));
  assert.equal(checks(expected.get('checks')), checks(expected.get('checks and plans')));
});

for (const wants of WANTS) {
  test(`minified, in Node: ${wants}`, async () => {
    const module = (await import(`data:text/javascript,${encodeURIComponent(programOf(wants))}`)) as {
      readonly answers: () => string;
    };
    compare(module.answers(), wants);
  });

  test(`in a browser whose page forbids eval: ${wants}`, async () => {
    if (!hasBrowser) return skip(import.meta.url, 'Chromium is not installed (/usr/bin/chromium)');
    const { forbids, text } = await inBrowser(programOf(wants));
    assert.ok(forbids, 'the page must forbid code from texts');
    compare(text, wants);
  });

  test(`in a worker: ${wants}`, async () => {
    if (!hasWorker) return skip(import.meta.url, 'workerd is not installed');
    compare(await inWorker(programOf(wants)), wants);
  });

  test(`the program has no code from texts, and nothing of a platform: ${wants}`, () => assertPlain(programOf(wants)));
}

test('the core has no code from texts, and nothing of a platform', async () =>
  assertPlain(await minifiedProgram("export * from '#runtime/engine';")));

test('a plan by policies that were compiled for checks only is refused, and says how to get it', async () => {
  const { js } = await bundle(emittedPolicies('checks'), join(ROOT, 'runtime'));
  const engine = createEngine((await importBundle(js)).policies);
  const ask = (): unknown =>
    engine.plan({ principal: { id: 'a', roles: ['user'] }, resource: { kind: 'contact' }, actions: ['read'] });
  assert.throws(ask, /compiled for checks only: compile them without --checks-only/);
});

test.run();

function programOf(wants: Wants): string {
  return programs.get(wants) ?? '';
}

/** The first line that differs, not all of them. */
function compare(text: string, wants: Wants): void {
  const lines = (expected.get(wants) ?? '').split('\n');
  const given = text.split('\n');
  const at = lines.findIndex((line, index) => line !== given[index]);
  if (at >= 0) assert.is(given[at], lines[at], `line ${at}`);
  assert.is(given.length, lines.length);
}

function assertPlain(program: string): void {
  assert.ok(program.length > 10_000);
  for (const forbidden of [
    DIRECT_EVAL,
    INDIRECT_EVAL,
    /\bFunction\s*\(/,
    /\bWebAssembly\b/,
    /\bimport\s*[("']/,
    /\brequire\s*\(/,
    /\bprocess\b/,
    /\bBuffer\b/,
    /\bglobalThis\b(?!\.Text(?:En|De)coder\b)/,
    /["'`]node:/,
  ]) {
    assert.is(forbidden.exec(program)?.[0], undefined);
  }
}
