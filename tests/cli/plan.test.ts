import { rmSync } from 'node:fs';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Filter, selects } from '../../runtime/residual/index.js';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, filesIn, folderOf } from '../support/cli/programs.js';

const test = suite('authzc plan and authzc check');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const ALBUM = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - name: owners
      actions: [view, edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.owner == P.id}}
    - name: friends
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          all:
            of:
              - expr: R.attr.visibility == "friends"
              - expr: R.attr.owner in P.attr.friends
    - name: locked
      actions: [edit]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: R.attr.locked}}
    - name: badge
      actions: [view]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: has(request.aux_data.jwt.guest)}}
`;

const ALICE = 'id: alice\nroles: [user]\nattr:\n  friends: [bob, carol]\n';

const PLAN = ['plan', '--principal', 'alice.yaml', '--kind', 'album'];

const TABLES = `tables:
  album:
    name: albums
    columns:
      owner: {column: owner_id, type: text, nulls: never}
      visibility: {column: visibility, type: text}
`;
const SQL = [...PLAN, '--action', 'view', '-o', 'sql', '--table', 'tables.yaml'];

test('a plan is printed as SQL for a table, which a database accepts and which selects what checks allow', async () => {
  const folder = newFolder({ 'tables.yaml': TABLES });
  const { code, stdout } = await authzc(folder, ...SQL, '--dialect', 'sqlite');
  assert.is(code, 0);
  const [text = '', ...comments] = stdout.trimEnd().split('\n');
  const parameters = comments.map((line, index) => {
    const [, number, value = ''] = /^-- parameter (\d+): (.*)$/.exec(line) ?? [];
    assert.is(number, String(index + 1));
    return JSON.parse(value) as string;
  });
  const database = new (await initSqlJs()).Database();
  database.run('CREATE TABLE albums (id TEXT, owner_id TEXT NOT NULL, visibility TEXT)');
  for (const row of [
    ['own', 'alice', null],
    ['friend', 'bob', 'friends'],
    ['stranger', 'dave', 'friends'],
    ['private', 'bob', 'private'],
    ['unknown', 'carol', null],
  ])
    database.run(
      `INSERT INTO albums VALUES (${row.map((value) => (value === null ? 'NULL' : `'${value}'`)).join(', ')})`,
    );
  const statement = database.prepare(`SELECT id FROM albums WHERE ${text} ORDER BY id`);
  statement.bind(parameters);
  const selected: unknown[] = [];
  while (statement.step()) selected.push(statement.get()[0]);
  assert.equal(selected, ['friend', 'own']);
  assert.match((await authzc(folder, ...SQL)).stdout, '-- $1: ');
});

test('a plan that has no condition for a table names the rule and why', async () => {
  const tables = TABLES.replace(/\n {6}visibility.*/, '');
  const { code, stdout, stderr } = await authzc(newFolder({ 'tables.yaml': tables }), ...SQL);
  assert.is(code, 1);
  assert.is(stdout, '');
  assert.match(stderr, 'policies/album.yaml:11:');
  assert.match(stderr, 'no column is mapped for request.resource.attr.visibility');
  assert.match(stderr, 'rule `friends` of resource.album.vdefault');
});

test('what is wrong with a file of tables is named with its place', async () => {
  const related = (owner: string): string => TABLES.replace(/owner: {.*}/, `owner: {${owner}}`);
  for (const [text, ...messages] of [
    [TABLES.replace('type: text, nulls', 'type: string, nulls'), 'tables.yaml:5:', 'text|integer|number'],
    [TABLES.replace('nulls: never', 'nul: never'), 'tables.yaml:5:', 'nul'],
    [TABLES.replace('    name: albums\n', ''), 'tables.yaml:', 'name'],
    [TABLES.replace('album:', 'albun:'), 'no table is declared for `album`', 'albun'],
    ['', 'no table is declared for `album`'],
    ['tables: [', 'tables.yaml:'],
    [related('relation: one, table: t'), 'tables.yaml:5:', 'columns["owner"].on: value is required'],
    [related('relation: one, on: {id: t}'), 'columns["owner"].table: value is required'],
    [related('column: t'), 'columns["owner"].type: value is required'],
    [related('relation: two, table: t, on: {id: t}'), 'one|many'],
    [related('relation: one, type: text, table: t, on: {id: t}'), 'tables.yaml:5:', 'type'],
    [related('nulls: never'), 'tables.yaml:', 'storage'],
    [related('column: t, type: timestamp, zone: local'), 'tables.yaml:5:', 'utc|\\+00:00'],
    [related('relation: one, table: t, on: {id: t}, where: {gone: [1]}'), 'tables.yaml:5:', 'string value'],
  ] as const) {
    const { code, stdout, stderr } = await authzc(newFolder({ 'tables.yaml': text }), ...SQL);
    assert.is(code, 2, stderr);
    assert.is(stdout, '');
    for (const message of messages) assert.match(stderr, message);
  }
  const without = await authzc(newFolder(), ...PLAN, '--action', 'view', '-o', 'sql');
  assert.is(without.code, 2);
  assert.match(without.stderr, '--table tables.yaml');
  const shaped = await authzc(newFolder({ 'tables.yaml': TABLES }), ...SQL, '--reference-shapes');
  assert.is(shaped.code, 2);
});

test('rules without a condition for any principal are warnings of compile and ci', async () => {
  const tables = TABLES.replace(/\n {6}visibility.*/, '');
  const folder = newFolder({ 'tables.yaml': tables });
  const compiled = await authzc(folder, 'compile', '--table', 'tables.yaml');
  assert.is(compiled.code, 0, compiled.stderr);
  const warnings = [...compiled.stdout.matchAll(/^policies\/album\.yaml:(\d+):\d+: warning\[(.*?)\]: (.*)/gm)].map(
    ([, line, code, message]) => [line, code, message],
  );
  const told = (rule: string, attribute: string): string =>
    `rule \`${rule}\` has no SQL condition over the table of \`album\` (postgresql): no column is mapped for request.resource.attr.${attribute}`;
  assert.equal(warnings, [
    ['19', 'rule/not-in-sql', told('friends', 'visibility')],
    ['25', 'rule/not-in-sql', told('locked', 'locked')],
  ]);
  assert.is((await authzc(folder, 'compile', '--table', 'tables.yaml', '--fail-on', 'warning')).code, 3);
  const { code, stdout } = await authzc(folder, 'ci', '--table', 'tables.yaml');
  assert.is(code, 3);
  assert.match(stdout, 'rule/not-in-sql');
  const wrong = await authzc(newFolder({ 'tables.yaml': 'tables: [' }), 'compile', '--table', 'tables.yaml');
  assert.is(wrong.code, 2);
  assert.match(wrong.stderr, 'tables.yaml:1:');
});

test('a plan is printed as a tree: its kind, then one operator per line with its operands; nothing is written to the folder', async () => {
  const folder = newFolder();
  assert.equal(await authzc(folder, ...PLAN, '--action', 'view'), {
    code: 0,
    stdout: `KIND_CONDITIONAL
  or
    eq request.resource.attr.owner "alice"
    and
      eq request.resource.attr.visibility "friends"
      in request.resource.attr.owner ["bob","carol"]
`,
    stderr: '',
  });
  assert.equal(filesIn(folder), ['alice.yaml', 'policies/album.yaml']);
});

test('-o text prints the debug text on one line', async () => {
  const { stdout } = await authzc(newFolder(), ...PLAN, '--action', 'edit', '-o', 'text');
  assert.is(
    stdout,
    '(and (or (ne request.resource.attr.locked true) (not (has request.resource.attr.locked))) (eq request.resource.attr.owner "alice"))\n',
  );
});

test('-o json prints the filter of a response and its meta, and the filter selects rows', async () => {
  const { stdout } = await authzc(newFolder(), ...PLAN, '--action', 'view', '-o', 'json');
  const response = JSON.parse(stdout) as {
    actions: unknown;
    resourceKind: unknown;
    filter: Filter;
    meta: { filterDebug: string; matchedScopes: unknown };
  };
  assert.equal(
    [response.actions, response.resourceKind, response.meta.matchedScopes],
    [['view'], 'album', { view: '' }],
  );
  assert.match(response.meta.filterDebug, /^\(or /);
  assert.ok(selects(response.filter, { attr: { owner: 'alice' } }));
  assert.not(selects(response.filter, { attr: { owner: 'bob' } }));
});

test('a plan of several actions covers all of them', async () => {
  const { stdout } = await authzc(newFolder(), ...PLAN, '--action', 'view', '--action', 'edit', '-o', 'text');
  assert.match(stdout, /^\(and .*attr\.locked.*visibility/);
});

test('--attr sets known attributes, --aux-data sets the claims of tokens, and - reads stdin', async () => {
  const folder = newFolder({ 'attr.json': '{"owner": "alice", "size": 1e3}', 'claims.yaml': 'jwt: {guest: true}\n' });
  assert.is((await authzc(folder, ...PLAN, '--action', 'view', '--attr', 'attr.json')).stdout, 'KIND_ALWAYS_ALLOWED\n');
  assert.is(
    (await authzc(folder, ...PLAN, '--action', 'view', '--aux-data', 'claims.yaml')).stdout,
    'KIND_ALWAYS_DENIED\n',
  );
  const { stdout } = await authzcWithStdin(
    folder,
    '{"id": "bob", "roles": ["user"]}',
    'plan',
    '--principal',
    '-',
    '--kind',
    'album',
    '--action',
    'view',
    '-o',
    'text',
  );
  assert.is(stdout, '(eq request.resource.attr.owner "bob")\n');
});

test('--scope, --policy-version and --reference-shapes apply to the plan', async () => {
  const scoped = documentPolicy('view').replace('version: default', 'version: v2\n  scope: acme');
  const root = documentPolicy('edit').replace('version: default', 'version: v2');
  const folder = newFolder({ 'policies/acme.yaml': scoped, 'policies/root.yaml': root });
  const plan = [
    'plan',
    '--principal',
    'alice.yaml',
    '--kind',
    'document',
    '--action',
    'view',
    '--policy-version',
    'v2',
  ];
  assert.is((await authzc(folder, ...plan, '--scope', 'acme')).stdout, 'KIND_ALWAYS_ALLOWED\n');
  assert.is((await authzc(folder, ...plan)).stdout, 'KIND_ALWAYS_DENIED\n');
  const { stdout } = await authzc(newFolder(), ...PLAN, '--action', 'edit', '--reference-shapes', '-o', 'text');
  assert.is(stdout, '(and (not request.resource.attr.locked) (eq request.resource.attr.owner "alice"))\n');
});

test('--missing nulls writes neither has nor unless, and not with the forms that have no use for it', async () => {
  const edit = [...PLAN, '--action', 'edit', '--missing', 'nulls'];
  const { stdout } = await authzc(newFolder(), ...edit, '-o', 'text');
  assert.is(
    stdout,
    '(and (or (eq request.resource.attr.locked false) (eq request.resource.attr.locked null)) (eq request.resource.attr.owner "alice"))\n',
  );
  const both = await authzc(newFolder(), ...edit, '--reference-shapes');
  assert.is(both.code, 2);
  assert.match(both.stderr, /`--reference-shapes` cannot express `--missing nulls`/);
  const sql = await authzc(newFolder({ 'tables.yaml': TABLES }), ...SQL, '--missing', 'nulls');
  assert.is(sql.code, 2);
  assert.match(sql.stderr, /`-o sql` takes the meaning of NULL from the declaration of the table/);
});

test('a name that no policy has is reported with the nearest one', async () => {
  const folder = newFolder();
  const { code, stdout, stderr } = await authzc(
    folder,
    'plan',
    '--principal',
    'alice.yaml',
    '--kind',
    'albun',
    '--action',
    'view',
  );
  assert.equal(
    [code, stdout, stderr],
    [0, 'KIND_ALWAYS_DENIED\n', 'warning: no policy covers kind `albun`: did you mean `album`?\n'],
  );
  const action = await authzc(folder, ...PLAN, '--action', 'veiw');
  assert.equal(
    [action.code, action.stderr],
    [0, 'warning: no rule for kind `album` names action `veiw`: did you mean `view`?\n'],
  );
});

test('a rule that a filter cannot express is reported with its location and grants nothing', async () => {
  const bytes = documentPolicy('view').trimEnd().concat(`\n      condition: {match: {expr: 'b"a" in R.attr.y'}}\n`);
  const { code, stdout, stderr } = await authzc(
    newFolder({ 'policies/document.yaml': bytes }),
    'plan',
    '--principal',
    'alice.yaml',
    '--kind',
    'document',
    '--action',
    'view',
  );
  assert.is(code, 0);
  assert.match(
    stderr,
    /^policies\/document\.yaml:\d+:\d+: warning: rule `users` of resource\.document\.vdefault cannot be part of a filter: /,
  );
  assert.is(stdout, 'KIND_ALWAYS_DENIED\n');
});

test('evaluation errors are reported with their rule; for a plan only those that every row has', async () => {
  const folder = newFolder({
    'bobs.yaml': 'kind: album\nid: a1\nattr: {owner: bob, visibility: friends}\n',
    'nobody.yaml': 'id: x\nroles: [user]\n',
  });
  const check = await authzc(
    folder,
    'check',
    '--principal',
    'nobody.yaml',
    '--resource',
    'bobs.yaml',
    '--action',
    'view',
    '--action',
    'edit',
  );
  assert.is(
    check.stdout,
    'view: EFFECT_DENY by resource.album.vdefault\nedit: EFFECT_DENY by resource.album.vdefault\n',
  );
  const warnings = [
    'policies/album.yaml:21:7: warning: `R.attr.locked` could not be evaluated, so it does not hold: no such key: locked\n',
    'policies/album.yaml:11:7: warning: `R.attr.owner in P.attr.friends` could not be evaluated, so it does not hold: no such key: friends\n',
  ];
  assert.is(check.stderr, warnings.join(''));
  const friends = newFolder({
    'policies/d.yaml': documentPolicy('view').trimEnd().concat('\n      condition: {match: {expr: P.attr.n > 1}}\n'),
  });
  const plan = await authzc(friends, 'plan', '--principal', 'alice.yaml', '--kind', 'document', '--action', 'view');
  assert.equal(
    [plan.stdout, plan.stderr],
    [
      'KIND_ALWAYS_DENIED\n',
      'policies/d.yaml:6:7: warning: `P.attr.n > 1` could not be evaluated, so it does not hold: no such key: n\n',
    ],
  );
});

test('a mistake in a file is reported with its location and a fix: status 2', async () => {
  const mistakes: readonly (readonly [string, RegExp])[] = [
    [
      'id: alice\nrole: [user]\n',
      /^p\.yaml:2:1: error: a principal has no field `role`\n(?:.*\n)+ {2}note: did you mean `roles`\?\n$/,
    ],
    [
      'principal: {id: alice}\n',
      /^p\.yaml:1:1: error: a principal has no field `principal`\n(?:.*\n)+ {2}note: its fields are `id`, `roles`/,
    ],
    [
      'id: 7\nroles: [user]\n',
      /^p\.yaml:1:5: error: expected a string\n(?:.*\n)+ {2}note: write it in quotes: `"7"`\n$/,
    ],
    [
      'id: alice\nroles: user\n',
      /^p\.yaml:2:8: error: expected a list of strings\n(?:.*\n)+ {2}note: write `\[user\]`\n$/,
    ],
    ['id: alice\nroles: [user]\nactors: {id: b}\n', /^p\.yaml:3:9: error: expected a list/],
    [
      'id: alice\nroles: [user]\nactors:\n  - {id: b, roles: [user], actors: []}\n',
      /^p\.yaml:4:28: error: an actor has no field `actors`/,
    ],
    [
      `id: alice\nroles: [user]\nactors: [${Array.from({ length: 9 }, () => '{id: b, roles: [user]}').join(', ')}]\n`,
      /^p\.yaml: error: a principal has at most 8 actors\n/,
    ],
    ['id: alice\nroles: []\n', /^p\.yaml:2:8: error: the list must not be empty/],
    ['roles: [user]\n', /^p\.yaml:1:\d+: error: a principal needs `id`\n(?:.*\n)+ {2}note: for example `id: alice`\n$/],
    ['id: alice\nroles: [user]\nattr: {n: .nan}\n', /^p\.yaml:3:11: error: a request cannot have this number/],
    ['id: alice\nroles: [user]\nattr: {n: 1e999}\n', /^p\.yaml:3:11: error: a request cannot have this number/],
    ['id: alice\nroles: [user]\nattr: {n: [-1E+400]}\n', /^p\.yaml:3:12: error: a request cannot have this number/],
    ['id: alice\nroles: [user, null]\n', /^p\.yaml:2:15: error: expected a string\n(?![\s\S]*write it in quotes)/],
    ['id: alice\nroles: [user]\nattr: {1: x}\n', /^p\.yaml:3:8: error: a key must be a string/],
    ['id: alice\nid: bob\n', /^p\.yaml:2:1: error: /],
    ['{"id": "alice", "roles": ["user"\n', /^p\.yaml:\d+:\d+: error: /],
    ['[alice]\n', /^p\.yaml:1:1: error: expected a map of fields/],
    ['', /^p\.yaml: error: the file is empty\n$/],
  ];
  for (const [text, expected] of mistakes) {
    const { code, stdout, stderr } = await authzc(
      newFolder({ 'p.yaml': text }),
      'plan',
      '--principal',
      'p.yaml',
      '--kind',
      'album',
      '--action',
      'view',
    );
    assert.equal([code, stdout], [2, ''], text);
    assert.match(stderr, expected);
  }
});

test('a missing file, a missing option and stdin read twice end with one line that names them', async () => {
  const folder = newFolder();
  const absent = await authzc(folder, 'plan', '--principal', 'nobody.yaml', '--kind', 'album', '--action', 'view');
  assert.equal(absent, { code: 1, stdout: '', stderr: 'nobody.yaml: error: file not found\n' });
  for (const [options, name] of [
    [['--kind', 'album', '--action', 'view'], '--principal'],
    [['--principal', 'alice.yaml', '--action', 'view'], '--kind'],
    [['--principal', 'alice.yaml', '--kind', 'album'], '--action'],
  ] as const) {
    const { code, stderr } = await authzc(folder, 'plan', ...options);
    assert.is(code, 2);
    assert.match(stderr, name);
  }
  const twice = await authzc(folder, 'plan', '--principal', '-', '--attr', '-', '--kind', 'album', '--action', 'view');
  assert.is(twice.code, 2);
  assert.match(twice.stderr, 'only one option can read standard input');
});

test('policies that do not compile end with status 3, an unreadable folder with status 1', async () => {
  const broken = await authzc(newFolder({ 'policies/broken.yaml': BROKEN_POLICY }), ...PLAN, '--action', 'view');
  assert.equal([broken.code, broken.stdout], [3, '']);
  assert.match(broken.stderr, 'broken.yaml:');
  const absent = await authzc(
    newFolder(),
    'plan',
    'nowhere',
    '--principal',
    'alice.yaml',
    '--kind',
    'album',
    '--action',
    'view',
  );
  assert.equal([absent.code, absent.stdout], [1, '']);
});

test('authzc check decides one resource, action by action, consistently with plan', async () => {
  const folder = newFolder({
    'bobs.yaml': 'kind: album\nid: a1\nattr: {owner: bob, visibility: friends, locked: false}\n',
  });
  const check = [
    'check',
    '--principal',
    'alice.yaml',
    '--resource',
    'bobs.yaml',
    '--action',
    'view',
    '--action',
    'edit',
  ];
  assert.equal(await authzc(folder, ...check), {
    code: 0,
    stdout: 'view: EFFECT_ALLOW by resource.album.vdefault\nedit: EFFECT_DENY by resource.album.vdefault\n',
    stderr: '',
  });
  const { actions } = JSON.parse((await authzc(folder, ...check, '-o', 'json')).stdout) as {
    actions: readonly { effect: string }[];
  };
  assert.equal(
    actions.map(({ effect }) => effect),
    ['EFFECT_ALLOW', 'EFFECT_DENY'],
  );
  assert.is(
    (await authzc(folder, 'check', '--principal', 'alice.yaml', '--resource', 'alice.yaml', '--action', 'view')).code,
    2,
  );
});

test.run();

function newFolder(files: { readonly [path: string]: string } = {}): string {
  const folder = folderOf({ 'policies/album.yaml': ALBUM, 'alice.yaml': ALICE, ...files });
  folders.push(folder);
  return folder;
}

function authzc(folder: string, ...options: readonly string[]): Promise<Ended> {
  return callAuthzc(options, folder);
}

/** The same with stdin. */
function authzcWithStdin(folder: string, text: string, ...options: readonly string[]): Promise<Ended> {
  return callAuthzc(options, folder, {}, text);
}
