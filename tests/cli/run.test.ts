import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHECK, BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { filesIn, folderOf, launch, PROGRAMS, run, stop } from '../support/cli/programs.js';

const test = suite('authzc run');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const LOOPBACK = ['--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0'];
const GOOD = { 'policies/document.yaml': documentPolicy('view') };
/** Asks the server named by the environment and prints the response. */
const ASKS = `
const answer = await fetch(process.env.AUTHZ_HTTP + '/api/check/resources', { method: 'POST', body: ${JSON.stringify(JSON.stringify(CHECK))} });
console.log(JSON.stringify((await answer.json()).results[0].actions), process.env.AUTHZ_GRPC.replace(/\\d+$/, 'PORT'));
`;
const node = (script: string): readonly string[] => [process.execPath, '--input-type=module', '-e', script];

test('a program finds the server, and stdout has only the output of the program', async () => {
  const { code, stdout, stderr } = await run(
    PROGRAMS.authzc,
    ['run', ...LOOPBACK, '--', ...node(ASKS)],
    newFolder(GOOD),
  );
  assert.equal([code, stdout, stderr], [0, '{"edit":"EFFECT_DENY","view":"EFFECT_ALLOW"} 127.0.0.1:PORT\n', '']);
});

test('the exit code is that of the program, also when a signal ended it', async () => {
  const ends = async (script: string): Promise<number | null> =>
    (await run(PROGRAMS.authzc, ['run', ...LOOPBACK, ...node(script)], newFolder(GOOD))).code;
  assert.is(await ends('process.exit(7)'), 7);
  assert.is(await ends('process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 5000)'), 143);
});

test('a missing program is status 127 and an error', async () => {
  const { code, stderr } = await run(PROGRAMS.authzc, ['run', ...LOOPBACK, 'no-such-program'], newFolder(GOOD));
  assert.equal([code, stderr], [127, 'authzc: `no-such-program` cannot be started: command not found\n']);
});

test('options after the program belong to the program', async () => {
  const { code, stdout } = await run(
    PROGRAMS.authzc,
    ['run', ...LOOPBACK, process.execPath, '--print', '"--config"'],
    newFolder(GOOD),
  );
  assert.equal([code, stdout], [0, '--config\n']);
});

test('the default configuration is .authz.yaml; without it, a missing policies folder is created', async () => {
  const prints = node('console.log("1")');
  const configured = newFolder({
    'a/document.yaml': documentPolicy('view'),
    '.authz.yaml': 'storage: { disk: { directory: a } }\n',
  });
  assert.is((await run(PROGRAMS.authzc, ['run', ...LOOPBACK, ...node(ASKS)], configured)).code, 0);
  assert.equal(filesIn(configured), ['.authz.yaml', 'a/document.yaml']);
  assert.is((await run(PROGRAMS.authzc, ['run', ...LOOPBACK, ...prints], newFolder({}))).stdout, '1\n');
});

test('environment variables that the caller has set are kept', async () => {
  process.env['AUTHZ_HTTP'] = 'mine';
  const { ended } = launch(
    PROGRAMS.authzc,
    ['run', ...LOOPBACK, process.execPath, '-p', 'process.env.AUTHZ_HTTP'],
    newFolder(GOOD),
  );
  delete process.env['AUTHZ_HTTP'];
  assert.is((await ended).stdout, 'mine\n');
});

test('under an alias, the variables of its name have the addresses, too', async () => {
  const printed = async (...aliases: readonly string[]): Promise<unknown> => {
    const script =
      'const { env } = process; console.log(JSON.stringify(["AUTHZ", "CERBOS", "ACME"].map((name) => [env[name + "_HTTP"], env[name + "_GRPC"]])))';
    const config = `server: {httpListenAddr: "127.0.0.1:0", grpcListenAddr: "127.0.0.1:0", aliases: [${aliases.join()}]}\n`;
    const folder = newFolder({ ...GOOD, '.authz.yaml': config });
    const { code, stdout, stderr } = await run(PROGRAMS.authzc, ['run', ...node(script)], folder);
    assert.is(code, 0, stderr);
    return JSON.parse(stdout.replaceAll(/127\.0\.0\.1:\d+/g, 'HERE'));
  };
  const none = [null, null];
  const set = ['http://HERE', 'HERE'];
  const acme =
    '{package: acme, services: {AuthzService: A, AuthzAdminService: B}, path: /_acme, callIdField: acmeCallId, propertyPrefix: acme}';
  assert.equal(await printed(), [set, none, none]);
  assert.equal(await printed('cerbos'), [set, set, none]);
  assert.equal(await printed('cerbos', acme), [set, set, set]);
});

test('with policies that do not compile, an invalid configuration or invalid arguments no program starts', async () => {
  const folder = newFolder({ 'policies/document.yaml': BROKEN_POLICY });
  const prints = node('console.log("1")');
  const codes = await Promise.all(
    [LOOPBACK, ['--set', 'server.foo=1'], ['--timeout', 'x'], ['--nonsense'], ['--config', 'none.yaml']].map(
      (options) => run(PROGRAMS.authzc, ['run', ...options, ...prints], folder),
    ),
  );
  assert.equal(
    codes.map(({ code, stdout }) => [code, stdout]),
    [
      [3, ''],
      [1, ''],
      [2, ''],
      [2, ''],
      [1, ''],
    ],
  );
  assert.is((await run(PROGRAMS.authzc, ['run'], folder)).code, 2);
});

test('on a signal it stops the program first, which can still query the server', async () => {
  const script = `process.on('SIGTERM', async () => {
    console.log(await (await fetch(process.env.AUTHZ_HTTP + '/_authz/health')).text());
    process.exit(5);
  });
  setInterval(() => {}, 1000);
  console.log('ready');`;
  const running = launch(PROGRAMS.authzc, ['run', ...LOOPBACK, ...node(script)], newFolder(GOOD));
  assert.is(await running.firstLine, 'ready');
  const { code, stdout } = await stop(running);
  assert.equal([code, stdout], [5, 'ready\n{"status":"SERVING"}\n\n']);
});

function newFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}

test.run();
