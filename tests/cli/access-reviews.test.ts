import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Source } from '../../compiler/diagnostics/source.js';
import type { Program } from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables } from '../../compiler/tables/read-tables.js';
import { subjectPlans } from '../../packages/analysis/subjects/subject-plans.js';
import type { EvaluatedCell } from '../../packages/cli/review/cells.js';
import { evaluateReview } from '../../packages/cli/review/evaluate.js';
import { type Population, readUsers } from '../../packages/cli/review/population.js';
import { openTables } from '../../packages/cli/tables/open-tables.js';
import type { SelectRows } from '../../packages/cli/tables/stored-table.js';
import { createEngine } from '../../runtime/engine/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import type { ReviewExport } from '../../packages/cli/review/export.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf } from '../support/cli/programs.js';
import {
  BASE,
  DOCUMENTS,
  fillReview,
  HOSTILE_IDS,
  plantHoles,
  reviewFlags,
  type Row,
} from '../support/cli/planted-holes.js';
import { Random } from '../support/oracle/random.js';
import { SEED } from '../support/effort.js';

const test = suite('access reviews');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const FLAGS = reviewFlags('app.db');

test('a hundred planted holes are all in the export', async () => {
  const { rows, files, expected } = plantHoles(new Random(SEED));
  assert.ok(expected.length >= 100, `${expected.length} planted`);
  const folder = makeFolder({ ...BASE, ...files });
  await createDatabase(join(folder, 'app.db'), rows);
  const started = await authzc(folder, 'review', 'start', ...FLAGS, '--action', 'view', 'edit', 'print');
  assert.is(started.code, 0, started.stderr);
  assert.match(started.stdout, /users, 7 resources, 3 actions/);
  const exported = await authzc(folder, 'review', 'export', ...FLAGS, '-o', 'json', '--out', 'access.json');
  const review = JSON.parse(readFileSync(join(folder, 'access.json'), 'utf8')) as ReviewExport;
  assert.is(exported.code, 0, exported.stderr);
  const missing = expected.flatMap((isThere, index) => (isThere(review) ? [] : [index]));
  assert.equal(missing, [], exported.stderr);
});

test('the CSV has no formulas, and the page is signed, without scripts', async () => {
  const folder = makeFolder(BASE);
  const evil = '=HYPERLINK("http://x","<script>alert(1)</script>")';
  await createDatabase(join(folder, 'app.db'), [
    { id: evil, roles: ['editor'] },
    { id: '@sum', roles: ['editor', '+role'] },
    { id: '\t-1', roles: ['editor'] },
  ]);
  await authzc(folder, 'review', 'start', ...FLAGS);
  const { code, stderr } = await authzc(folder, 'review', 'export', ...FLAGS, '--out', 'access.csv');
  assert.is(code, 0, stderr);
  const csv = readFileSync(join(folder, 'access.csv'), 'utf8');
  for (const line of csv.split('\r\n').filter((text) => text !== ''))
    for (const field of parseLine(line)) assert.not.match(field, /^[\s"]*[=+\-@]/);
  assert.ok(csv.includes(`'=HYPERLINK(""http://x""`));
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(join(folder, 'key.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  const page = [...FLAGS, '-o', 'html', '--out', 'access.html', '--key', 'key.pem'];
  assert.is((await authzc(folder, 'review', 'export', ...page)).code, 0);
  const html = readFileSync(join(folder, 'access.html'), 'utf8');
  assert.not.match(html, /<script|<link|<img|src=|href=/);
  const verify = ['review', 'verify', 'access.html', '--key', 'key.pub'];
  assert.match((await authzc(folder, ...verify)).stdout, /signed by/);
  writeFileSync(join(folder, 'access.html'), html.replace('editor', 'Editor'));
  assert.is((await authzc(folder, ...verify)).code, 1);
});

test('an export fails where a part was not evaluated, changed or could not be read', async () => {
  const folder = makeFolder({
    ...BASE,
    'policies/documents.yaml': DOCUMENTS.replace('R.attr.owner == P.id', 'R.attr.owner == P.id').replace(
      'R.attr.sealed == true',
      'R.attr.sealed == true && P.attr.email.matches("^a.*(b|c)$")',
    ),
  });
  await createDatabase(join(folder, 'app.db'), [{ id: 'ann', roles: ['editor'] }]);
  assert.is((await authzc(folder, 'review', 'start', ...FLAGS)).code, 0);
  const json = ['review', 'export', ...FLAGS, '-o', 'json', '--out', 'access.json'];
  const partly = await authzc(folder, ...json);
  assert.is(partly.code, 1);
  assert.match(partly.stderr, /documents\.yaml:\d+: error: not evaluated: edit of document/);
  const { notEvaluated, pairs } = JSON.parse(readFileSync(join(folder, 'access.json'), 'utf8')) as ReviewExport;
  assert.ok(notEvaluated.length > 0 && notEvaluated.every(({ action }) => action === 'edit'));
  assert.ok(pairs.some(({ action }) => action === 'view'));

  const database = new sqlite.Database(join(folder, 'app.db'));
  database.exec("INSERT INTO users VALUES (99, 'bob', NULL, NULL)");
  database.close();
  rmSync(join(folder, 'access.json'));
  const changed = await authzc(folder, ...json);
  assert.is(changed.code, 1);
  assert.match(changed.stderr, /the users changed since the review was started: there were 1, and there are 2/);
  assert.throws(() => readFileSync(join(folder, 'access.json')));

  const broken = new sqlite.Database(join(folder, 'app.db'));
  broken.exec('ALTER TABLE documents RENAME COLUMN sealed TO closed');
  broken.close();
  const unread = await authzc(folder, ...json);
  assert.ok(unread.code !== 0);
  assert.match(unread.stderr, /sealed/);
});

test('decisions are recorded, and what changed since is told', async () => {
  const folder = makeFolder(BASE);
  await createDatabase(join(folder, 'app.db'), [
    { id: 'ann', roles: ['editor'] },
    { id: 'bob', roles: ['editor'] },
  ]);
  await authzc(folder, 'review', 'start', ...FLAGS);
  await authzc(folder, 'review', 'export', ...FLAGS, '-o', 'json', '--out', 'access.json');
  const pair = { kind: 'document', resource: 'd1', action: 'view' };
  const record = ['review', 'record', ...FLAGS, '--export', 'access.json', '--by', 'carol', '--decisions'];
  const decide = (name: string, decisions: unknown): void =>
    writeFileSync(join(folder, name), JSON.stringify(decisions));
  decide('wrong.json', [{ ...pair, user: 'nobody', decision: 'keep' }]);
  assert.match((await authzc(folder, ...record, 'wrong.json')).stderr, /does not have nobody: view of document d1/);
  decide('right.json', [
    { ...pair, user: 'ann', decision: 'keep', at: '2025-01-31T10:00:00Z' },
    { ...pair, user: 'bob', decision: 'revoke' },
  ]);
  const recorded = await authzc(folder, ...record, 'right.json');
  assert.is(recorded.code, 0, recorded.stderr);
  assert.match(recorded.stdout, /2 decisions recorded/);
  assert.match(recorded.stdout, /revoked, and still allowed: 1\n {2}bob: view of document d1/);
  const database = new sqlite.Database(join(folder, 'app.db'));
  database.exec("UPDATE user_roles SET role = 'user' WHERE user_key = 1");
  database.close();
  const later = await authzc(folder, ...record.slice(0, -3));
  assert.not.match(later.stdout, /still allowed/);
  assert.match(later.stdout, /no longer allowed: \d+\n[\s\S]*bob: view of document d1/);
  const { decisions } = JSON.parse(readFileSync(join(folder, 'review.json'), 'utf8')) as { decisions: object[] };
  assert.is(decisions.length, 2);
});

test('many cells share a statement, and a cell is not evaluated where database and check differ', async () => {
  const folder = makeFolder(BASE);
  const path = join(folder, 'app.db');
  await createDatabase(path, [
    { id: 'ann', roles: ['editor'] },
    { id: 'user-7', roles: ['user'] },
  ]);
  const compilation = compileTexts({ 'documents.yaml': DOCUMENTS, 'roles.yaml': BASE['policies/roles.yaml'] });
  const use = [subjectPlans(fold(compilation.lowered as Program))];
  const engine = createEngine((await loaded(compilation)).policies, { use });
  const file = readTables(new Source('tables.yaml', BASE['tables.yaml']));
  const users = 'users' in file ? file.users : undefined;
  if (users === undefined) throw new Error('no users');
  const tables = await openTables(path);
  let statements = 0;
  const select: SelectRows = (text, parameters) => {
    statements += 1;
    return tables.select(text, parameters);
  };
  const resources = Array.from({ length: 400 }, (_, i) => ({
    kind: 'document',
    id: `d${i}`,
    attr: { owner: `user-${i}` },
  }));
  const evaluate = async (people: Population['users']): Promise<readonly EvaluatedCell[]> => {
    const cells: EvaluatedCell[] = [];
    const store = { kind: 'table', users, dialect: 'sqlite', select } as const;
    const population = { users: people, resources };
    for await (const cell of evaluateReview(engine, population, ['edit', 'view'], [], store)) cells.push(cell);
    return cells;
  };
  try {
    const read = await readUsers(tables.select, users, 'sqlite');
    const cells = await evaluate(read.users);
    assert.is(cells.length, 800);
    const pairs = cells.flatMap((cell) => ('allowed' in cell ? cell.allowed : []));
    assert.is(pairs.filter(({ principal }) => principal.id === 'ann').length, 800);
    assert.equal(
      pairs.flatMap(({ principal, resource }) => (principal.id === 'user-7' ? [resource.id] : [])),
      ['d7'],
    );
    // Each owner is a query of its own, and all resources share that of `view`.
    assert.ok(statements <= 401 / 20, `${statements} statements`);
    // Somebody whom the database does not have, and somebody whom only it has.
    const principal = { id: 'eve', roles: ['editor'], attr: {} };
    for (const people of [[...read.users, { id: 'eve', principal }], read.users.slice(1)]) {
      const gaps = (await evaluate(people)).flatMap((cell) => ('unevaluated' in cell ? [cell.unevaluated.reason] : []));
      assert.is(gaps.length, 800);
      assert.match(gaps[0] ?? '', /to `eve`, but the database does not select|selects `ann`, but a check/);
    }
  } finally {
    await tables.close();
  }
});

test('decisions are taken from the CSV of an export, also after a spreadsheet has saved it', async () => {
  const folder = makeFolder(BASE);
  await createDatabase(
    join(folder, 'app.db'),
    HOSTILE_IDS.map((id) => ({ id, roles: ['editor'] })),
  );
  await authzc(folder, 'review', 'start', ...FLAGS);
  await authzc(folder, 'review', 'export', ...FLAGS, '--out', 'access.csv');
  const csv = readFileSync(join(folder, 'access.csv'), 'utf8');
  const [head = [], ...lines] = csvRows(csv);
  const column = (name: string): number => head.indexOf(name);
  const isDecided = (line: readonly string[]): boolean =>
    line[column('resource')] === 'd1' && line[column('action')] === 'view' && line[column('through')] === '';
  const decided = (changes: Readonly<Record<string, string>>): readonly (readonly string[])[] =>
    lines.map((line) => (isDecided(line) ? line.map((cell, at) => changes[head[at] as string] ?? cell) : line));
  const kept = [head, ...decided({ decision: 'keep', by: 'carol', note: 'still; "here"\n, =here' })];
  const record = (...words: readonly string[]) =>
    authzc(folder, 'review', 'record', ...FLAGS, '--export', 'access.csv', ...words);
  const file = (
    name: string,
    rows: readonly (readonly string[])[],
    separator = ',',
    end = '\r\n',
    mark = '',
  ): string => {
    const text = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator)).join(end);
    writeFileSync(join(folder, name), `${mark}${text}${end}`);
    return name;
  };
  for (const [separator, end, mark] of [
    [',', '\r\n', ''],
    [';', '\r\n', '\uFEFF'],
    ['\t', '\n', ''],
  ] as const) {
    const { code, stdout, stderr } = await record('--decisions', file('saved.csv', kept, separator, end, mark));
    assert.is(code, 0, stderr);
    assert.match(stdout, new RegExp(`^${HOSTILE_IDS.length} decisions recorded`));
  }
  const { decisions } = JSON.parse(readFileSync(join(folder, 'review.json'), 'utf8')) as {
    decisions: readonly { readonly user: string; readonly note: string }[];
  };
  assert.equal(decisions.map(({ user }) => user).sort(), [...HOSTILE_IDS].sort());
  assert.ok(decisions.every(({ note }) => note === 'still; "here"\n, =here'));

  const refused = async (rows: readonly (readonly string[])[], expected: RegExp): Promise<void> => {
    const { code, stderr } = await record('--decisions', file('wrong.csv', rows));
    assert.is(code, 2, stderr);
    assert.match(stderr, expected);
  };
  await refused([head, ...decided({ decision: 'Keep', by: 'carol' })], /line \d+: decision must be `keep` or `revoke`/);
  await refused([head, ...decided({ decision: 'keep' })], /line \d+: by must be a string/);
  await refused([head, ...decided({ by: 'carol' })], /line \d+: has by, but no decision/);
  await refused(
    [head, ...decided({ decision: 'keep', by: 'carol', user: '9.00720E+15' })],
    /does not have 9\.00720E\+15/,
  );
  await refused(
    [head, ...decided({ decision: 'keep', by: 'c', at: '31.01.2025 10:00' })],
    /line \d+: at is not a time/,
  );
  await refused(
    [head, ...decided({ decision: 'keep', by: 'c', status: 'not evaluated' })],
    /status is `not evaluated`/,
  );
  await refused([...kept, ...decided({ decision: 'revoke', by: 'dan' })], /two decisions about/);
  await refused(
    kept.map((row) => row.slice(1)),
    /no column `status`/,
  );
  await refused([...kept, ['allowed', 'ann']], /2 fields, and the first line has 15/);
  for (const [text, expected] of [
    [`${csv}"open`, /nothing ends this quote/],
    [`${csv}"a"b,`, /text after the quote/],
    [`${csv}a"b,`, /a quote in a field without quotes/],
  ] as const) {
    writeFileSync(join(folder, 'wrong.csv'), text);
    const { code, stderr } = await record('--decisions', 'wrong.csv');
    assert.is(code, 2);
    assert.match(stderr, expected);
  }
  writeFileSync(join(folder, 'wrong.csv'), Buffer.from(`\uFEFF${csv}`, 'utf16le'));
  assert.match((await record('--decisions', 'wrong.csv')).stderr, /not valid UTF-8/);
});

test.run();

function makeFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}

function authzc(folder: string, ...words: readonly string[]): Promise<Ended> {
  return callAuthzc(words, folder);
}

async function createDatabase(path: string, users: readonly Row[]): Promise<void> {
  const database = new sqlite.Database(path);
  await fillReview('sqlite', (statement, cells) => database.run(statement, cells as never), users);
  database.close();
}

/** The cells of CSV, as a spreadsheet has them. */
function csvRows(csv: string): readonly (readonly string[])[] {
  return [...csv.matchAll(/((?:"(?:[^"]|"")*"|[^"\r\n])*)\r\n/g)].map(([, line = '']) => parseLine(line));
}

/** The fields of a line of CSV, as a spreadsheet has them. */
function parseLine(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
