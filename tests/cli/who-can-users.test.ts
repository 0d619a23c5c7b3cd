import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

const test = suite('authzc who-can for users');

const JOINED = `users:
  name: staff
  id: {column: id, type: text}
  where: {deleted_at: null}
  roles:
    relation: many
    table: staff_roles
    on: {staff_id: id}
    columns:
      role: {relation: one, table: roles, on: {key: role_key}, unique: true, where: {deleted: false}, columns: {name: {column: name, type: text}}}
  columns:
    status: {column: status, type: text}
`;

const FILES = {
  'joined.yaml': JOINED,
  'policies/note.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  rules:
    - {name: editors, actions: [edit], effect: EFFECT_ALLOW, roles: [editor]}
    - {name: owners, actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
    - {name: suspended, actions: [edit], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: P.attr.status == "suspended"}}}
    - {name: elsewhere, actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: P.scope == "acme"}}}
    - {name: ranked, actions: [rank], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: P.attr.level > 1}}}
    - {name: mailed, actions: [mail], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'P.attr.mail.matches("^a.*(b|c)$")'}}}
`,
  'note.yaml': 'kind: note\nid: n1\nattr: {owner: ann}\n',
  'people.yaml': `principals:
  - {id: ann, roles: [user]}
  - {id: bob, roles: [editor]}
  - {id: carol, roles: [editor], attr: {status: suspended}}
  - {id: dan, roles: [user]}
`,
  'tables.yaml': `users:
  name: users
  id: {column: id, type: text}
  roles: {column: role, type: text}
  scope: {column: scope}
  columns:
    status: {column: status, type: text}
    mail: {column: mail, type: text}
`,
  'pair.yaml': `users:
  name: users
  id: {column: id, type: text}
  roles: {column: role, type: text}
  columns: {status: {column: status, type: text}}
tables:
  note:
    name: notes
    id: {column: id, type: text}
    columns: {owner: {column: owner, type: text}}
`,
  'plain.yaml': `users:
  name: users
  id: {column: id, type: text}
  roles: {column: role, type: text}
  columns: {status: {column: status, type: text}}
`,
};

const folder = folderOf(FILES);
const database = new sqlite.Database(join(folder, 'app.db'));
database.exec('CREATE TABLE users (id TEXT, role TEXT, status TEXT, mail TEXT, scope TEXT)');
for (const row of [
  ['ann', 'user', null, 'ab', 'acme'],
  ['bob', 'editor', null, null, null],
  ['carol', 'editor', 'suspended', null, ''],
  ['dan', 'user', null, null, 'globex'],
  [null, 'editor', null, null, null],
  ['eve', null, null, null, null],
])
  database.run('INSERT INTO users VALUES (?, ?, ?, ?, ?)', row);
database.exec(`
  CREATE TABLE notes (id TEXT, owner TEXT);
  INSERT INTO notes VALUES ('n1', 'ann'), ('n3', x'00'), ('twice', 'ann'), ('twice', 'bob');
  CREATE TABLE staff (id TEXT, status TEXT, deleted_at TEXT);
  CREATE TABLE roles (key INTEGER PRIMARY KEY, name TEXT, deleted BOOLEAN);
  CREATE TABLE staff_roles (staff_id TEXT, role_key INTEGER);
  INSERT INTO staff VALUES ('eve', NULL, NULL), ('fay', NULL, NULL), ('gus', NULL, '2025-01-01'), ('hal', x'00', NULL), ('ida', x'00', '2025-01-01');
  INSERT INTO roles VALUES (1, 'editor', FALSE), (2, 'editor', TRUE);
  INSERT INTO staff_roles VALUES ('eve', 1), ('eve', 2), ('eve', 99), ('fay', 2), ('gus', 1);
`);
database.close();
test.after(() => rmSync(folder, { recursive: true, force: true }));

const whoCan = (...words: readonly string[]) => callAuthzc(['who-can', '--resource', 'note.yaml', ...words], folder);
const ofDatabase = ['--users', 'tables.yaml', '--database', 'app.db'];

test('the users of a database are those whom check allows, also without a rule', async () => {
  for (const users of [ofDatabase, ['--data', 'people.yaml']]) {
    assert.is((await whoCan('--action', 'edit', ...users, '-o', 'csv')).stdout, 'id\r\nann\r\nbob\r\n');
    const without = async (rule: string): Promise<string> =>
      (await whoCan('--action', 'edit', ...users, '--without', rule)).stdout;
    assert.is(await without('suspended'), 'ann\nbob\ncarol\n');
    assert.is(await without('resource.note.vdefault#owners'), 'bob\n');
  }
  const { code, stderr } = await whoCan('--action', 'edit', ...ofDatabase, '--without', 'owner');
  assert.is(code, 2);
  assert.match(stderr, /no policy has a rule `owner`[\s\S]*owners/);
});

test('scopes of a column are those of the users', async () => {
  const { stdout } = await whoCan('--action', 'view', ...ofDatabase, '-o', 'json');
  assert.equal((JSON.parse(stdout) as { readonly users: unknown }).users, ['ann']);
  const sql = await whoCan('--action', 'view', '--users', 'tables.yaml', '-o', 'sql');
  assert.is(sql.code, 2);
  assert.match(sql.stderr, /users have different scopes/);
});

test('the query is printed, and what it cannot say is refused with its line', async () => {
  const { code, stdout } = await whoCan(
    '--action',
    'edit',
    '--users',
    'plain.yaml',
    '-o',
    'sql',
    '--dialect',
    'sqlite',
  );
  assert.is(code, 0);
  assert.match(stdout, /^SELECT users\.id AS id FROM users WHERE users\.id <> \? AND users\.role <> \? AND /);
  const refused = await whoCan('--action', 'mail', ...ofDatabase, '-o', 'csv');
  assert.is(refused.code, 1);
  assert.is(refused.stdout, '');
  assert.match(refused.stderr, /note\.yaml:11: error: .*`mailed`/);
  const unmapped = await whoCan('--action', 'rank', '--users', 'plain.yaml', '--database', 'app.db', '-o', 'csv');
  assert.match(unmapped.stderr, /no column is mapped for request\.principal\.attr\.level/);
});

test('roles have a table of their own, and users that are deleted are nobody', async () => {
  const query = ['--action', 'edit', '--users', 'joined.yaml', '--database', 'app.db', '-o', 'csv'];
  const { code, stdout, stderr } = await whoCan(...query);
  assert.is(code, 0, stderr);
  // Fay's role is deleted, Gus is.
  assert.is(stdout, 'id\r\neve\r\n');
  const wrong = JOINED.replace('relation: one', 'relation: many');
  const other = folderOf({ ...FILES, 'joined.yaml': wrong });
  try {
    const refused = await callAuthzc(['who-can', '--resource', 'note.yaml', ...query], other);
    assert.is(refused.code, 2);
    assert.match(refused.stderr, /users\.roles: rows of another table need/);
  } finally {
    rmSync(other, { recursive: true, force: true });
  }
});

test('a matrix counts the users of each cell', async () => {
  for (const users of [
    ['--users', 'tables.yaml', '--database', 'app.db'],
    ['--data', 'people.yaml'],
  ]) {
    const { code, stdout, stderr } = await callAuthzc(['matrix', ...users, '-o', 'json'], folder);
    assert.is(code, 0, stderr);
    const { tables } = JSON.parse(stdout) as {
      readonly tables: readonly {
        readonly rows: readonly { readonly role: { readonly label: string }; people: number }[];
      }[];
    };
    const rows = tables[0]?.rows.map(({ role, people }) => [role.label, people]);
    assert.equal(rows, [
      ['editor', 2],
      ['user', 2],
    ]);
    const text = (await callAuthzc(['matrix', ...users], folder)).stdout;
    // Whom a policy suspends is known; whose note it is depends on the note.
    assert.match(text, /^ {2}editor {2}if \[1\] \(1\) /m);
    assert.match(text, /\(up to 2\)/);
    assert.match(text, /^ {2}How many in a range may do it depends on .*resource\.attr\.owner/m);
  }
});

test('plan compares the users of a file of tables with the database', async () => {
  const compare = (file: string) =>
    callAuthzc(
      [
        'plan',
        '--principal',
        'ann.yaml',
        '--kind',
        'note',
        '--action',
        'edit',
        '-o',
        'sql',
        '--table',
        file,
        '--database',
        'app.db',
      ],
      compared,
    );
  const tables =
    'tables: {note: {name: notes, id: {column: id, type: text}, columns: {owner: {column: owner, type: text}}}}\n';
  const compared = folderOf({
    ...FILES,
    'ann.yaml': 'id: ann\nroles: [user]\n',
    'joined.yaml': `${tables}${JOINED}`,
    'wrong.yaml': `${tables}${JOINED.replace('deleted_at: null', 'gone_at: null').replace('column: name', 'column: title').replace('staff_id: id', 'user_id: id')}`,
  });
  copyFileSync(join(folder, 'app.db'), join(compared, 'app.db'));
  try {
    const right = await compare('joined.yaml');
    assert.is(right.code, 0, right.stderr);
    const { code, stderr, stdout } = await compare('wrong.yaml');
    assert.ok(code !== 0);
    for (const missing of [/`gone_at` in `staff`/, /`title` in `roles`/, /`user_id` in `staff_roles`/])
      assert.match(`${stdout}${stderr}`, missing);
  } finally {
    rmSync(compared, { recursive: true, force: true });
  }
});

test('scopes are read of rows that are users alone', async () => {
  const scoped = (id: string) => `${JOINED.replace('deleted_at: null', `id: ${id}`)}  scope: {column: status}\n`;
  const own = folderOf({ ...FILES, 'eve.yaml': scoped('eve'), 'hal.yaml': scoped('hal') });
  try {
    copyFileSync(join(folder, 'app.db'), join(own, 'app.db'));
    const asked = ['who-can', '--resource', 'note.yaml', '--action', 'edit', '--database', 'app.db', '--users'];
    const { code, stdout, stderr } = await callAuthzc([...asked, 'eve.yaml'], own);
    assert.is(code, 0, stderr);
    assert.is(stdout, 'eve\n');
    const unread = await callAuthzc([...asked, 'hal.yaml'], own);
    assert.ok(unread.code !== 0);
    assert.match(unread.stderr, /`status`/);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
});

test('explain says why a user of a table may do something with a row', async () => {
  const explain = (...words: readonly string[]) => callAuthzc(['explain', '--action', 'edit', ...words], folder);
  const pair = ['--users', 'pair.yaml', '--database', 'app.db', '--kind', 'note', '--id', 'n1'];
  const { code, stdout, stderr } = await explain('--user', 'ann', ...pair);
  assert.is(code, 0, stderr);
  assert.match(stdout, /ALLOW[\s\S]*owners/);
  assert.match((await explain('--user', 'carol', ...pair)).stdout, /DENY[\s\S]*suspended/);
  const ofFile = ['--users', 'pair.yaml', '--database', 'app.db', '--resource', 'note.yaml'];
  const ofStaff = ['--users', 'joined.yaml', '--database', 'app.db', '--resource', 'note.yaml'];
  // Whoever else has a row that cannot be read.
  assert.match((await explain('--user', 'eve', ...ofStaff)).stdout, /ALLOW[\s\S]*editors/);
  const through = await explain('--user', 'ann', ...pair, '--actors', 'people.yaml');
  assert.match(
    through.stdout,
    /^DENY {2}ann through ann and bob and carol and dan may not edit note n1: carol and dan may/,
  );
  assert.match((await explain('--user', 'ann', ...ofFile)).stdout, /ALLOW[\s\S]*owners/);
  for (const [words, expected] of [
    [['--user', 'nobody', ...pair], /no row of `users` has the id `nobody`/],
    [['--user', 'eve', ...pair], /`eve` is not a principal: it has no role/],
    [['--user', 'ann', ...pair.slice(0, -1), 'n2'], /no row of `notes` has the id `n2`/],
    [['--user', 'ann', ...pair.slice(0, -1), 'n3'], /the row of `notes` with the id `n3` cannot be read: .*`owner`/],
    [['--user', 'ann', ...pair.slice(0, -1), 'twice'], /2 rows have the id `twice`/],
    [['--user', 'hal', ...ofStaff], /the row of `staff` with the id `hal` cannot be read: .*`status`/],
    [['--user', 'ida', ...ofStaff], /no row of `staff` has the id `ida`/],
    [['--user', 'gus', ...ofStaff], /no row of `staff` has the id `gus`/],
    [['--user', 'ann', ...pair.slice(0, -2)], /`--kind` and `--id`/],
    [pair, /name the principal once/],
    [['--user', 'ann', '--users', 'pair.yaml'], /name the resource once/],
    [['--user', 'ann', ...pair.slice(2)], /needs the tables/],
  ] as const) {
    const refused = await explain(...words);
    assert.is(refused.code, 2, refused.stdout);
    assert.match(refused.stderr, expected);
  }
});

test('explain says what a decision would be without a rule', async () => {
  const explain = async (...words: readonly string[]): Promise<string> =>
    (
      await callAuthzc(
        ['explain', '--principal', 'carol.yaml', '--resource', 'note.yaml', '--action', 'edit', ...words],
        made,
      )
    ).stdout;
  const made = folderOf({ ...FILES, 'carol.yaml': 'id: carol\nroles: [editor]\nattr: {status: suspended}\n' });
  try {
    assert.match(await explain(), /DENY[\s\S]*suspended/);
    assert.match(await explain('--without', 'suspended'), /ALLOW[\s\S]*editors/);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
});

test.run();
