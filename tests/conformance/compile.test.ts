import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { toReport } from '../../compiler/diagnostics/json.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { differences, type RecordedError } from './compile-report.js';
import { CORPUS, hasCorpus } from '../support/corpus.js';

interface Case {
  readonly id: string;
  /** Source texts by path, for a case without a folder. */
  readonly files?: { readonly [path: string]: string };
  /** The folder of the policies, relative to the case's. */
  readonly policies?: string;
  readonly want: { readonly ok: boolean; readonly errors?: readonly RecordedError[] };
}

const test = suite('recorded compilations');
const corpus = join(CORPUS, 'compile');

if (hasCorpus(import.meta.url)) {
  test('every recorded set of policies compiles or has the recorded problems', async () => {
    const known = readKnownFailures(join(import.meta.dirname, 'known-failures.txt'));
    const outcomes: Outcome[] = [];
    for (const entry of readdirSync(corpus).sort()) {
      outcomes.push(...(entry.endsWith('.json') ? await inlineCases(entry) : [await folderCase(entry)]));
    }
    settle('compile', outcomes, known, 240);
  });
}

test.run();

async function folderCase(name: string): Promise<Outcome> {
  const recorded = readJson<Case>(join(corpus, name, 'want.json'));
  return {
    id: `compile/${name}`,
    problem: await problemOf(join(corpus, name, recorded.policies ?? 'policies'), recorded),
  };
}

async function inlineCases(file: string): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const recorded of readJson<readonly Case[]>(join(corpus, file))) {
    const folder = mkdtempSync(join(tmpdir(), 'authz-compile-'));
    try {
      writeFiles(folder, recorded.files ?? {});
      outcomes.push({ id: `compile/${recorded.id}`, problem: await problemOf(folder, recorded) });
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  return outcomes;
}

async function problemOf(folder: string, { want }: Case): Promise<string | undefined> {
  const { program, diagnostics } = await compileFolder(folder);
  const found = differences(toReport(diagnostics).errors, want.errors ?? []);
  const compiles = program !== undefined;
  const problems = compiles === want.ok ? found : [`compiles: ${compiles}`, ...found];
  return problems.length === 0 ? undefined : problems.join('\n    ');
}

function writeFiles(folder: string, files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
