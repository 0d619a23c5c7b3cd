import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReviewExport } from '../../packages/cli/review/export.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf } from '../support/cli/programs.js';
import { Random } from '../support/oracle/random.js';
import { SEED } from '../support/effort.js';

const test = suite('access reviews');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const DOCUMENTS = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  importDerivedRoles: [document_roles]
  rules:
    - {name: editors, actions: [view, edit], effect: EFFECT_ALLOW, roles: [editor]}
    - {name: owners, actions: [edit], effect: EFFECT_ALLOW, derivedRoles: [owner]}
    - {name: contractors, actions: [view], effect: EFFECT_ALLOW, roles: [contractor], condition: {match: {expr: timestamp(P.attr.until) > now()}}}
    - {name: robots, actions: [view], effect: EFFECT_ALLOW, roles: [robot]}
    - {name: sealed, actions: [edit], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: R.attr.sealed == true}}}
`;
const ROLES = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: document_roles
  definitions:
    - {name: owner, parentRoles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
`;
const TENANTS = `apiVersion: api.authz.dev/v1
tenantRoles:
  scope: "tenants.*"
  grants:
    - {role: editor, resources: [{resource: document, actions: [view]}]}
`;
const TABLES = `users:
  name: users
  id: {column: id, type: text}
  roles: {relation: many, table: user_roles, on: {user_key: key}, value: {column: role, type: text, nulls: never}}
  scope: {column: scope}
  columns:
    until: {column: until, type: timestamp}
tables:
  document:
    name: documents
    id: {column: id, type: text, nulls: never}
    columns:
      owner: {column: owner_id, type: text}
      sealed: {column: sealed, type: boolean}
`;
const ACME = 'tenant: acme\nroles:\n  desk: {roles: [editor]}\n';
const RESOURCES = 'resources:\n  - {kind: document, id: t1, scope: tenants.acme, attr: {owner: nobody}}\n';
const ACTORS = 'principals:\n  - {id: robot-1, roles: [robot]}\n';
const NOW = '2025-01-31T00:00:00Z';

const BASE = {
  'policies/documents.yaml': DOCUMENTS,
  'policies/acme.yaml': DOCUMENTS.replace('version: default', 'version: default\n  scope: tenants').replace(
    /rules:[\s\S]*/,
    'rules: []\n',
  ),
  'policies/roles.yaml': ROLES,
  'policies/tenants.yaml': TENANTS,
  'tables.yaml': TABLES,
  'tenants/acme.yaml': ACME,
  'resources.yaml': RESOURCES,
  'actors.yaml': ACTORS,
};

interface Row {
  readonly id: string | null;
  readonly roles: readonly string[];
  readonly scope?: string;
  readonly until?: string;
}

const FLAGS = [
  ...['--users', 'tables.yaml', '--database', 'app.db', '--kind', 'document'],
  ...['--resources', 'resources.yaml', '--actors', 'actors.yaml', '--tenants', 'tenants', '--now', NOW],
  ...['--lenient-scope-search', '--review', 'review.json'],
];

test('a hundred planted holes are all in the export', async () => {
  const random = new Random(SEED);
  const rows: Row[] = [];
  const files: { [path: string]: string } = {};
  const expected: ((review: ReviewExport) => boolean)[] = [];
  const finds = (kind: string, user: string, text = '') =>
    expected.push(({ findings }) =>
      findings.some((one) => one.kind === kind && one.user === user && one.text.includes(text)),
    );
  const has = (user: string, passes: (pair: ReviewExport['pairs'][number]) => boolean) =>
    expected.push(({ pairs }) => pairs.some((pair) => pair.user === user && passes(pair)));
  for (let i = 0; i < 25; i += 1) rows.push({ id: `user-${i}`, roles: random.some(['user', 'editor'], 1, 2) });
  // Orphaned users.
  for (let i = 0; i < 20; i += 1) {
    rows.push({ id: `orphan-${i}`, roles: random.pick([[], [''], ['editor', '']]) });
    finds('not a principal', `orphan-${i}`);
  }
  // Roles that policies no longer name.
  for (let i = 0; i < 20; i += 1) {
    rows.push({ id: `left-${i}`, roles: ['user', `retired-${i}`] });
    finds('unknown role', `left-${i}`, `retired-${i}`);
  }
  // Roles of tenants, and such that no tenant defines.
  for (let i = 0; i < 20; i += 1) {
    const isDefined = i % 2 === 0;
    rows.push({ id: `tenant-${i}`, roles: [isDefined ? 'tenant:desk' : 'tenant:ghost'], scope: 'tenants.acme' });
    if (isDefined)
      has(
        `tenant-${i}`,
        ({ resource, reasons }) =>
          resource === 't1' && reasons.some(({ kind, name }) => kind === 'tenant role' && name === 'tenant:desk'),
      );
    else finds('undefined tenant role', `tenant-${i}`, 'tenant:ghost');
  }
  // One person's DENY, also of persons who are gone.
  for (let i = 0; i < 10; i += 1) {
    const id = `denied-${i}`;
    files[`policies/${id}.yaml`] =
      `apiVersion: api.authz.dev/v1\nprincipalPolicy:\n  principal: ${id}\n  version: default\n  rules:\n    - {resource: document, actions: [{name: no-${i}, action: edit, effect: EFFECT_DENY}]}\n`;
    if (i < 7) rows.push({ id, roles: ['editor'] });
    finds(i < 7 ? 'policy of a person' : 'policy without a user', id, `no-${i}`);
    expected.push(
      ({ pairs }) => !pairs.some(({ user, action, kind }) => user === id && action === 'edit' && kind !== ''),
    );
  }
  // Access that ends by itself.
  for (let i = 0; i < 15; i += 1) {
    const hasEnded = i % 3 === 0;
    rows.push({
      id: `boxed-${i}`,
      roles: ['contractor'],
      until: hasEnded ? '2025-01-30T00:00:00.000Z' : '2025-02-01T00:00:00.000Z',
    });
    if (hasEnded) expected.push(({ pairs }) => !pairs.some(({ user }) => user === `boxed-${i}`));
    else has(`boxed-${i}`, ({ timed, action }) => timed && action === 'view');
  }
  // Chains of actors: what a robot may do for somebody is what both may.
  for (let i = 0; i < 15; i += 1) {
    rows.push({ id: `chained-${i}`, roles: ['editor'] });
    has(`chained-${i}`, ({ through, action }) => through === 'robot-1' && action === 'view');
    expected.push(
      ({ pairs }) =>
        !pairs.some(({ user, through, action }) => user === `chained-${i}` && through !== '' && action === 'edit'),
    );
  }
  assert.ok(expected.length >= 100, `${expected.length} planted`);
  const folder = makeFolder({ ...BASE, ...files });
  createDatabase(join(folder, 'app.db'), rows);
  const started = await authzc(folder, 'review', 'start', ...FLAGS, '--action', 'view', 'edit');
  assert.is(started.code, 0, started.stderr);
  assert.match(started.stdout, /users, 6 resources, 2 actions/);
  const exported = await authzc(folder, 'review', 'export', ...FLAGS, '-o', 'json', '--out', 'access.json');
  const review = JSON.parse(readFileSync(join(folder, 'access.json'), 'utf8')) as ReviewExport;
  assert.is(exported.code, 0, exported.stderr);
  const missing = expected.flatMap((isThere, index) => (isThere(review) ? [] : [index]));
  assert.equal(missing, [], exported.stderr);
});

test('the CSV has no formulas, and the page is signed, without scripts', async () => {
  const folder = makeFolder(BASE);
  const evil = '=HYPERLINK("http://x","<script>alert(1)</script>")';
  createDatabase(join(folder, 'app.db'), [
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
  createDatabase(join(folder, 'app.db'), [{ id: 'ann', roles: ['editor'] }]);
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
  createDatabase(join(folder, 'app.db'), [
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

test.run();

function makeFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}

function authzc(folder: string, ...words: readonly string[]): Promise<Ended> {
  return callAuthzc(words, folder);
}

function createDatabase(path: string, users: readonly Row[]): void {
  const database = new sqlite.Database(path);
  database.exec('CREATE TABLE users (key INTEGER PRIMARY KEY, id TEXT, scope TEXT, until TEXT)');
  database.exec('CREATE TABLE user_roles (user_key INTEGER, role TEXT NOT NULL)');
  database.exec('CREATE TABLE documents (id TEXT NOT NULL PRIMARY KEY, owner_id TEXT, sealed BOOLEAN)');
  for (const [key, { id, roles, scope = null, until = null }] of users.entries()) {
    database.run('INSERT INTO users VALUES (?, ?, ?, ?)', [key, id, scope, until]);
    for (const role of roles) database.run('INSERT INTO user_roles VALUES (?, ?)', [key, role]);
  }
  for (let i = 0; i < 5; i += 1)
    database.run('INSERT INTO documents VALUES (?, ?, ?)', [`d${i}`, `user-${i}`, i % 5 === 4 ? 1 : 0]);
  database.close();
}

/** The fields of a line of CSV, as a spreadsheet has them. */
function parseLine(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
