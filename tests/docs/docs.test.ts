import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDocument } from 'yaml';
import { loadConfig } from '../../server/config.js';
import { folderOf, launch, PROGRAMS, type Running, stop } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';
import { type Block, type Page, readPage, titleOf } from '../support/docs/blocks.js';
import { runExpressions } from './cel-blocks.js';
import { runCode } from './code-blocks.js';
import { runHttp } from './http-blocks.js';
import { apiExamples, needsDatabase, pagesThatRun } from './pages.js';
import { runPolicies } from './policy-blocks.js';
import { hasSteps, runSteps } from '../support/docs/steps.js';
import { openShell } from '../support/docs/shell-blocks.js';
import { within } from '../support/timeout.js';

const test = suite('documentation');

/** Selects one page, for authors. */
const only = process.env['AUTHZ_DOCS_PAGE'] ?? '';
const pages = pagesThatRun()
  .map(readPage)
  .filter(({ path }) => path.includes(only));

let server: Running;
let http = '';
let grpc = '';

test.before(async () => {
  server = launch(
    PROGRAMS.authzc,
    ['serve', join(ROOT, 'policies'), '--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0'],
    ROOT,
  );
  const line = await within(server.firstLine, 'the line of the server');
  [, http = '', grpc = ''] = /(http:\/\/[^,]+), gRPC on (.*)$/.exec(line) ?? [];
});

test.after(async () => {
  await stop(server);
});

test('every block says how it is tested', () => {
  assert.equal(
    pages
      .flatMap(({ blocks }) => blocks)
      .filter((block) => !isKnown(block))
      .map(titleOf),
    [],
  );
});

for (const page of pages) {
  test(`${page.path}: policies compile, and decide as the page says`, async () => {
    const groups = new Map<string, readonly Block[]>();
    for (const block of page.blocks) groups.set(block.heading, [...(groups.get(block.heading) ?? []), block]);
    const problems: string[] = [];
    for (const blocks of groups.values()) if (blocks.some(isPolicy)) problems.push(...(await runPolicies(blocks)));
    assert.equal(problems, []);
  });

  test(`${page.path}: expressions have the values shown, configurations are valid, excerpts match their files`, async () => {
    const problems = [...page.blocks.filter(({ words }) => words.has('config')).flatMap(configProblems)];
    problems.push(...page.blocks.filter(({ words }) => words.has('excerpt')).flatMap(excerptProblems));
    const requests = page.blocks.filter(({ words }) => words.has('request'));
    for (const request of [undefined, ...requests]) {
      const blocks = page.blocks.filter((block) => block.language === 'cel' && requestOf(block, page) === request);
      if (blocks.length > 0) problems.push(...(await runExpressions(blocks, request)));
    }
    assert.equal(problems, []);
  });

  test(`${page.path}: commands and requests print what is shown, one after another`, async () => {
    // Those that install the packages run in tests/installation.
    if (hasSteps(page) && !page.installs) assert.equal(await runSteps(page, openShell(page, http), runHttp), []);
  });
}

test('code type-checks, runs and prints what is shown', async () => {
  // Those that need a database run in database-pages.test.ts.
  const examples = apiExamples().filter(({ path }) => path.includes(only));
  const alone = [...pages, ...examples].filter((page) => !needsDatabase(page));
  assert.equal(await runCode(alone, { base: { http, grpc } }), []);
});

test.run();

/** An excerpt must match its file. */
function excerptProblems(block: Block): readonly string[] {
  const file = block.words.get('excerpt') ?? '';
  // A file that steps made is compared when they ran.
  if (file === '') return [];
  return readFileSync(join(ROOT, file), 'utf8').includes(block.text.trimEnd())
    ? []
    : [`${titleOf(block)}: ${file} does not say this`];
}

const KNOWN: { readonly [language: string]: readonly string[] } = {
  yaml: ['policy', 'policy-error', 'policy-warning', 'check', 'config', 'request', 'excerpt'],
  json: ['schema', 'output', 'config'],
  text: ['', 'output'],
  cel: [''],
  http: [''],
  sh: ['', 'serve', 'exit'],
  console: ['', 'exit'],
  ts: ['', 'excerpt'],
  html: [],
  js: [],
  mermaid: [''],
  prisma: [],
  ini: [],
  csv: [],
  polar: [],
};

/** A block without a file is tested as its words say. The name of a file is in the text, where readers see it. */
function isKnown({ language, words, file }: Block): boolean {
  const known = KNOWN[language];
  if (known === undefined) return false;
  return words.size === 0
    ? file !== undefined || known.includes('')
    : [...words.keys()].every((word) => known.includes(word));
}

/** The request for the expressions of a block: the last one before it. */
function requestOf(block: Block, { blocks }: Page): Block | undefined {
  return blocks.slice(0, blocks.indexOf(block)).findLast(({ words }) => words.has('request'));
}

function isPolicy({ words }: Block): boolean {
  return ['policy', 'policy-error', 'policy-warning', 'check'].some((word) => words.has(word));
}

function configProblems(block: Block): readonly string[] {
  const folder = folderOf({ 'authz.yaml': block.text });
  try {
    assert.equal(parseDocument(block.text).errors, []);
    const { warnings } = loadConfig({ file: join(folder, 'authz.yaml'), environment: {} });
    return warnings.map((warning) => `${titleOf(block)}: ${warning}`);
  } catch (error) {
    return [`${titleOf(block)}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
