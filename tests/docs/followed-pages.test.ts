import { isBuiltin } from 'node:module';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { type Block, type Page, readPage } from '../support/docs/blocks.js';
import { DOCS_FOLDER, pagesThatRun } from './pages.js';

/*
 * What a reader has to know to follow a page in an empty folder. The tests that run blocks give each page the packages and
 * policies of the repository, so they do not notice that a page leaves out a step.
 */
const test = suite('pages that readers follow');

const pages = pagesThatRun().map(readPage);
const guides = pages.filter(({ path }) => path.startsWith('docs/guides/'));

test('a guide says how to set up a project, before its first section', () => {
  assert.ok(guides.length > 10);
  assert.match(readFileSync(join(DOCS_FOLDER, 'install.md'), 'utf8'), '\n## A project for the guides\n');
  assert.equal(
    guides.filter((guide) => !introductionOf(guide).includes('(../install.md#a-project-for-the-guides)')).map(pathOf),
    [],
  );
});

test('a guide installs exactly the packages that its code imports', () => {
  for (const guide of guides) {
    const [, installed = ''] = /`npm install ([^`]+)`/.exec(introductionOf(guide)) ?? [];
    const words = installed.split(' ').filter((word) => word !== '');
    const needed = [...importedBy(guide), ...toolsOf(guide)];
    assert.equal(words.toSorted(), [...new Set(needed)].toSorted(), guide.path);
  }
});

test('a guide shows each file that its code imports, or a command that writes it', () => {
  const missing = guides.flatMap((guide) => {
    const present = new Set(filesOf(guide));
    return importedFiles(guide)
      .filter((path) => !present.has(path) && !present.has(`${dirname(path)}/`))
      .map((path) => `${guide.path}: ${path}`);
  });
  assert.equal(missing, []);
});

test('a page with examples shows their policies, or leads to those of the repository', () => {
  const unnamed = pages.filter(
    (page) =>
      page.blocks.some(usesPolicies) &&
      !page.startsEmpty &&
      !page.blocks.some(({ file }) => file?.startsWith('policies/')) &&
      !/`policies\/album\.yaml`|\]\((\.\.\/)+policies\/\w+\.yaml\)/.test(textOf(page)),
  );
  assert.equal(unnamed.map(pathOf), []);
});

test('a page that creates a project, before authz is installed, says where it comes from', () => {
  const silent = pages.filter(
    (page) => /^\$? ?npx authzc init/m.test(textOf(page)) && !/install\.md#from-an-archive\)/.test(textOf(page)),
  );
  assert.equal(silent.map(pathOf), []);
});

test.run();

function textOf({ path }: Page): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function pathOf({ path }: Page): string {
  return path;
}

function introductionOf(page: Page): string {
  return textOf(page).split('\n## ')[0] ?? '';
}

/** The packages that the code of a page imports, except those of authz and Node. */
function importedBy({ blocks }: Page): readonly string[] {
  return blocks
    .flatMap(({ text }) => [...text.matchAll(/\bfrom '([^'.][^']*)'|\bimport '([^'.][^']*)'/g)])
    .map(([, from, bare]) => (from ?? bare ?? '').split('/'))
    .map(([scope = '', name]) => (scope.startsWith('@') ? `${scope}/${name}` : scope))
    .filter((name) => name !== 'authz' && !isBuiltin(name));
}

/** The files of the project that the code of a page imports, without their endings. */
function importedFiles({ blocks }: Page): readonly string[] {
  return blocks.flatMap(({ file = 'try.ts', text }) =>
    [...text.matchAll(/^import [^;]*?'(\.[^']*)'/gm)].map(([, path = '']) => withoutEnding(join(dirname(file), path))),
  );
}

/** The files that a reader of a page has, without their endings; and the folders of generated ones, with a slash. */
function filesOf(page: Page): readonly string[] {
  const text = textOf(page);
  const shown = page.blocks.flatMap(({ file }) => (file === undefined ? [] : [withoutEnding(file)]));
  const [, client] = /npx authzc compile .*--client-out (\S+)/.exec(text) ?? [];
  const [, prisma] = text.includes('npx prisma generate') ? (/^ +output += "(.*)"$/m.exec(text) ?? []) : [];
  return [
    ...shown,
    ...(text.includes('npx authzc compile') ? ['dist/policies'] : []),
    ...(client === undefined ? [] : [withoutEnding(client)]),
    ...(prisma === undefined ? [] : [`${join('prisma', prisma)}/`]),
  ];
}

function withoutEnding(path: string): string {
  return path.replace(/\.\w+$/, '');
}

/** The packages that the commands of a page need. */
function toolsOf({ blocks }: Page): readonly string[] {
  return [
    ...(blocks.some(({ language }) => language === 'prisma') ? ['prisma', '@prisma/client'] : []),
    ...(blocks.some(({ text }) => / --client /.test(text)) ? ['z3-solver'] : []),
  ];
}

/** Whether the output of a block depends on policies. */
function usesPolicies({ language, text }: Block): boolean {
  return (
    /from '\.\.?\/(dist\/policies|generated)/.test(text) ||
    (language === 'console' && /npx authzc (matrix|who-can|facts|plan|check|explain|inspect|verify|diff) /.test(text))
  );
}
