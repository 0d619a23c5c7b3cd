import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { readTablesOf } from '../../packages/cli/policies/request-files.js';
import { diagnosticsOfTables } from '../../packages/cli/policies/tables.js';
import { PROJECT_FILE, readVocabulary } from '../../packages/cli/policies/vocabulary.js';
import { PROCESS_CONTEXT } from '../../packages/cli/process-context.js';
import { formatPretty } from '../../compiler/diagnostics/format.js';
import type { Code } from '../../compiler/diagnostics/messages.js';

/** The folder of this suite: one folder of policies per code, with the compiler's output in `diagnostics.txt`. */
export const CASES = import.meta.dirname;

/** Lists files that are created when the case runs instead of committed: large files, symbolic links. */
export const GENERATED_FILES = 'generate.json';

/** Holds the flags of `authzc compile` for a case; absent when there are none. */
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
  const ofTables =
    flags.includes('--table') && table !== undefined
      ? diagnosticsOfTables(compilation, readTablesOf(join(folder, table), PROCESS_CONTEXT), 'postgresql')
      : [];
  return formatPretty([...compilation.diagnostics, ...ofTables], { color: false });
}
