import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf } from '../support/cli/programs.js';

const test = suite('authzc facts');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const NOTE = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  importDerivedRoles: [note_roles]
  schemas: {resourceSchema: {ref: "authz:///note.json"}}
  variables:
    local: {place: R.attr.place}
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user, "guest:*"]}
    - {actions: [edit], effect: EFFECT_ALLOW, derivedRoles: [owner]}
    - {actions: [share], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: V.place.region == "eu" && has(P.attr.team)}}}
    - {actions: [export], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr == P.attr}}, output: {when: {ruleActivated: request.auxData.jwt.sub}}}
    - {actions: ["*"], effect: EFFECT_ALLOW, roles: [admin]}
`;
const ROLES = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: note_roles
  definitions:
    - {name: owner, parentRoles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
`;
const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { owner: {}, place: {}, secret: {}, title: { type: 'string' } },
  required: ['owner'],
  additionalProperties: false,
});
const TABLES = `tables:
  note:
    name: notes
    id: {column: id, type: text}
    columns:
      owner: {column: owner_id, type: text}
      place.region: {column: region, type: text}
`;
const FILES = {
  'policies/note.yaml': NOTE,
  'policies/roles.yaml': ROLES,
  'policies/_schemas/note.json': SCHEMA,
  'tables.yaml': TABLES,
};

async function facts(folder: string, ...words: readonly string[]): Promise<Ended> {
  return callAuthzc(['facts', ...words], folder);
}

function makeFolder(files: { readonly [path: string]: string } = FILES): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}

test('each action lists what it reads, by role', async () => {
  const { code, stdout } = await facts(makeFolder(), '--action', 'view', 'edit', 'share', 'export', '--lines');
  assert.is(code, 0);
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));
  assert.equal(rows, [
    ['note'],
    ['admin, guest:*', 'user'],
    ['edit', '–', 'owner, P.id'],
    ['export', '–', 'R.attr, P.attr'],
    ['share', '–', 'place.region, has(P.attr.team)'],
    ['view', '–', '–'],
    ['note: resource.attr is read as a whole: policies/note.yaml:13'],
    ['note: principal.attr is read as a whole: policies/note.yaml:13'],
    ['R.attr', 'policies/note.yaml:13'],
    ['P.attr', 'policies/note.yaml:13'],
    ['P.id', 'policies/roles.yaml:5'],
    [''],
  ]);
});

test('the level response adds outputs, and enforced schemas the properties that they mention', async () => {
  const folder = makeFolder();
  const { stdout } = await facts(folder, '--action', 'export', '--role', 'user', '--level', 'response');
  assert.match(stdout, /export {2}R\.attr, P\.attr, P\.id, jwt\.sub\n/);
  const enforced = await facts(folder, '--action', 'edit', '--role', 'user', '--schemas', 'enforce');
  assert.match(enforced.stdout, /edit {2}owner, place, secret, size\(R\.attr\), title, P\.id\n/);
});

test('JSON has paths with lines, facts, and what is read as a whole', async () => {
  const { stdout } = await facts(makeFolder(), '--action', 'share', '--role', 'user', '-o', 'json');
  const { tables } = JSON.parse(stdout) as { readonly tables: readonly { readonly decisions: readonly object[] }[] };
  assert.equal(tables[0]?.decisions, [
    {
      action: 'share',
      role: 'user',
      paths: [
        { path: 'resource.attr.place.region', leaf: 'value', lines: ['note.yaml:8'] },
        { path: 'principal.attr.team', leaf: 'has', lines: ['note.yaml:12'] },
      ],
      facts: ['resource.attr.place', 'principal.attr.team'],
      now: false,
      whole: [],
    },
  ]);
});

test('columns are those of the tables, and masks what no decision reads', async () => {
  const folder = makeFolder();
  const { stdout } = await facts(folder, '--action', 'edit', 'share', '-o', 'columns', '--table', 'tables.yaml');
  assert.is(
    stdout,
    '-- note edit\nSELECT "id", "owner_id" FROM "notes"\n\n-- note share\nSELECT "id", "region" FROM "notes"\n',
  );
  const mask = await facts(folder, '--action', 'view', 'edit', 'share', '-o', 'mask');
  assert.is(mask.stdout, 'audit:\n  mask:\n    - "resource.attr.secret"\n    - "resource.attr.title"\n');
  const refused = await facts(folder, '-o', 'columns');
  assert.equal([refused.code, refused.stdout], [2, '']);
});

test('names of policies and schemas cannot change what a terminal shows', async () => {
  const name = 'a\\u202e\\u0007\\u2028\\u0085`';
  const hostile = NOTE.replace('actions: [share]', `actions: ["${name}"]`)
    .replace('V.place.region', `R.attr["${name}"]`)
    .replace('R.attr == P.attr', `P.attr["${name}"] == R.attr["${name}"] && R.attr == P.attr`)
    .replace('"guest:*"', `"${name}"`)
    .replace(/expr: (.*?)\}\}/g, (_, text: string) => `expr: '${text}'}}`);
  const folder = makeFolder({
    ...FILES,
    'policies/note.yaml': hostile,
    'policies/_schemas/note.json': SCHEMA.replace('"secret"', `"secret${name}"`),
    'policies/roles.yaml': ROLES.replace('R.attr.owner', `'R.attr["${name}"].owner`).replace('P.id', "P.id'"),
  });
  for (const words of [
    ['text'],
    ['text', '--lines'],
    ['json'],
    ['types'],
    ['mask', '--action', 'view'],
    ['columns', '--table', 'tables.yaml'],
  ]) {
    const { code, stdout, stderr } = await facts(folder, '-o', ...words);
    assert.is(code, 0, stderr);
    assert.match(stdout, /202e/, words.join(' '));
    assert.not.match(stdout, /(?!\n)\p{Cc}|\u202e|\u2028/u, words.join(' '));
  }
});

test('a lock file tells which action reads another attribute, and where', async () => {
  const folder = makeFolder();
  assert.is((await facts(folder, '--write', 'facts.lock.json')).code, 0);
  const lock = JSON.parse(readFileSync(join(folder, 'facts.lock.json'), 'utf8'));
  assert.equal(lock.kinds.note.share.user, ['resource.attr.place.region', 'has(principal.attr.team)']);
  assert.equal(await facts(folder, '--check', 'facts.lock.json'), { code: 0, stdout: '', stderr: '' });
  writeFileSync(
    join(folder, 'policies/roles.yaml'),
    ROLES.replace('R.attr.owner == P.id', 'R.attr.region == P.attr.region'),
  );
  const changed = await facts(folder, '--check', 'facts.lock.json');
  assert.is(changed.code, 1);
  assert.equal(changed.stdout.trim().split('\n'), [
    'note: edit now also reads `resource.attr.region` for user (policies/roles.yaml:5)',
    'note: edit now also reads `principal.attr.region` for user (policies/roles.yaml:5)',
    'note: edit no longer reads `resource.attr.owner` for user',
    'note: edit no longer reads `principal.id` for user',
  ]);
  assert.match(changed.stderr, 'review the changes, then run the command with --write facts.lock.json');
  const other = await facts(folder, '--check', 'facts.lock.json', '--level', 'response');
  assert.equal([other.code, other.stdout], [2, '']);
  for (const text of ['{}', '{"level": "effect"}', 'x']) {
    writeFileSync(join(folder, 'facts.lock.json'), text);
    const broken = await facts(folder, '--check', 'facts.lock.json');
    assert.equal([broken.code, broken.stdout], [2, ''], text);
    assert.match(broken.stderr, 'facts.lock.json: error: it is not a file that `authzc facts --write` wrote');
  }
});

test('facts that no source of a configuration provides have to be sent', async () => {
  const config = (sources: unknown) => ({ ...FILES, 'config/authz.yaml': JSON.stringify({ sources }) });
  const table = { of: 'note', sql: { url: '${DATABASE_URL}', tables: 'tables.yaml', table: 'note' } };
  const folder = makeFolder(config({ from: { notes: table } }));
  const actions = ['--action', 'view', 'edit', 'share'];
  const { code, stdout } = await facts(folder, '--sources', 'config/authz.yaml', ...actions);
  assert.is(code, 0);
  assert.is(
    stdout,
    'no source provides these facts, so callers must send them:\n  note  principal.attr.team  share  policies/note.yaml:12\n',
  );
  const people = { of: 'principal', provides: { team: 'string' }, http: { url: 'https://hr.example.com/{id}' } };
  const both = makeFolder(config({ from: { notes: table, people } }));
  assert.is(
    (await facts(both, '--sources', 'config/authz.yaml', ...actions)).stdout,
    'sources provide every fact that decisions read\n',
  );
  const listed = makeFolder(config({ from: { notes: { ...table, provides: ['place'] } }, sent: ['principal.attr.*'] }));
  const json = await facts(listed, '--sources', 'config/authz.yaml', ...actions, '-o', 'json');
  assert.equal(JSON.parse(json.stdout), [
    { kind: 'note', isNamedKind: true, fact: 'resource.attr.owner', actions: ['edit'], lines: ['roles.yaml:5'] },
  ]);
  for (const wrong of [
    undefined,
    { from: { a: {} } },
    { from: { a: { of: 'note', provides: 1 } } },
    { from: { a: { of: 'note', sql: {} } } },
  ]) {
    const refused = await facts(makeFolder(config(wrong)), '--sources', 'config/authz.yaml');
    assert.equal([refused.code, refused.stdout], [2, ''], JSON.stringify(wrong));
  }
  assert.is((await facts(folder, '--sources', 'config/authz.yaml', '-o', 'types')).code, 2);
});

const RELATED = `users:
  name: people
  id: {column: id, type: text}
  roles: {relation: many, table: memberships, on: {person_id: id}, value: {column: role, type: text}}
  columns:
    team: {relation: one, table: teams, on: {id: team_id}, columns: {name: {column: name, type: text}}}
tables:
  note:
    name: notes
    id: {column: id, type: text}
    columns:
      owner: {relation: one, table: owners, on: {note_id: id}, value: {column: owner_id, type: text}}
      place.region: {column: region, type: text}
`;

test('sources provide what they do in a server', async () => {
  const config = (from: object) => ({
    ...FILES,
    'related.yaml': RELATED,
    'authz.yaml': JSON.stringify({ sources: { from }, audit: { file: { path: '${AUDIT_FILE}' } } }),
  });
  const sql = { url: '${DATABASE_URL}', tables: 'related.yaml', maxConnections: '${CONNECTIONS}' };
  const notes = { of: 'note', sql: { ...sql, table: 'note' }, deadline: '${DEADLINE:1s}' };
  const actions = ['--action', 'view', 'edit', 'share'];
  const listed = async (from: object) => facts(makeFolder(config(from)), '--sources', 'authz.yaml', ...actions);
  const people = { of: 'principal', sql };
  assert.is((await listed({ notes, people })).stdout, 'sources provide every fact that decisions read\n');
  assert.match((await listed({ notes })).stdout, 'principal.attr.team');
  assert.not.match((await listed({ notes })).stdout, 'resource.attr');
  assert.match((await listed({ notes: { ...notes, provides: ['place'] }, people })).stdout, 'resource.attr.owner');
  // What a server refuses is refused here, with its place.
  for (const [from, told] of [
    [{ people: { of: 'note', sql: { ...sql, maxConnections: 4 } } }, /authz.yaml:1:\d+: error: .*needs `table`/],
    [{ notes: { ...notes, provdes: ['place'] } }, /authz.yaml:1:\d+: error: .*provdes/],
    [{ notes: { ...notes, cost: 'low' } }, /authz.yaml:1:\d+: error: .*cost/],
    [{ notes: { ...notes, sql: { ...sql, table: 'nope' } } }, /related.yaml: error: has no table for `nope`/],
    [{ notes: { ...notes, sql: { ...sql, tables: 'none.yaml' } } }, /none.yaml: error: /],
  ] as const) {
    const refused = await listed(from);
    assert.equal([refused.code, refused.stdout], [2, ''], refused.stderr);
    assert.match(refused.stderr, told);
  }
});

const ANN = `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: ann
  version: default
  rules:
    - resource: report
      actions: [{action: view, effect: EFFECT_ALLOW, condition: {match: {expr: R.attr.region == "eu"}}}]
    - resource: "draft:*"
      actions: [{action: view, effect: EFFECT_ALLOW, condition: {match: {expr: R.attr.folder == "a"}}}]
`;

test('facts of kinds that only principal policies name have to be sent, too', async () => {
  const folder = makeFolder({ 'policies/ann.yaml': ANN, 'authz.yaml': 'sources: {from: {}}' });
  const { stdout } = await facts(folder, '--sources', 'authz.yaml');
  assert.equal(stdout.trim().split('\n').slice(1), [
    '  any other kind  resource.attr.folder  view  policies/ann.yaml:9',
    '  report          resource.attr.region  view  policies/ann.yaml:7',
  ]);
});

test('`compile --facts` writes the type of what decisions read, and reports what reads a side as a whole', async () => {
  const folder = makeFolder();
  const compile = (...words: readonly string[]) =>
    callAuthzc(['compile', 'policies', '--facts', '--out', 'generated', '--bundle', 'policies.js', ...words], folder);
  const { code, stdout } = await compile();
  assert.is(code, 0, stdout);
  assert.match(stdout, 'policies/note.yaml:13');
  assert.match(stdout, 'warning[facts/whole]: `resource.attr` is read as a whole');
  for (const file of ['generated/types.ts', 'policies.d.ts']) {
    const text = readFileSync(join(folder, file), 'utf8');
    assert.match(text, "readonly principal: ReadAttributes<Policies['kinds']['note']['principal'], 'team'>;", file);
  }
  assert.is((await compile('--check')).code, 0);
  assert.is((await compile('--fail-on', 'warning')).code, 3);
});

test('the kinds of the types are those of `Policies`, as policies write them', async () => {
  const folder = makeFolder({
    ...FILES,
    'policies/other.yaml': NOTE.replace('resource: note', 'resource: "note:page-1"'),
  });
  const { code } = await callAuthzc(['compile', '--facts', '--out', 'generated', '--no-bundle'], folder);
  assert.is(code, 0);
  const printed = (await facts(folder, '-o', 'types')).stdout;
  const written = readFileSync(join(folder, 'generated/types.ts'), 'utf8');
  for (const text of [printed, written]) {
    const named = new Set([...text.matchAll(/Policies\['kinds'\]\['(.*?)'\]/g)].map(([, kind]) => kind));
    assert.equal([...named], ['note', 'note:page-1']);
    for (const kind of named) assert.match(text, new RegExp(`^  '${kind}': \\{$`, 'm'));
  }
  for (const kind of ['note', 'note:page-1']) assert.match(written, `    readonly '${kind}': {`);
});

test('what no policy covers is an error, and so are policies that do not compile', async () => {
  const folder = makeFolder();
  for (const [words, said] of [
    [['--kind', 'nte'], 'no policy covers kind `nte`: did you mean `note`?'],
    [['--kind', 'note', '--action', 'shre'], 'no policy covers action `shre`: did you mean `share`?'],
    [['--scope', 'x'], 'no policy has scope `x`'],
  ] as const) {
    const none = await facts(folder, ...words);
    assert.equal([none.code, none.stdout], [1, '']);
    assert.match(none.stderr, said);
  }
  const broken = makeFolder({ 'policies/note.yaml': NOTE });
  assert.is((await facts(broken)).code, 3);
});

test.run();
