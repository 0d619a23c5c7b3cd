import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { anchorsIn, withoutCode } from '../../scripts/house/citations.js';
import { ROOT } from '../support/compiled.js';
import { allPages, DOCS_FOLDER, pagesForContributors } from './pages.js';

const test = suite('links of the documentation');

test('every link to a file of the repository, and to a heading in it, resolves', () => {
  assert.equal(allPages().flatMap(brokenLinks), []);
});

test('the index of the documentation lists every page and guide', () => {
  const index = readFileSync(join(DOCS_FOLDER, 'README.md'), 'utf8');
  const listed = [...index.matchAll(LINK)].map(([, target = '']) => target.split('#')[0]);
  const pages = allPages().map((file) => relative(DOCS_FOLDER, file));
  assert.equal(
    pages.filter((page) => /^(guides\/)?[\w-]+\.md$/.test(page) && page !== 'README.md' && !listed.includes(page)),
    [],
  );
});

test('every page says Cerbos where it means Cerbos', () => {
  const naming = [...allPages(), ...pagesForContributors()].filter((file) =>
    /\b(reference|another|that) PDP\b/i.test(readFileSync(file, 'utf8').replace(/\s+/g, ' ')),
  );
  assert.equal(
    naming.map((file) => relative(ROOT, file)),
    [],
  );
});

test('a command on a page is one that a project can run: npm puts authzc on no path', () => {
  const others = new Set(pagesForContributors());
  const pages = allPages().filter((file) => !others.has(file) && !/\/docs\/(spec|diagnostics|command-line)/.test(file));
  const bare = pages.filter((file) => /^(\$ )?authzc [a-z]/m.test(readFileSync(file, 'utf8')));
  assert.equal(
    bare.map((file) => relative(ROOT, file)),
    [],
  );
});

test.run();

/** `[text](target)`, outside code. */
const LINK = /\]\(([^)\s]+)\)/g;

function brokenLinks(file: string): readonly string[] {
  const targets = [...withoutCode(readFileSync(file, 'utf8')).matchAll(LINK)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target) && !leads(file, target))
    .map((target) => `${relative(ROOT, file)}: ${target}`);
}

function leads(file: string, target: string): boolean {
  const [path = '', heading] = target.split('#');
  const found = path === '' ? file : join(dirname(file), path);
  if (!existsSync(found)) return false;
  return heading === undefined || (statSync(found).isFile() && anchorsIn(readFileSync(found, 'utf8')).has(heading));
}
