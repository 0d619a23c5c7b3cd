import { createEngine, type EngineOptions } from '../../runtime/engine/index.js';
import type { Explainer } from '../../runtime/engine/parts.js';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type BundleModule, importBundle } from '../../compiler/bundle/import-bundle.js';
import { bundle } from '../../compiler/bundle/index.js';
import { minifiedProgram } from '../../scripts/minified-program.js';
import { ROOT } from '../support/compiled.js';
import { closeBrowser, hasBrowser, inBrowser } from '../support/platforms/browser.js';
import { inRuntime, isInstalled, RUNTIMES } from '../support/platforms/runtimes.js';
import { start } from '../support/server/start.js';
import { clientAnswers } from './client.js';
import { clientProgram, emittedPolicies, suiteProgram } from './programs.js';
import { answersOf, explanationsOf, OPTIONS, type Wants } from './suite.js';
import { hasWorker, inWorker } from '../support/platforms/worker.js';
import { skip } from '../support/skip.js';

const test = suite('platforms');

const WANTS: readonly Wants[] = ['checks', 'checks and plans', 'explanations'];

/* A method may have the name (re2js has one); a call, or a reference to the function, is not allowed. */
const DIRECT_EVAL = /(?<!\.)\beval\s*\([^()]*\)(?!\s*\{)/;
const INDIRECT_EVAL = /\beval\b(?!\s*\()/;

/** Options of Node for hardened programs. */
const HARDENED: readonly string[] = [
  '--disable-proto=throw',
  '--disable-proto=delete',
  '--disallow-code-generation-from-strings',
  '--frozen-intrinsics',
  '--jitless',
];

/**
 * The answers of a bundle as a server loads it, with the engine next to it: two copies of the runtime, not minified.
 */
const expected = new Map<Wants, string>();
const programs = new Map<Wants, string>();

test.before(async () => {
  for (const wants of WANTS) {
    const { js } = await bundle(emittedPolicies(wants), join(ROOT, 'runtime'));
    expected.set(wants, await expectedOf((await importBundle(js)) as ExplainingBundle, wants));
    programs.set(wants, await suiteProgram(wants));
  }
});

test.after(closeBrowser);

test('there are answers of each kind', () => {
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

test('policies compiled for checks only decide like those with plans', () => {
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

  for (const runtime of RUNTIMES)
    test(`in ${runtime.name}: ${wants}`, async () => {
      if (!isInstalled(runtime)) return skip(import.meta.url, `${runtime.name} is not installed (.ci/run does)`);
      compare(await inRuntime(runtime, programOf(wants)), wants);
    });

  test(`the program evaluates no strings as code and uses no platform APIs: ${wants}`, () =>
    assertPlain(programOf(wants)));
}

for (const option of HARDENED)
  test(`with node ${option}`, async () => {
    const node = { name: 'Node', program: process.execPath, words: [option] };
    compare(await inRuntime(node, programOf('checks and plans')), 'checks and plans');
  });

for (const runtime of RUNTIMES)
  test(`clients over REST and Connect in ${runtime.name} get the answers of Node`, async () => {
    if (!isInstalled(runtime)) return skip(import.meta.url, `${runtime.name} is not installed (.ci/run does)`);
    const server = await start();
    try {
      const url = `http://${server.httpAddress}`;
      assert.is(await inRuntime(runtime, await clientProgram(), url), await clientAnswers(url));
    } finally {
      await server.close();
    }
  });

test('the core evaluates no strings as code and uses no platform APIs', async () =>
  assertPlain(await minifiedProgram("export * from 'authz/runtime';")));

test('a plan with policies compiled for checks only is rejected with a fix', async () => {
  const { js } = await bundle(emittedPolicies('checks'), join(ROOT, 'runtime'));
  const engine = createEngine((await importBundle(js)).policies);
  const ask = (): unknown =>
    engine.plan({ principal: { id: 'a', roles: ['user'] }, resource: { kind: 'contact' }, actions: ['read'] });
  assert.throws(ask, /compiled for checks only: compile them without --checks-only/);
});

test.run();

interface ExplainingBundle extends BundleModule {
  readonly explainer: (options: EngineOptions) => Promise<Explainer>;
}

async function expectedOf({ policies, explainer }: ExplainingBundle, wants: Wants): Promise<string> {
  return wants === 'explanations'
    ? explanationsOf(await explainer(OPTIONS))
    : answersOf(createEngine(policies, OPTIONS), wants);
}

function programOf(wants: Wants): string {
  return programs.get(wants) ?? '';
}

/** Compares line by line and reports only the first difference. */
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
