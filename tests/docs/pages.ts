import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/compiled.js';

/** The folder of the documentation. */
export const DOCS_FOLDER = join(ROOT, 'docs');

/** README.md and every page of docs, sorted. */
export function allPages(): readonly string[] {
  const pages = readdirSync(DOCS_FOLDER, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  return [join(ROOT, 'README.md'), ...pages.toSorted().map((path) => join(DOCS_FOLDER, path))];
}

/** The pages whose blocks are run: those of diagnostics are printed from the registry, whose examples have tests of their own. */
export function pagesThatRun(): readonly string[] {
  return allPages().filter((path) => !path.startsWith(join(DOCS_FOLDER, 'diagnostics')));
}
