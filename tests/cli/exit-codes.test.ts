import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT, choosePrefix } from '../../packages/cli/exit.js';
import { OTHER_COMMANDS, OTHER_OPTIONS } from '../../packages/cli/other-names.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { documentPolicy } from '../support/cli/policies.js';
import { folderOf, PROGRAMS, run } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';

/** Exit codes and the beginnings of messages, over all commands (docs/command-line.md#exit-codes-and-messages). */
const test = suite('exit codes and messages');

const page = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8').split('\n## Exit codes and messages\n')[1] ?? '';
const section = page.slice(0, page.indexOf('\n## '));
let folder = '';
test.before(() => {
  folder = folderOf({
    'policies/document.yaml': documentPolicy('view'),
    'ann.json': '{"id": "ann", "roles": ["user"]}',
    'document.json': '{"kind": "document", "id": "d1"}',
    'list.json': '[]',
    'text.json': '{"id": 7}',
  });
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** Arguments of each command that name what does not exist; undefined for commands that take no such argument. */
const MISSING: { readonly [command: string]: readonly string[] | undefined } = {
  init: undefined,
  migrate: ['none'],
  'migrate accesscontrol': ['none'],
  compile: ['none'],
  test: ['none'],
  lint: ['none'],
  ci: ['none'],
  fmt: ['none'],
  plan: ['--principal', 'none', '--kind', 'document', '--action', 'view'],
  check: ['--principal', 'none', '--resource', 'document.json', '--action', 'view'],
  facts: ['none'],
  explain: ['--principal', 'none', '--resource', 'document.json', '--action', 'view'],
  diff: ['none', 'policies'],
  replay: ['none', '--against', 'policies'],
  docs: ['none'],
  rls: ['none', '--table', 'list.json'],
  'rls diff': ['none', 'none', '--table', 'list.json'],
  'rls verify': ['none', 'postgresql://127.0.0.1:1/none', '--table', 'list.json'],
  matrix: ['none'],
  'who-can': ['--kind', 'none', '--action', 'view'],
  review: undefined,
  'review start': ['none', '--data', 'none', '--resources', 'none', '--review', 'none'],
  'review export': ['--review', 'none', '--out', 'none'],
  'review record': ['--review', 'none', '--export', 'none'],
  'review verify': ['none', '--key', 'none'],
  verify: ['none'],
  inspect: ['policies', 'none'],
  usages: ['none'],
  repl: undefined,
  dev: ['none'],
  serve: ['none'],
  server: ['--config', 'none'],
  run: ['--config', 'none', 'true'],
  lsp: undefined,
  mcp: ['none'],
  completion: undefined,
  bundle: ['none'],
  'bundle sign': ['none', '--key', 'none'],
  'bundle verify': ['none', '--key', 'none'],
  'bundle inspect': ['none'],
  'bundle keygen': undefined,
  'bundle push': ['oci://127.0.0.1:1/none', 'none'],
  'bundle pull': ['oci://127.0.0.1:1/none', 'none'],
  'bundle attach': ['oci://127.0.0.1:1/none', 'none'],
  'config print': ['--config', 'none'],
  'admin hash': undefined,
  healthcheck: ['--config', 'none'],
  'fleet status': ['--file', 'none'],
  audit: ['--server', '127.0.0.1:1', '--ca-cert', 'none', '--username', 'a', '--password', 'b'],
  'audit verify': ['none'],
};

test('the list has every command', async () => {
  assert.equal([...(await commandsBelow([]))].sort(), Object.keys(MISSING).sort());
});

test('an unknown option is a wrong argument of every command', async () => {
  for (const command of Object.keys(MISSING)) {
    const { code, stderr } = await callAuthzc([...command.split(' '), '--none-such'], folder);
    assert.is(code, EXIT.usage, command);
    assert.match(stderr, /^authzc: unknown option `--none-such`/, command);
  }
});

test('a name that leads nowhere is a failure of every command, whose message says so first', async () => {
  for (const [command, words] of Object.entries(MISSING)) {
    if (words === undefined) continue;
    const { code, stderr } = await callAuthzc([...command.split(' '), ...words], folder);
    assert.is(code, EXIT.failed, `${command}: ${stderr}`);
    assert.match(stderr, /^(authzc: |none: error: )/, `${command}: ${stderr}`);
    assert.not.match(stderr, /^(error|authz): |^\s+at |\b(ENOENT|ENOTDIR|EISDIR|EACCES)\b/m, `${command}: ${stderr}`);
  }
});

test('a file that describes a request wrongly is a wrong argument', async () => {
  for (const file of ['list.json', 'text.json']) {
    for (const line of [
      ['check', '--principal', file, '--resource', 'document.json', '--action', 'view'],
      ['explain', '--principal', 'ann.json', '--resource', file, '--action', 'view'],
      ['plan', '--principal', file, '--kind', 'document', '--action', 'view'],
      ['who-can', '--resource', file, '--action', 'view'],
    ]) {
      const { code, stderr } = await callAuthzc(line, folder);
      assert.is(code, EXIT.usage, `${line.join(' ')}: ${stderr}`);
      assert.match(stderr, new RegExp(`^${file}(:\\d+:\\d+)?: error: `));
    }
  }
});

test('values that options cannot have are wrong arguments', async () => {
  for (const line of [
    ['run', '--timeout', 'soon', 'true'],
    ['healthcheck', '--timeout', 'soon'],
    ['fleet', 'status', 'nowhere'],
    ['test', '--coverage', '--min-coverage', '101'],
    ['init', '--template', 'none'],
    ['replay', 'list.json', '--against', 'policies', '--since', 'yesterday'],
    ['migrate', 'accesscontrol', 'list.json', '--owner', 'a b'],
    ['bundle', 'push', `oci://127.0.0.1:1/none@sha256:${'0'.repeat(64)}`, 'list.json'],
    ['serve', '--port', '70000'],
  ]) {
    const { code, stderr } = await callAuthzc(line, folder);
    assert.is(code, EXIT.usage, `${line.join(' ')}: ${stderr}`);
    assert.match(stderr, /^(authzc|--since: error): /);
  }
});

test('what is proposed for names of other tools exists', async () => {
  for (const [name, other] of OTHER_COMMANDS) {
    const { code, stdout } = await callAuthzc([...other.split(' '), '--help'], folder);
    assert.is(code, EXIT.done, other);
    const { stderr } = await callAuthzc([name], folder);
    assert.match(stderr, `unknown command \`${name}\`\n  note: did you mean \`authzc ${other}\`?\n`);
    const [, option] = / (--.*)/.exec(other) ?? [];
    if (option !== undefined) assert.match(stdout, `  ${option} `);
  }
  const commands = Object.keys(MISSING).map((command) => [...command.split(' '), '--help']);
  const helps = await Promise.all(commands.map((words) => callAuthzc(words, folder)));
  for (const option of [...OTHER_OPTIONS.values()].flat())
    assert.ok(
      helps.some(({ stdout }) => stdout.includes(`--${option.split(' ')[0]} `)),
      option,
    );
});

test('a wrong argument is quoted, and the note below leads to the help of its command', async () => {
  for (const [line, expected] of [
    [['test', '--filter', 'a'], 'unknown option `--filter`\n  note: did you mean `--test-filter`?'],
    [['test', '--covrage'], 'unknown option `--covrage`\n  note: did you mean `--coverage`?'],
    [['compile', '--watch'], 'unknown option `--watch`\n  note: `authzc test`, `authzc serve`, `authzc server`'],
    [['test', '--none-such'], 'unknown option `--none-such`\n  note: `authzc test --help` lists its options\n'],
    [['test', '--now', "it's"], "option `--now <time>` argument `it's` is invalid: must be a time"],
    [['init', '--template', 'none'], 'option `--template <name>` argument `none` is invalid: must be one of ts, '],
    [['completion', 'bsh'], '`bsh` is invalid for argument `shell`: must be one of bash, zsh, fish\n'],
    [['bundle', 'inspect'], 'missing required argument `file`\n  note: `authzc bundle inspect --help` lists'],
    [
      ['serve', 'a', 'b'],
      'unexpected argument `b`\n  note: `serve` takes only [dir]\n  note: `authzc serve --help` lists its options\n',
    ],
    [['completion', 'bash', 'b'], 'unexpected argument `b`\n  note: `completion` takes only <shell>\n'],
    [['help', 'chek'], 'unknown command `chek`\n  note: did you mean `check`?\n'],
    [['help', 'bundle', 'sgn'], 'unknown command `sgn`\n  note: did you mean `sign`?\n  note: `authzc bundle --help`'],
    [
      ['mutate'],
      'unknown command `mutate`\n  note: did you mean `authzc test --mutate`?\n  note: `authzc --help` lists',
    ],
    [['help', 'start'], 'unknown command `start`\n  note: did you mean `authzc dev`?\n'],
    [['test', '-w'], 'unknown option `-w`\n  note: did you mean `--watch` or'],
    [['test', '--watch=true'], 'option `--watch` takes no value, not `true`\n  note: `authzc test --help` lists'],
    [['check', '--user', 'a.yaml'], 'unknown option `--user`\n  note: did you mean `--principal`?\n'],
    [['plan', '--resource', 'a.yaml'], 'unknown option `--resource`\n  note: did you mean `--kind`?\n'],
    [
      ['compile', '-o', 'src/generated'],
      'option `-o, --output <format>` argument `src/generated` is invalid: must be one of list, pretty, json, sarif, github, junit\n  note: did you mean `--out src/generated`?\n',
    ],
    [['chek'], 'unknown command `chek`\n  note: did you mean `check`?\n  note: `authzc --help` lists the commands\n'],
  ] as const) {
    const { stderr } = await callAuthzc(line, folder);
    assert.is(stderr.slice(0, `authzc: ${expected}`.length), `authzc: ${expected}`, line.join(' '));
    assert.not.match(stderr, /'[^ ]*'|\?\)$/m);
  }
});

test('a misspelt action is noticed, also where a rule about all actions applies', async () => {
  const own = folderOf({
    'policies/document.yaml': documentPolicy('view'),
    'policies/all.yaml': documentPolicy('*').replaceAll('document', 'album'),
    'policies/both.yaml': documentPolicy('view').replaceAll('document', 'photo').replace('["view"]', '["view", "*"]'),
    'ann.json': '{"id": "ann", "roles": ["user"]}',
    'photo.json': '{"kind": "photo", "id": "d1"}',
    'album.json': '{"kind": "album", "id": "d1"}',
  });
  const asked = (file: string, action: string) =>
    callAuthzc(['check', '--principal', 'ann.json', '--resource', file, '--action', action], own);
  const guess = 'no rule for kind `photo` names action `veiw`: did you mean `view`?';
  assert.match((await asked('photo.json', 'veiw')).stderr, guess);
  assert.is((await asked('photo.json', 'export')).stderr, '');
  assert.is((await asked('album.json', 'veiw')).stderr, '');
  const listed = await callAuthzc(['who-can', '--kind', 'photo', '--action', 'veiw'], own);
  assert.is(listed.code, EXIT.done);
  assert.match(listed.stderr, 'warning: no rule names action `veiw`: did you mean `view`?');
  rmSync(own, { recursive: true, force: true });
});

test('a folder without policies says how to get them, and a project where its modules are', async () => {
  const empty = folderOf({ 'package.json': '{}', 'a.yaml': '', 'dist/policies.js': '' });
  for (const command of ['compile', 'lint', 'verify', 'matrix', 'inspect', 'serve', 'dev', 'usages', 'bundle']) {
    const { code, stderr } = await callAuthzc([command], empty);
    assert.is(code, EXIT.failed, command);
    assert.match(
      stderr,
      '`policies` does not exist; name the folder of the policies, or create one with `authzc init`',
    );
  }
  assert.match((await callAuthzc(['compile', 'a.yaml'], empty)).stderr, '`a.yaml` is not a directory; name the folder');
  for (const command of ['serve', 'server', 'dev'])
    assert.is(
      (await callAuthzc([command, 'dist/policies.js'], empty)).stderr,
      'authzc: `dist/policies.js` is a bundle, not a folder of policies; `authz-server --bundle dist/policies.js` serves it\n',
    );
  rmSync(empty, { recursive: true, force: true });
  const project = folderOf({ 'policies/document.yaml': documentPolicy('view') });
  await callAuthzc(['compile', '--out', 'src/generated', '--no-bundle'], project);
  assert.match((await callAuthzc(['ci'], project)).stderr, 'add --out src/generated');
  assert.is((await callAuthzc(['ci', '--out', 'src/generated'], project)).code, EXIT.done);
  rmSync(project, { recursive: true, force: true });
});

test('a server that does not answer is named', async () => {
  const { code, stderr } = await callAuthzc(['healthcheck', '--no-tls', '--host-port', '127.0.0.1:1'], folder);
  assert.is(code, EXIT.failed);
  assert.is(stderr, 'authzc: no server listens at 127.0.0.1:1; `--host-port` names another address\n');
});

test('the server program begins its messages with its own name', async () => {
  for (const [words, code] of [
    [['--none-such'], EXIT.usage],
    [['--config', 'none'], EXIT.failed],
    [['config', 'print', '--config', 'none'], EXIT.failed],
    [['healthcheck', '--timeout', 'soon'], EXIT.usage],
  ] as const) {
    const ended = await run(PROGRAMS.server, words, folder);
    assert.is(ended.code, code, ended.stderr);
    assert.match(ended.stderr, /^authz: error: /);
  }
});

test('the page lists every exit code and how messages begin', () => {
  const codes = [...section.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  assert.equal(codes, Object.values(EXIT));
  for (const program of ['authzc', 'authz-server'] as const)
    assert.match(section, `| \`${choosePrefix({ program })}\` |`);
});

test.run();

/** The names of all commands that do something, such as `audit` and `audit verify`. */
async function commandsBelow(path: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await callAuthzc([...path, '--help'], folder);
  const sections = stdout.split('\n\n').filter((section) => !/^(Usage|Arguments|Options|Examples):/.test(section));
  const listed = sections.filter((section) => /^[A-Z].*:\n {2}/.test(section)).join('\n');
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name as string);
  const below: string[] = [];
  for (const name of names.filter((each) => each !== 'help')) {
    const command = [...path, name];
    const nested = await commandsBelow(command);
    const isGroup = nested.length > 0 && ['config', 'admin', 'fleet'].includes(command.join(' '));
    below.push(...(isGroup ? [] : [command.join(' ')]), ...nested);
  }
  return below;
}
