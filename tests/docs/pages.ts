import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/compiled.js';
import { type Page, readPage } from '../support/docs/blocks.js';

/** The folder of the documentation. */
export const DOCS_FOLDER = join(ROOT, 'docs');

/** README.md and every page of docs, sorted, then the other pages for contributors. */
export function allPages(): readonly string[] {
  const pages = [join(ROOT, 'README.md'), ...pagesBelow(DOCS_FOLDER)];
  return [...pages, ...pagesForContributors().filter((path) => !pages.includes(path))];
}

/**
 * The pages whose blocks are tested. Diagnostics pages are generated from the registry, whose examples have their own
 * tests, and the steps on pages for contributors would change the tree.
 */
export function pagesThatRun(): readonly string[] {
  const others = new Set(pagesForContributors());
  return allPages().filter((path) => !path.startsWith(join(DOCS_FOLDER, 'diagnostics')) && !others.has(path));
}

/** The pages for contributors: the other pages at the root, the decisions, the API report, and the map of the tests. */
export function pagesForContributors(): readonly string[] {
  const atRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md') && name !== 'README.md');
  return [
    ...atRoot.toSorted().map((name) => join(ROOT, name)),
    ...pagesBelow(join(DOCS_FOLDER, 'decisions')),
    ...pagesBelow(join(DOCS_FOLDER, 'api')),
    join(ROOT, 'tests/README.md'),
  ];
}

/** The pages of the API report, with the examples of functions alone. */
export function apiExamples(): readonly Page[] {
  return pagesBelow(join(DOCS_FOLDER, 'api')).map((path) => {
    const page = readPage(path);
    return { ...page, blocks: page.blocks.filter(({ heading }) => heading.includes(' ### ')) };
  });
}

function pagesBelow(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  return names.toSorted().map((path) => join(folder, path));
}

/** Whether the code of a page runs with a database, whose address is `DATABASE_URL`. */
export function needsDatabase({ blocks }: Page): boolean {
  return blocks.some(({ language, text }) => language === 'ts' && text.includes('DATABASE_URL'));
}
