import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT } from '../../packages/cli/exit.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { newRepository } from '../support/git-repository.js';

const test = suite('authzc rls diff');

const folder = mkdtempSync(join(tmpdir(), 'authz-rls-diff-'));
test.after(() => rmSync(folder, { recursive: true }));

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "R.attr.n < 10"}}}
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "R.attr.owner == P.id"}}}
`;

const TABLES = `tables:
  doc:
    name: public.docs
    columns:
      n: {column: n, type: integer, nulls: never}
      owner: {column: owner, type: text, nulls: never}
    rls: {select: view, update: edit, to: [app]}
`;

/** What changes in the policies or in the table file, and the verdict on each statement. */
const CHANGES: readonly {
  readonly policy?: (text: string) => string;
  readonly tables?: (text: string) => string;
  readonly verdicts: { readonly [command: string]: string };
  readonly code: number;
}[] = [
  { verdicts: { select: 'unchanged', update: 'unchanged' }, code: 0 },
  {
    policy: (text) => text.replace('R.attr.n < 10', 'R.attr.n < 10 && true'),
    verdicts: { select: 'unchanged', update: 'unchanged' },
    code: 0,
  },
  {
    policy: (text) => text.replace('< 10', '< 11'),
    verdicts: { select: 'widened, narrowing not decided', update: 'unchanged' },
    code: 1,
  },
  {
    policy: (text) => text.replace('< 10', '< 9'),
    verdicts: { select: 'narrowed, widening not decided', update: 'unchanged' },
    code: 1,
  },
  {
    policy: (text) => text.replace('R.attr.n < 10', 'R.attr.n > 10'),
    verdicts: { select: 'mixed', update: 'unchanged' },
    code: 1,
  },
  {
    policy: (text) =>
      text.replace(
        'roles: [user], condition: {match: {expr: "R.attr.owner',
        'roles: [boss], condition: {match: {expr: "R.attr.owner',
      ),
    verdicts: { select: 'unchanged', update: 'mixed' },
    code: 1,
  },
  {
    tables: (text) => text.replace('update: edit, ', ''),
    verdicts: { select: 'unchanged', update: 'narrowed' },
    code: 1,
  },
  {
    tables: (text) => text.replace('update: edit', 'update: edit, delete: edit'),
    verdicts: { select: 'unchanged', update: 'unchanged', delete: 'widened' },
    code: 1,
  },
  {
    tables: (text) => text.replace('select: view', 'select: edit'),
    verdicts: { select: 'not decided', update: 'unchanged' },
    code: 1,
  },
  {
    tables: (text) => text.replace('column: owner', 'column: author'),
    verdicts: { select: 'unchanged', update: 'not decided' },
    code: 1,
  },
  {
    tables: (text) => text.replace('to: [app]', 'to: [app, web]'),
    verdicts: { select: 'not decided', update: 'not decided' },
    code: 1,
  },
  {
    tables: (text) => `${text}rls: {attributes: {x: text}}\n`,
    verdicts: { select: 'not decided', update: 'not decided' },
    code: 1,
  },
  {
    tables: (text) => text.replace('to: [app]', 'to: [app], frozen: [n]'),
    verdicts: { select: 'not decided', update: 'not decided' },
    code: 1,
  },
];

test('each statement is unchanged by proof, or changed with a request or a reason', async () => {
  write('old/doc.yaml', POLICY);
  write('old.yaml', TABLES);
  for (const { policy = same, tables = same, verdicts, code } of CHANGES) {
    write('new/doc.yaml', policy(POLICY));
    write('new.yaml', tables(TABLES));
    const ran = await callAuthzc(
      ['rls', 'diff', 'old', 'new', '--table', 'new.yaml', '--old-table', 'old.yaml', '--no-solver', '-o', 'json'],
      folder,
    );
    const { changes } = JSON.parse(ran.stdout) as {
      readonly changes: readonly {
        readonly command: string;
        readonly verdict: string;
        readonly request?: unknown;
        readonly reason?: string;
      }[];
    };
    assert.equal(Object.fromEntries(changes.map(({ command, verdict }) => [command, verdict])), verdicts);
    for (const { verdict, request, reason } of changes)
      assert.is(request !== undefined || reason !== undefined, verdict !== 'unchanged', verdict);
    assert.is(ran.code, code);
  }
});

test('requests are about rows that the table can have, and that the schema of their kind accepts', async () => {
  const tables = `tables:
  doc:
    name: public.docs
    columns:
      n: {column: n, type: integer, nulls: never}
      owner: {column: owner, type: uuid, nulls: never}
      key: {column: key, type: integer-as-text, nulls: never}
      since: {column: since, type: timestamp, nulls: never}
      price: {column: price, type: decimal, nulls: as-null}
      note: {column: note, type: text}
      status: {column: status, type: text, nulls: never}
      address.city: {column: city, type: text, nulls: never}
      members: {relation: many, table: public.members, on: {doc_id: id}, value: {column: user_id, type: text, nulls: never}}
    rls: {select: view, to: [app]}
`;
  const policy = (condition: string): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  schemas: {resourceSchema: {ref: "authz:///doc.json"}}
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '${condition}'}}}
`;
  const [uuid, time] = ['00000000-0000-4000-8000-000000000000', '2025-01-01T00:00:00Z'];
  const row = {
    n: 0,
    owner: uuid,
    key: '1',
    since: time,
    price: 0,
    status: 'draft',
    address: { city: 'x' },
    members: [],
  };
  const changes: readonly (readonly [old: string, changed: string, row: object])[] = [
    ['R.attr.n < 10', 'R.attr.n < 11', { ...row, n: 10 }],
    ['R.attr.status == "draft"', 'R.attr.status != "done"', { ...row, status: 'open' }],
    ['R.attr.price == 1.0', 'R.attr.price == null', { ...row, price: null }],
    ['R.attr.note == "y"', 'has(R.attr.note)', { ...row, note: 'x' }],
    // The id of the principal is no UUID, and the table cannot say that there is none.
    ['R.attr.n == 1', 'R.attr.owner == P.id', { ...row, owner: 'alice', key: 'x' }],
  ];
  const schema = { properties: { status: { enum: ['draft', 'open', 'done'] } } };
  for (const side of ['old', 'new']) write(`${side}/_schemas/doc.json`, JSON.stringify(schema));
  write('old.yaml', tables);
  for (const [old, changed, expected] of changes) {
    write('old/doc.yaml', policy(old));
    write('new/doc.yaml', policy(changed));
    const { stdout } = await callAuthzc(
      ['rls', 'diff', 'old', 'new', '--table', 'old.yaml', '--no-solver', '-o', 'json'],
      folder,
    );
    const [change] = (JSON.parse(stdout) as { readonly changes: readonly { readonly request?: Asked }[] }).changes;
    assert.equal(change?.request?.resource.attr, expected, changed);
  }
  for (const side of ['old', 'new']) rmSync(join(folder, side, '_schemas'), { recursive: true });
  write('old/doc.yaml', POLICY);
  write('old.yaml', TABLES);
});

interface Asked {
  readonly resource: { readonly attr: unknown };
}

test('where schemas are enforced, a schema that changes changes a statement', async () => {
  const policy = POLICY.replace('  rules:', '  schemas: {resourceSchema: {ref: "authz:///doc.json"}}\n  rules:');
  const schemaOf = (maximum: number): string =>
    JSON.stringify({ type: 'object', properties: { n: { type: 'integer', maximum }, owner: { type: 'string' } } });
  for (const side of ['old', 'new']) write(`${side}/doc.yaml`, policy);
  write('old/_schemas/doc.json', schemaOf(5));
  write('old.yaml', `${TABLES}rls: {schemas: enforce}\n`);
  for (const [maximum, tables] of [
    [7, `${TABLES}rls: {schemas: enforce}\n`],
    [5, TABLES],
  ] as const) {
    write('new/_schemas/doc.json', schemaOf(maximum));
    write('new.yaml', tables);
    const { stdout, stderr } = await callAuthzc(
      ['rls', 'diff', 'old', 'new', '--table', 'new.yaml', '--old-table', 'old.yaml', '--no-solver', '-o', 'json'],
      folder,
    );
    assert.is(stderr, '');
    const { changes } = JSON.parse(stdout) as { readonly changes: readonly { readonly verdict: string }[] };
    for (const { verdict } of changes) assert.is.not(verdict, 'unchanged');
  }
  for (const side of ['old', 'new']) rmSync(join(folder, side, '_schemas'), { recursive: true });
  write('old/doc.yaml', POLICY);
  write('old.yaml', TABLES);
});

test('the results that fail are chosen, and logs have a finding for each change', async () => {
  write('new/doc.yaml', POLICY.replace('< 10', '< 9'));
  const args = ['rls', 'diff', 'old', 'new', '--table', 'old.yaml', '--no-solver'];
  assert.is((await callAuthzc([...args, '--fail-on', 'widened'], folder)).code, 0);
  const { stdout } = await callAuthzc([...args, '-o', 'sarif'], folder);
  const [run] = (JSON.parse(stdout) as { readonly runs: readonly { readonly results: readonly unknown[] }[] }).runs;
  assert.is(run?.results.length, 1);
});

test('errors of a set name it', async () => {
  for (const side of ['old', 'new']) {
    write(`${side}/doc.yaml`, POLICY.replace('R.attr.n <', 'R.attr.n <<'));
    const { code, stderr } = await callAuthzc(
      ['rls', 'diff', 'old', 'new', '--table', 'old.yaml', '--no-solver'],
      folder,
    );
    assert.is(code, EXIT.refused);
    assert.match(stderr, new RegExp(`^${side}:.*doc\\.yaml:6:`));
    write(`${side}/doc.yaml`, POLICY);
  }
});

test('errors of a table file name its state', async () => {
  for (const side of ['old', 'new']) {
    write('none.yaml', TABLES.replace(/ {4}rls:.*/, ''));
    write('old.yaml', TABLES);
    const tables = side === 'old' ? ['old.yaml', '--old-table', 'none.yaml'] : ['none.yaml', '--old-table', 'old.yaml'];
    const none = await callAuthzc(['rls', 'diff', 'old', 'new', '--no-solver', '--table', ...tables], folder);
    assert.is(none.code, EXIT.usage);
    assert.match(none.stderr, new RegExp(`^${side}:none\\.yaml: error: no table has \`rls\``));
    write(`${side}/doc.yaml`, POLICY.replace('R.attr.owner == P.id', 'R.attr.owner.matches(P.id)'));
    const { code, stderr } = await callAuthzc(
      ['rls', 'diff', 'old', 'new', '--no-solver', '--table', 'old.yaml'],
      folder,
    );
    assert.is(code, EXIT.failed);
    assert.match(stderr, new RegExp(`^${side}:old\\.yaml:7:33: error\\[rls/not-in-sql\\]`));
    write(`${side}/doc.yaml`, POLICY);
  }
});

test('a revision is compared with its own table file', async () => {
  const { folder: root, commit, write: change, remove } = newRepository();
  const diff = (...args: readonly string[]) =>
    callAuthzc(['rls', 'diff', ...args, '--table', 'db/tables.yaml', '--no-solver'], root);
  try {
    commit({ 'policies/doc.yaml': POLICY, 'db/tables.yaml': TABLES });
    assert.match((await diff('main..')).stdout, /^2 statements: 2 unchanged, 0 changed$/m);
    // The policies are as before: only the tables let everybody with `view` update.
    change({ 'db/tables.yaml': TABLES.replace('update: edit', 'update: view') });
    const changed = await diff('main..');
    assert.is(changed.code, EXIT.failed);
    assert.match(changed.stdout, /^ {2}NOT DECIDED {2}update\n {4}the table file changed/m);
    change({ 'old.yaml': TABLES.replace('update: edit', 'update: view') });
    assert.is((await diff('main..', '--old-table', 'old.yaml')).code, EXIT.done);
    commit();
    assert.match((await diff('HEAD~1..main')).stdout, /NOT DECIDED {2}update/);
    assert.is((await diff('main..')).code, EXIT.done);
    commit({ 'db/tables.yaml': 'tables: {doc: 1}\n' });
    change({ 'db/tables.yaml': TABLES });
    const broken = await diff('main..');
    assert.is(broken.code, EXIT.usage);
    assert.match(broken.stderr, /^git:main:db\/tables\.yaml:1:/);
    const elsewhere = await callAuthzc(['rls', 'diff', 'main..', '--table', 'old.yaml', '--no-solver'], root);
    assert.is(elsewhere.stderr, '');
    change({ 'new.yaml': TABLES });
    const { code, stderr } = await callAuthzc(['rls', 'diff', 'main..', '--table', 'new.yaml', '--no-solver'], root);
    assert.is(code, EXIT.done);
    assert.is(stderr, 'note: `main` has no file `new.yaml`: the one of the working tree is used\n');
  } finally {
    remove();
  }
});

test('a kind without a table is refused with the nearest one, by each command', async () => {
  write('new/doc.yaml', POLICY);
  const text = 'old.yaml: error: no table with `rls` is of kind `dok`\n  note: did you mean `doc`?\n';
  for (const args of [
    ['rls', 'diff', 'old', 'new'],
    ['rls', 'old'],
    ['rls', 'verify', 'old', 'postgresql://127.0.0.1:1/x'],
  ]) {
    const { code, stderr } = await callAuthzc([...args, '--table', 'old.yaml', '--kind', 'dok'], folder);
    assert.is(code, EXIT.usage);
    assert.is(stderr, text, args.join(' '));
  }
});

test('without a solver, the output says how to decide more', async () => {
  write('new/doc.yaml', POLICY.replace('< 10', '< 11'));
  const { stdout } = await callAuthzc(['rls', 'diff', 'old', 'new', '--table', 'old.yaml', '--no-solver'], folder);
  assert.match(stdout, /\n1 statement undecided; install z3-solver to decide most of them: npm install/);
});

test.run();

function same(text: string): string {
  return text;
}

function write(name: string, text: string): void {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
