import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DATABASE_TYPES, type TypeRow, wordInTypeScript } from '../../packages/adapters/column-types.js';
import { ROOT } from '../support/compiled.js';

/** `RECORD=1` writes the table into the page. */
test('docs/adapters.md has the words for each type of column', () => {
  const path = join(ROOT, 'docs/adapters.md');
  const page = readFileSync(path, 'utf8');
  const table = `<!-- types -->\n\n${tableOf()}\n\n<!-- /types -->`;
  const recorded = page.replace(/<!-- types -->[\s\S]*<!-- \/types -->/, () => table);
  if (process.env.RECORD === '1') writeFileSync(path, recorded);
  else assert.is(page, recorded, 'run RECORD=1 node --import tsx tests/adapters/documented-types.test.ts');
});

test.run();

function tableOf(): string {
  const types = [...new Set(Object.values(DATABASE_TYPES).flatMap((rows) => Object.keys(rows)))].sort();
  const { postgresql, mysql, sqlite } = DATABASE_TYPES;
  const lines = types.map(
    (type) => `| \`${type}\` | ${[postgresql[type], mysql[type], sqlite[type]].map(cellOf).join(' | ')} |`,
  );
  return ['| type of the column | PostgreSQL | MySQL, MariaDB | SQLite |', '|---|---|---|---|', ...lines].join('\n');
}

function cellOf(row: TypeRow | undefined): string {
  if (row === undefined) return '';
  return row.words.length === 0
    ? 'none'
    : row.words.map((word) => wordInTypeScript(word).replaceAll(/type: |'/g, '')).join(', ');
}
