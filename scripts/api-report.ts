import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFiles } from '../packages/cli/outputs/replace-files.js';
import { reportApi } from './api-report/pages.js';

/*
 * `npm run docs:api`: writes docs/api, the exported declarations of every entry point. With `--check` it writes nothing
 * and fails if a page is not what it would write, or an exported function has no example.
 */
const FOLDER = 'docs/api';
const { pages, withoutExample } = reportApi();
const present = existsSync(FOLDER) ? readdirSync(FOLDER).map((name) => join(FOLDER, name)) : [];
const extra = present.filter((path) => !pages.has(path));
const changed = [...pages].filter(([path, text]) => !existsSync(path) || readFileSync(path, 'utf8') !== text);
if (process.argv.includes('--check')) {
  for (const path of [...changed.map(([path]) => path), ...extra]) console.error(`${path} is out of date`);
  if (changed.length + extra.length > 0) {
    console.error('a public declaration changed: run `npm run docs:api`, and review the diff');
    process.exitCode = 1;
  }
  for (const name of withoutExample) console.error(`${name} has no @example`);
  if (withoutExample.length > 0) process.exitCode = 1;
} else {
  replaceFiles(changed.map(([path, text]) => ({ path, text })));
  for (const path of extra) rmSync(path);
}
