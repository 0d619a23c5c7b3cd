import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conditionsPage } from '../../scripts/conditions-docs.js';
import { DOCS_FOLDER } from './pages.js';

const test = suite('docs/conditions.md');

test('the page is up to date with the table of functions: npm run docs:conditions', () => {
  assert.fixture(readFileSync(join(DOCS_FOLDER, 'conditions.md'), 'utf8'), conditionsPage());
});

test.run();
