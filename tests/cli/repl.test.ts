import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf } from '../support/cli/programs.js';

const test = suite('authzc repl');
const HEAD = 'apiVersion: api.authz.dev/v1\n';
const FILES = {
  'policies/shared.yaml': `${HEAD}exportVariables: {name: shared, definitions: {mine: R.attr.owner == P.id, loop: V.pool, pool: V.loop}}\n`,
  'policies/album.yaml': `${HEAD}resourcePolicy:
  resource: album
  version: default
  constants: {local: {most: 10}}
  variables: {import: [shared, gone], local: {small: R.attr.size < C.most}}
  rules:
    - {name: all, actions: [view], effect: EFFECT_ALLOW, roles: [admin]}
    - name: owners
      actions: [view, edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {any: {of: [{expr: V.mine}, {all: {of: [{expr: V.small}, {none: {of: [{expr: R.attr.locked}]}}]}}, {expr: P.id}]}}}
    - {actions: [edit], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: V.loop}}}
`,
  'policies/broken.yaml': `${HEAD}resourcePolicy: {resource: album}\n`,
};
let folder = '';
test.before(() => {
  folder = folderOf(FILES);
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('an expression prints its value in CEL syntax, and `_` is the last value', async () => {
  const { code, stdout, stderr } = await repl(
    '1 + 2',
    '_ * 2',
    '[1u, 2.0, "a", b"\\xff", null, true, {1: "b"}, int]',
    '_[0]',
    'timestamp("2020-01-01T00:00:00Z") + duration("90s")',
    'now() > _',
  );
  assert.is(stderr, '');
  assert.is(code, 0);
  assert.is(
    stdout,
    '_ = 3\n_ = 6\n_ = [1u, 2.0, "a", b"\\xff", null, true, {1: "b"}, int]\n_ = 1u\n_ = timestamp("2020-01-01T00:01:30Z")\n_ = true\n',
  );
});

test('an expression over the cost limit is an error, and the next line still works', async () => {
  const { stdout, stderr } = await repl('lists.range(1000000).map(x, lists.range(1000000).size()).size()', '1 + 2');
  assert.match(stderr, 'costs more than');
  assert.is(stdout, '_ = 3\n');
});

test('an evaluation that fails shows the innermost part, the types of its values and what to write', async () => {
  const resource = {
    kind: 'invoice',
    id: 'i1',
    attr: { amount: 5, owner: 'a', tags: ['a'], at: '2026-01-01T00:00:00Z' },
  };
  for (const [text, part, message, note] of [
    ['R.attr.amount + 1', 'R.attr.amount + 1', "'(double, int)'", 'write `1.0` for `1`'],
    ['1 in [2] || [1, R.attr.amount * 2] == []', 'R.attr.amount * 2', "'(double, int)'", 'write `1.0` for `1`'],
    ['R.attr.owner < 1', 'R.attr.owner < 1', "'(string, int)'", 'string(x)'],
    ['R.attr.at < now()', 'R.attr.at < now()', "'(string, timestamp)'", 'timestamp(x)'],
    ['R.attr.owner && true', 'R.attr.owner', "expected type 'bool' but found 'string'", 'is not a condition'],
    ['!R.attr.owner', '!R.attr.owner', "'(string)'", 'write a comparison'],
    ['R.attr.owner ? 1 : 2', 'R.attr.owner ? 1 : 2', "'(string, int, int)'", 'before the question mark'],
    ['R.attr.tags["a"] == 1', 'R.attr.tags["a"]', "'(list(dyn), string)'", 'list[0]'],
    ['R.attr.tags.contains("a")', 'R.attr.tags.contains("a")', "'list(dyn).(string)'", '"x" in list'],
    ['size(R.attr.amount)', 'size(R.attr.amount)', "'(double)'", '`size` takes one value'],
    ['R.attr.amount % 2', 'R.attr.amount % 2', "'(double, int)'", '`%` takes integers'],
    ['math.abs(R.attr.owner)', 'math.abs(R.attr.owner)', "'(string)'", ''],
    ['R.attr.none == 1', 'R.attr.none', 'no such key: none', ''],
    ['1 + 1 / 0', '1 / 0', 'division by zero', ''],
  ] as const) {
    const { stdout, stderr } = await repl(`:let R = ${JSON.stringify(resource)}`, text);
    assert.match(stdout, /^R = .*\n$/);
    const [first = '', , marker = ''] = stderr.split('\n');
    assert.ok(first.includes(`error: `) && first.includes(message), stderr);
    assert.is(marker.slice(6), `${' '.repeat(text.indexOf(part))}^${'~'.repeat(part.length - 1)}`, stderr);
    assert.ok(stderr.includes(note) && !stderr.includes('no such overload'), stderr);
  }
});

test('syntax and type errors have a line and column, evaluation errors a reason, and `_` keeps its value', async () => {
  const { code, stdout, stderr } = await repl('5', '[1,', '  foo]', ':let x = 1 +', '1 / 0', 'P.attr.age', '_');
  assert.is(code, 0);
  assert.is(stdout, '_ = 5\n_ = 5\n');
  assert.match(stderr, "2:3: error: undeclared reference to 'foo'");
  assert.match(stderr, /^1:13: error: the expression ends too early$/m);
  assert.match(stderr, '^~~');
  assert.match(stderr, /^1:1: error: division by zero\n.*\n.*\n1:1: error: no such key: age\n/m);
});

test('mistakes are explained in the words of the compiler, with what to write', async () => {
  for (const [line, problem, note] of [
    ['true and false', 'unexpected `and`', 'write `&&`'],
    ['true or false', 'unexpected `or`', 'write `||`'],
    ['R.kind = "a"', 'unexpected `=`', 'write `==`'],
    ['R.owner', "undefined field 'owner'", 'write `R.attr.owner`'],
  ] as const) {
    const { stderr } = await repl(line);
    assert.ok(stderr.includes(`error: ${problem}\n`), stderr);
    assert.ok(stderr.includes(note), stderr);
    assert.not.match(stderr, /Syntax error|<EOF>/);
  }
});

test('input continues inside brackets and quotes and after a backslash; comments print nothing; truncated input is reported', async () => {
  const { stdout, stderr } = await repl('# a comment (', '{"a":', '1}.a', '1 + \\', '2', "'''b", "c'''", '(1');
  assert.is(stdout, '_ = 1\n_ = 3\n_ = "b\\nc"\n');
  assert.match(stderr, '1:3: error: missing `)` at the end\n');
});

test('values can be named; the principal and the resource are set as JSON', async () => {
  const { stdout, stderr } = await repl(
    ':let limit = 2 * 5',
    ':let P = {"id": "ann", "roles": ["user"], "attr": {"n": 3}}',
    ':let request.resource = {"kind": "album", "attr": {"n": 3}}',
    ':let V = {"x": [1]}',
    ':let G = {"g": 1}',
    ':let request.auxData = {"jwt": {"sub": "ann"}}',
    'P.attr.n == R.attr.n && request.principal.id == request.auxData.jwt.sub && "user" in P.roles && limit > P.attr.n',
    'V.x[0] == 1.0 && type(G.g) == int',
    ':vars',
  );
  assert.is(stderr, '');
  assert.match(stdout, '_ = true\n_ = true\n');
  assert.match(stdout, 'limit = 10\n_ = true\nP = {"id":"ann","roles":["user"],"attr":{"n":3}}\n');
});

test('invalid names and values are rejected and change nothing', async () => {
  const { stdout, stderr } = await repl(
    ':let P = {"id": 1}',
    ':let R = {"colour": "red"}',
    ':let R = [',
    ']',
    ':let V = {',
    ':let in = 1',
    ':let int = 1',
    ':let _ = 1',
    ':let 1x = 1',
    '}',
    ':let a',
    ':ruls',
    ':exec',
    ':exec #0',
    ':rules',
    ':load',
    ':help me',
    ':vars',
  );
  assert.is(stdout, '');
  for (const text of [
    '`id` of a principal must be a string',
    '`resource` has no field `colour`',
    '`resource` must be a map',
    'takes JSON',
    'did you mean `:rules`?',
    ':let NAME = EXPRESSION',
    'no policy is loaded',
    'a file is missing',
    '`:help` stands alone',
  ])
    assert.match(stderr, text);
  assert.is((await repl(':let in = 1', ':let int = 1', ':let _ = 1', ':let 1x = 1')).stderr.split('\n').length, 5);
});

test('a policy loads with the exports of its folder and lists its conditional rules', async () => {
  const { stdout, stderr } = await repl(':load policies/album.yaml', ':rules');
  const rules = `#0 owners: view, edit, EFFECT_ALLOW
   any
   ├── V.mine
   ├── all
   │   ├── V.small
   │   └── none
   │       └── R.attr.locked
   └── P.id
#1 rule-003: edit, EFFECT_DENY
   V.loop
`;
  assert.is(
    stdout,
    `loaded resource.album.vdefault
C.most = 10
V.mine = R.attr.owner == P.id
V.loop = V.pool
V.pool = V.loop
V.small = R.attr.size < C.most
${rules}${rules}`,
  );
  assert.match(stderr, /^error: .*gone/);
});

test('a rule shows the result of each part of its condition, and why a part fails', async () => {
  const { stdout } = await repl(
    ':let P = {"id": "ann"}',
    ':let R = {"attr": {"owner": "bob", "size": 3, "locked": false}}',
    ':load policies/album.yaml',
    ':exec #0',
    ':exec #1',
    'V.small',
    ':reset',
    'has(V.small)',
  );
  assert.match(
    stdout,
    `any [true]
├── V.mine [false]
├── all [true]
│   ├── V.small [true]
│   └── none [true]
│       └── R.attr.locked [false]
└── P.id [false: it is not a boolean]
V.loop [false: undefined field 'loop']
_ = true
_ = false
`,
  );
});

test('an invalid or missing file is reported with its location', async () => {
  const { code, stderr } = await repl(':load policies/broken.yaml', ':load nowhere.yaml', ':load policies');
  assert.is(code, 0);
  assert.match(stderr, 'policies/broken.yaml:');
  assert.match(stderr, 'nowhere.yaml: error: file not found');
  assert.match(stderr, 'policies: error: is a folder, not a file');
});

test('`:quit` exits before the end of the input, `:help` lists the directives, and empty input prints nothing', async () => {
  for (const word of [':quit', ':q', ':exit']) assert.is((await repl('1', word, '2')).stdout, '_ = 1\n');
  for (const word of ['let', 'vars', 'load', 'rules', 'exec', 'reset', 'quit'])
    assert.match((await repl(':h')).stdout, `:${word}`);
  assert.equal(await repl(), { code: 0, stdout: '', stderr: '' });
});

test('control characters in the input never reach the terminal', async () => {
  const { stdout, stderr } = await repl(
    '"\u001b[2J\u009b\u202e"',
    '\u001b[2J',
    ':\u001b[2J',
    ':load \u001b[2J',
    ':let P = {"id": "\\u001b\u009b"}',
    ':vars',
    ':let \u001b = 1',
  );
  assert.not.match(stdout + stderr, /[^\P{C}\n]/u);
});

test('deeply nested or long input is rejected or truncated, and the next line still works', async () => {
  const deep = '['.repeat(5000) + ']'.repeat(5000);
  const { code, stdout, stderr } = await repl(
    deep,
    `:let V = ${deep}`,
    `:let V = {"a": ${deep}}`,
    `1${' + 1'.repeat(20_000)}`,
    'lists.range(100000)',
    '1',
  );
  assert.is(code, 0);
  assert.ok(stdout.endsWith('_ = 1\n'));
  assert.match(stderr, 'levels');
  assert.ok(stdout.length < 200_000);
});

test('`now()` is the time of --now', async () => {
  assert.is(
    (await replWith(['--now', '2024-01-31T00:00:00+01:00'], 'now()')).stdout,
    '_ = timestamp("2024-01-30T23:00:00Z")\n',
  );
});

function repl(...lines: readonly string[]): Promise<Ended> {
  return replWith([], ...lines);
}

function replWith(flags: readonly string[], ...lines: readonly string[]): Promise<Ended> {
  return callAuthzc(['repl', ...flags], folder, {}, lines.map((line) => `${line}\n`).join(''));
}

test.run();
