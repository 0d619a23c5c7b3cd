import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsPages } from './diagnostics-pages.js';

const PAGES = diagnosticsPages();

test('docs/diagnostics is up to date with the registry and the recorded examples', () => {
  const folder = join(import.meta.dirname, '..', 'docs', 'diagnostics');
  const written = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const mend = 'run: node --import tsx scripts/generate-diagnostics-docs.ts';
  assert.equal(written.sort(), [...PAGES.keys()].sort(), mend);
  for (const [name, text] of PAGES) assert.is(readFileSync(join(folder, name), 'utf8'), text, `${name}: ${mend}`);
});

test('every page has an explanation and an example, and the index links to every page', () => {
  const index = PAGES.get('README.md') ?? '';
  for (const [name, text] of PAGES) {
    if (name === 'README.md') continue;
    assert.match(text, '\n## Meaning\n');
    assert.match(text, /^`authzc (compile|plan|rls)( --[a-z-]+( \w[\w./]*)?)*` prints:$/m);
    assert.match(index, `](${name})`);
  }
});

test.run();
