import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import sqlite from 'node-sqlite3-wasm';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import { readTableFile } from '../../packages/cli/policies/request-files.js';
import { diagnosticsOfFacts } from '../../packages/cli/policies/compiled-facts.js';
import { writeClient } from '../../packages/cli/policies/client.js';
import { diagnosticsOfTables } from '../../packages/cli/policies/tables.js';
import { compareTables } from '../../packages/cli/tables/compare-tables.js';
import { openTables } from '../../packages/cli/tables/open-tables.js';
import { PROJECT_FILE, readVocabulary } from '../../packages/cli/policies/vocabulary.js';
import { PROCESS_CONTEXT } from '../../packages/cli/process-context.js';
import { type Diagnostic, Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables } from '../../compiler/tables/read-tables.js';
import { formatPretty } from '../../compiler/diagnostics/format.js';
import type { Code } from '../../compiler/diagnostics/messages.js';

/** The folder of this suite: one folder of policies per code, with the compiler's output in `diagnostics.txt`. */
export const CASES = import.meta.dirname;

/** Lists files that are created when the case runs instead of committed: large files, symbolic links. */
export const GENERATED_FILES = 'generate.json';

/** Holds the flags of `authzc compile` for a case, or those of `authzc rls` or `authzc plan` after its name; absent when there are none. */
export const FLAGS_FILE = 'flags.txt';

/** The name of the folder and of the page in docs/diagnostics for a code: `rule/repeated` is `rule__repeated`. */
export function fileNameOf(code: Code): string {
  return code.replace('/', '__');
}

/** The compiler's output for a folder of policies, as on a terminal without colours. */
export async function shownFor(folder: string): Promise<string> {
  if (!readdirSync(folder).includes(GENERATED_FILES)) return shownFrom(folder, flagsOf(folder));
  const made = mkdtempSync(join(tmpdir(), 'authz-diagnostics-'));
  try {
    for (const file of generatedFilesOf(folder)) make(file, made);
    return await shownFrom(made);
  } finally {
    rmSync(made, { recursive: true });
  }
}

/** The flags of a case. */
export function flagsOf(folder: string): readonly string[] {
  return readdirSync(folder).includes(FLAGS_FILE)
    ? readFileSync(join(folder, FLAGS_FILE), 'utf8').trim().split(' ')
    : [];
}

/** A file or link that is created when its case runs. */
export type GeneratedFile =
  | { readonly path: string; readonly text: string; readonly times: number }
  | { readonly path: string; readonly link: string };

/** The files that a case creates when it runs. */
export function generatedFilesOf(folder: string): readonly GeneratedFile[] {
  const files = JSON.parse(readFileSync(join(folder, GENERATED_FILES), 'utf8')) as { readonly [path: string]: object };
  return Object.entries(files).map(([path, file]) => ({ path, ...file }) as GeneratedFile);
}

function make(file: GeneratedFile, folder: string): void {
  const path = join(folder, file.path);
  mkdirSync(dirname(path), { recursive: true });
  if ('link' in file) symlinkSync(file.link, path);
  else writeFileSync(path, file.text.repeat(file.times));
}

async function shownFrom(folder: string, flags: readonly string[] = []): Promise<string> {
  const vocabulary = readVocabulary(join(folder, PROJECT_FILE));
  const compilation = compileFolder(folder, { strictTypes: flags.includes('--strict-types'), vocabulary });
  const table = flags[flags.indexOf('--table') + 1];
  if (flags[0] === 'rls' && table !== undefined) return formatPretty(ofRowSecurity(folder, table), { color: false });
  const ofTables =
    flags.includes('--table') && table !== undefined
      ? diagnosticsOfTables(compilation, readTableFile(join(folder, table), PROCESS_CONTEXT), 'postgresql')
      : [];
  const schema = flags[flags.indexOf('--database') + 1];
  if (flags.includes('--database') && table !== undefined && schema !== undefined)
    return formatPretty(await ofDatabase(folder, table, schema), { color: false });
  const view = flags[flags.indexOf('--client') + 1];
  // Without a solver.
  const { diagnostics: ofClient } =
    flags.includes('--client') && view !== undefined
      ? await writeClient(compilation, readFileSync(join(folder, view), 'utf8'), undefined)
      : { diagnostics: [] };
  const ofFacts = flags.includes('--facts') ? diagnosticsOfFacts(compilation) : [];
  return formatPretty([...compilation.diagnostics, ...ofTables, ...ofClient, ...ofFacts], { color: false });
}

/** What `authzc rls` says of a file of tables, whose policies compile. */
function ofRowSecurity(folder: string, table: string): readonly Diagnostic[] {
  const read = readTables(new Source(table, readFileSync(join(folder, table), 'utf8')));
  if ('problems' in read) return read.problems;
  const { lowered } = compileFolder(folder);
  const report = new Diagnostics();
  if (lowered !== undefined) protectTables(fold(lowered), {}, read, report);
  return report.sorted();
}

/** What `authzc plan --database` says of a file of tables; the case has the statements that make the database. */
async function ofDatabase(folder: string, table: string, schema: string): Promise<readonly Diagnostic[]> {
  const read = readTables(new Source(table, readFileSync(join(folder, table), 'utf8')));
  if ('problems' in read) return read.problems;
  const made = mkdtempSync(join(tmpdir(), 'authz-diagnostics-'));
  try {
    const path = join(made, 'made.db');
    const database = new sqlite.Database(path);
    database.exec(readFileSync(join(folder, schema), 'utf8'));
    database.close();
    const report = new Diagnostics();
    const tables = await openTables(`sqlite:${path}`);
    await compareTables(read, tables.read, 'sqlite', report);
    await tables.close();
    return report.sorted();
  } finally {
    rmSync(made, { recursive: true });
  }
}
