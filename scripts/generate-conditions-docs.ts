import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFiles } from '../packages/cli/outputs/replace-files.js';
import { conditionsPage } from './conditions-docs.js';

/** Writes docs/conditions.md; with `--check` it writes nothing and fails when the page is not what it should be. */
const FILE = join(import.meta.dirname, '..', 'docs', 'conditions.md');

const page = conditionsPage();
if (!process.argv.includes('--check')) replaceFiles([{ path: FILE, text: page }]);
else if (readFileSync(FILE, 'utf8') !== page) {
  console.error('docs/conditions.md is out of date\nrun: npm run docs:conditions');
  process.exitCode = 1;
}
