import { chmodSync, mkdirSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT } from '../../packages/cli/exit.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, PROGRAMS } from '../support/cli/programs.js';
import { newRepository, type Repository } from '../support/git-repository.js';

const test = suite('the examples of --help');

let repository: Repository;
test.before(async () => {
  repository = newRepository();
  const { folder, git, commit, write } = repository;
  assert.is((await callAuthzc(['init'], folder)).code, EXIT.done);
  commit({
    'document.yaml': 'kind: document\nid: d1\nattr: {owner: alice, team: red, status: published}\n',
    // Where no other test listens.
    'config.yaml': 'server: {httpListenAddr: "127.0.0.1:0", grpcListenAddr: "127.0.0.1:0"}\n',
    '.authz.yaml': 'server: {httpListenAddr: "127.0.0.1:0", grpcListenAddr: "127.0.0.1:0"}\n',
    'audit.log': `${JSON.stringify(ENTRY)}\n`,
    'tables.yaml':
      'tables: {document: {name: public.documents, columns: {owner: {column: owner, type: text}, team: {column: team, type: text}, status: {column: status, type: text}}, rls: {select: view, to: [app]}}}\n',
    'ca.pem': '',
  });
  git('tag', 'v1.0.0');
  write({
    'bin/authzc': `#!/bin/sh\nexec '${process.execPath}' '${PROGRAMS.authzc}' "$@"\n`,
    'bin/npm': '#!/bin/sh\ntest -n "$AUTHZ_HTTP" && echo tested\n',
  });
  mkdirSync(join(folder, 'new'));
  for (const name of ['authzc', 'npm']) chmodSync(join(folder, 'bin', name), 0o755);
});
test.after(() => repository.remove());

/** A decision that the policies of the project do not change. */
const ENTRY = {
  'log.logger': 'authz.audit',
  'log.kind': 'decision',
  callId: '01HHENANTHFD3DV3HZGDKB87PJ',
  timestamp: '2025-06-01T00:00:00Z',
  checkResources: {
    inputs: [
      {
        requestId: 'r1',
        resource: { kind: 'document', id: 'd1', attr: { owner: 'alice', team: 'red', status: 'published' } },
        principal: { id: 'alice', roles: ['user'] },
        actions: ['create'],
      },
    ],
    outputs: [
      {
        requestId: 'r1',
        resourceId: 'd1',
        actions: { create: { effect: 'EFFECT_ALLOW', policy: 'resource.document.vdefault' } },
      },
    ],
  },
};

/** For what asks a server: an address where none is. */
const NO_SERVER = {
  AUTHZ_HC_HOSTPORT: '127.0.0.1:1',
  AUTHZ_SERVER: '127.0.0.1:1',
  AUTHZ_USERNAME: 'admin',
  AUTHZ_PASSWORD: 'secret',
};

/** What ends otherwise than with success, by how an example begins. */
const ENDS: readonly (readonly [string, number])[] = [
  ['authzc healthcheck', EXIT.failed],
  ['authzc audit', EXIT.failed],
  ['authzc fleet', EXIT.failed],
  // No review was begun.
  ['authzc review', EXIT.failed],
  // The editor is gone at once.
  ['authzc lsp', EXIT.failed],
];

test('each command has some, and they run', async () => {
  const { folder } = repository;
  const help = async (words: readonly string[]): Promise<string> =>
    (await callAuthzc([...words, '--help'], folder)).stdout;
  const names = [...(await help([])).matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name);
  assert.ok(names.length > 15);
  const problems: string[] = [];
  for (const name of names.filter((known) => known !== 'help')) {
    const lines = examplesIn(await help(ONLY_PART.get(name) ?? [name]));
    if (lines.length === 0) problems.push(`${name} has no examples`);
    for (const line of lines) {
      const where = name === 'init' ? join(folder, 'new') : folder;
      const words = wordsOf(line);
      const isOwn = words === undefined || NEED_PROCESS.has(name);
      const { code, stderr } = await (isOwn
        ? runLine(line, where)
        : callAuthzc(words, where, environmentOf(), 'secret\n'));
      const expected = ENDS.find(([start]) => line.startsWith(start))?.[1] ?? EXIT.done;
      if (code !== expected) problems.push(`${line}\nends with ${code}, not ${expected}: ${stderr}`);
    }
  }
  assert.equal(problems, []);
});

test.run();

/** The lines below `Examples:` that are no comments. */
function examplesIn(help: string): readonly string[] {
  const [, text = ''] = help.split('\nExamples:\n');
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Commands whose examples are those of a command below them. */
const ONLY_PART: ReadonlyMap<string, readonly string[]> = new Map([
  ['admin', ['admin', 'hash']],
  ['config', ['config', 'print']],
  ['review', ['review', 'export']],
]);

/** Commands that start programs or run until they are stopped. */
const NEED_PROCESS: ReadonlySet<string> = new Set(['dev', 'lsp', 'mcp', 'repl', 'run', 'serve', 'server', 'test']);

/** The words of a line that has nothing but a command of authzc; undefined if a shell would see more in it. */
function wordsOf(line: string): readonly string[] | undefined {
  const [program, ...words] = line.split(' ');
  return program === 'authzc' && words.every((word) => /^[\w./:=@,+-]+$/.test(word)) ? words : undefined;
}

function environmentOf(): NodeJS.ProcessEnv {
  return {
    PATH: `${join(repository.folder, 'bin')}${delimiter}${process.env['PATH']}`,
    HOME: repository.folder,
    AUTHZ_CONFIG: 'config.yaml',
    ...NO_SERVER,
  };
}

/** Runs a line as bash does, and stops a server once it is ready. */
async function runLine(line: string, cwd: string): Promise<Ended> {
  const child = spawn('bash', ['-c', line], {
    cwd,
    env: { ...process.env, ...environmentOf() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
    // A second signal would end it at once.
    if (!child.killed && stdout.includes('Connect on http:')) child.kill();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}
