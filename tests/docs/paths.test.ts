import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutCode } from '../../scripts/house/citations.js';
import { ROOT } from '../support/compiled.js';
import { pagesForContributors } from './pages.js';

const test = suite('paths on the pages for contributors');

/** The entries at the root of the repository. A path begins with one of these. */
const TOP = new Set(
  execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 })
    .split('\0')
    .map((name) => name.split('/')[0] as string),
);

test('every file and folder that these pages name exists', () => {
  const missing = pagesForContributors().flatMap((page) =>
    pathsIn(readFileSync(page, 'utf8'))
      .filter((path) => !isThere(path))
      .map((path) => `${relative(ROOT, page)}: ${path}`),
  );
  assert.equal(missing, []);
});

test('a path is recognised by its first folder or its extension', () => {
  assert.equal(pathsIn('`tests/docs` and `tests/none.ts`, `gone.ts`, `tests/*.ts` and `tests/none/*.ts`'), [
    'tests/docs',
    'tests/none.ts',
    'gone.ts',
    'tests/*.ts',
    'tests/none/*.ts',
  ]);
  assert.equal(
    pathsIn(
      '`authz/runtime`, `_schemas`, `a && b`, `engine.limits`, `./tests`, `tests` and\n```sh\ncat `tests/x`\n```\n',
    ),
    ['tests'],
  );
  assert.equal(['tests/docs', 'tests/none.ts', 'gone.ts', 'tests/*.ts', 'tests/none/*.ts'].map(isThere), [
    true,
    false,
    false,
    true,
    false,
  ]);
});

test.run();

/** The code spans of a page that are paths from the root: they begin with a known entry, or end like a file. */
function pathsIn(page: string): readonly string[] {
  const spans = [...withoutCode(page).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  return spans.filter(
    (span) =>
      /^[\w.@-]+(\/[\w.*@-]+)*\/?$/.test(span) &&
      (TOP.has(span.split('/')[0] as string) || /\w\.(ts|md|ya?ml|cjs|proto|sh)$/.test(span)),
  );
}

function isThere(path: string): boolean {
  return existsSync(join(ROOT, path.includes('*') ? dirname(path) : path));
}
