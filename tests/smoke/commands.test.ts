import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc, callShipped } from '../support/cli/call-authzc.js';
import { documentPolicy } from '../support/cli/policies.js';
import { PROGRAMS } from '../support/cli/programs.js';
import { IS_REPEATED } from '../support/effort.js';
import { newRepository } from '../support/git-repository.js';

/*
 * Every command of the shipped programs, each started once: what only a process shows, such as a missing chunk or an
 * option that no parser knows. tests/cli has what the commands do, as functions: each prints here what its program prints.
 * With further versions of Node, the modules of the program run in this process; programs.test.ts starts programs.
 */
const test = suite('every command of authzc');

const TESTS = `name: documents
principals: {ann: {id: ann, roles: [user]}}
resources: {plan: {kind: document, id: d1}}
tests:
  - name: users view documents
    input: {principals: [ann], resources: [plan], actions: [view]}
    expected: [{principal: ann, resource: plan, actions: {view: EFFECT_ALLOW}}]
`;
const INVARIANTS = `apiVersion: api.authz.dev/v1
invariants:
  name: documents
  statements:
    - name: only users view
      never: {resource: document, actions: [view], principal: {notRoles: [user]}}
`;
const LOOPBACK = ['--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0'];
const ANN = ['--principal', 'ann.json'];
const RESOURCE = ['--resource', 'document.json'];

const repository = newRepository();
repository.commit({
  'policies/document.yaml': documentPolicy('view'),
  'policies/document_test.yaml': TESTS,
  'policies/invariants.yaml': INVARIANTS,
  'ann.json': '{"id": "ann", "roles": ["user"]}',
  'document.json': '{"kind": "document", "id": "d1"}',
  'tables.yaml':
    'tables: {document: {name: public.documents, columns: {owner: {column: owner, type: text}}, rls: {select: view, to: [app]}}}',
  'audit.jsonl': '',
  'app.ts': 'export {};',
  'tsconfig.json': '{"files": ["app.ts"]}',
});
test.after(() => repository.remove());

interface Command {
  readonly line: readonly string[];
  readonly code?: number;
  readonly input?: string;
  readonly prints?: RegExp;
  /** Whether it differs when it runs again, or starts or serves a process. */
  readonly isOnce?: boolean;
}

const COMMANDS: readonly Command[] = [
  { line: ['--version'], prints: /^\d+\.\d+\.\d+/ },
  { line: ['init', 'project'], prints: /project/, isOnce: true },
  { line: ['compile'] },
  { line: ['test'], prints: /\b1\b/ },
  { line: ['lint'] },
  { line: ['ci'], prints: /./ },
  { line: ['fmt', '--check', 'policies/document.yaml'] },
  { line: ['plan', ...ANN, '--kind', 'document', '--action', 'view'], prints: /KIND_ALWAYS_ALLOWED|always|all/i },
  { line: ['check', ...ANN, ...RESOURCE, '--action', 'view'], prints: /allow/i },
  { line: ['explain', ...ANN, ...RESOURCE, '--action', 'view'], prints: /users/ },
  { line: ['diff', 'HEAD..'], prints: /unchanged|no policy|nothing/i },
  { line: ['replay', 'audit.jsonl', '--against', 'policies'], code: 2, prints: /no decision/ },
  { line: ['docs', 'variable/unused'], prints: /variable\/unused/ },
  { line: ['rls', '--table', 'tables.yaml'], prints: /CREATE POLICY authz_select/ },
  { line: ['rls', 'diff', 'policies', 'policies', '--table', 'tables.yaml'], prints: /1 unchanged, 0 changed/ },
  { line: ['rls', 'verify', '--table', 'tables.yaml'], code: 2, prints: /no database: set DATABASE_URL/ },
  { line: ['matrix'], prints: /document/ },
  { line: ['facts'], prints: /document/ },
  { line: ['who-can', '--kind', 'document', '--action', 'view'], prints: /user/ },
  { line: ['review', 'start', '--review', 'review.json'], code: 2, prints: /name the users once/ },
  { line: ['review', 'export', '--review', 'absent.json', '--out', 'a.csv'], code: 1, prints: /absent\.json/ },
  { line: ['review', 'record', '--review', 'absent.json', '--export', 'a.json'], code: 1, prints: /absent\.json/ },
  { line: ['review', 'verify', 'absent.html', '--key', 'absent.pub'], code: 1, prints: /absent\.pub/ },
  { line: ['verify'], prints: /only users view/ },
  { line: ['inspect'], prints: /view/ },
  { line: ['usages'], prints: /0 actions/ },
  { line: ['repl'], input: '1 + 1\n', prints: /2/ },
  {
    line: ['run', ...LOOPBACK, process.execPath, '-p', 'process.env.AUTHZ_HTTP'],
    prints: /http:\/\/127\.0\.0\.1:\d+/,
    isOnce: true,
  },
  { line: ['lsp'], code: 1, isOnce: true },
  { line: ['mcp'], isOnce: true },
  { line: ['completion', 'bash'], prints: /complete/ },
  { line: ['bundle'] },
  { line: ['config', 'print', ...LOOPBACK], prints: /httpListenAddr/ },
  { line: ['healthcheck', '--help'], prints: /health/ },
  { line: ['fleet', 'status', 'http://127.0.0.1:1'], code: 1, prints: /127\.0\.0\.1:1/ },
  { line: ['audit', '--server', '127.0.0.1:1', '--plaintext'], code: 2, prints: /--username/ },
];

for (const { line, code = 0, input = '', prints = /^/, isOnce = false } of COMMANDS) {
  test(line.slice(0, 2).join(' '), async () => {
    // That programs start was seen with the first Node. What is left is whether this one loads and runs their modules.
    if (IS_REPEATED && !isOnce && input === '') {
      const { code: status, output } = await callShipped(line, repository.folder);
      assert.is(status, code, output);
      assert.match(output, prints);
      return;
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAMS.authzc, ...line], {
      cwd: repository.folder,
      encoding: 'utf8',
      input,
    });
    assert.is(status, code, `${stdout}${stderr}`);
    assert.match(`${stdout}${stderr}`, prints);
    if (isOnce) return;
    assert.equal(await callAuthzc(line, repository.folder, {}, input), { code, stdout, stderr });
  });
}

// Other systems keep a folder that a process is in.
if (process.platform === 'linux' && !IS_REPEATED)
  for (const line of [['compile'], ['serve'], ['init']])
    test(`${line.join(' ')} in a folder that was removed`, () => {
      const script = 'mkdir removed && cd removed && rmdir ../removed && exec "$0" "$@"';
      const { status, stdout, stderr } = spawnSync('sh', ['-c', script, process.execPath, PROGRAMS.authzc, ...line], {
        cwd: repository.folder,
        encoding: 'utf8',
      });
      const message = 'authzc: the working directory was removed: change to another one\n';
      assert.equal([status, stdout, stderr], [1, '', message]);
    });

test.run();
