import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unresolvedIn } from '../../scripts/house/citations.js';
import { ROOT, textOf, trackedFiles } from '../../scripts/house/tree.js';

const test = suite('citations');

test('every section of the docs that code, tests and docs cite exists', () => {
  const files = trackedFiles().filter(
    (file) => /\.(ts|cjs|md|proto|txt|ya?ml)$/.test(file) && !file.startsWith('scripts/house'),
  );
  assert.ok(files.length > 1000, `${files.length} files`);
  const pages = new Map<string, string | undefined>();
  const readPage = (path: string): string | undefined => {
    if (!pages.has(path))
      pages.set(path, existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined);
    return pages.get(path);
  };
  const unresolved = files.flatMap((file) =>
    unresolvedIn(textOf(file), readPage).map(({ line, text }) => `${file}:${line} ${text}`),
  );
  assert.equal(unresolved, []);
});

test.run();
