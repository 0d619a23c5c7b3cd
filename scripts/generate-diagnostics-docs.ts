import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFiles } from '../packages/cli/outputs/replace-files.js';
import { diagnosticsPages } from './diagnostics-pages.js';

/** Writes docs/diagnostics; with `--check` it writes nothing and fails when a page is not what it should be. */
const FOLDER = join(import.meta.dirname, '..', 'docs', 'diagnostics');

const pages = diagnosticsPages();
const present = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.md')) : [];
const stale = present.filter((name) => !pages.has(name)).toSorted();
const due = [...pages].filter(
  ([name, text]) => !present.includes(name) || readFileSync(join(FOLDER, name), 'utf8') !== text,
);

if (process.argv.includes('--check')) check();
else await write();

function check(): void {
  const names = [...due.map(([name]) => name), ...stale];
  if (names.length === 0) return;
  console.error(
    `docs/diagnostics is out of date:\n${names.map((name) => `  ${name}`).join('\n')}\nrun: node --import tsx scripts/generate-diagnostics-docs.ts`,
  );
  process.exitCode = 1;
}

async function write(): Promise<void> {
  replaceFiles(due.map(([name, text]) => ({ path: join(FOLDER, name), text })));
  for (const name of stale) rmSync(join(FOLDER, name));
}
