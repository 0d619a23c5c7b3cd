import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsPages } from './diagnostics-pages.js';

test('docs/diagnostics is up to date with the registry and the recorded examples', () => {
  const script = join(import.meta.dirname, 'generate-diagnostics-docs.ts');
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, '--check'], { encoding: 'utf8' });
  assert.is(stderr, '');
  assert.is(status, 0);
});

test('every page has an explanation and an example, and the index links to every page', () => {
  const pages = diagnosticsPages();
  const index = pages.get('README.md') ?? '';
  for (const [name, text] of pages) {
    if (name === 'README.md') continue;
    assert.match(text, '\n## Meaning\n');
    assert.match(text, /^`authzc compile( --[a-z-]+( \w[\w./]*)?)*` prints:$/m);
    assert.match(index, `](${name})`);
  }
});

test.run();
