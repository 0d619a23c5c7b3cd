import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { send } from '../support/server/http-client.js';
import { callShipped } from '../support/cli/call-authzc.js';
import { checkOverGrpc } from '../support/cli/grpc-check.js';
import { BROKEN_POLICY, CHECK, documentPolicy } from '../support/cli/policies.js';
import { filesIn, folderOf, launch, PROGRAMS, type Running, run, stop } from '../support/cli/programs.js';
import { NO_TERMINAL, onTerminal } from '../support/cli/terminal.js';
import { skip } from '../support/skip.js';
import { until } from '../support/timeout.js';
import { DELAYED } from '../support/server/start.js';

const test = suite('authzc serve');
const folders: string[] = [];
const servers: Running[] = [];
test.after.each(async () => {
  await Promise.all(servers.splice(0).map((server) => stop(server)));
});
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const LOOPBACK = ['--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0'];
const GOOD = { 'policies/document.yaml': documentPolicy('view') };
const ANSWER = { view: 'EFFECT_ALLOW', edit: 'EFFECT_DENY' };

test('one line names both addresses; REST, Connect and gRPC answer alike; nothing is written', async () => {
  const folder = newFolder(GOOD);
  const { server, http, grpc } = await serve(folder);
  assert.equal(await actions(http), ANSWER);
  const connectReply = await send(http, 'POST', '/authz.svc.v1.AuthzService/CheckResources', JSON.stringify(CHECK), {
    'content-type': 'application/json',
  });
  assert.equal(actionsOf(JSON.parse(connectReply.text)), ANSWER);
  assert.equal(actionsOf(await checkOverGrpc(grpc, CHECK)), ANSWER);

  const { code, stdout, stderr, took } = await stop(server);
  assert.is(code, 0);
  assert.is(stdout.trimEnd().split('\n').length, 1);
  assert.is(stderr, '');
  assert.ok(took < DELAYED, `${took} ms`);
  assert.equal(filesIn(folder), ['policies/document.yaml']);
});

test('a person on a terminal sees each call as text', async () => {
  if (NO_TERMINAL !== undefined) return skip(import.meta.url, NO_TERMINAL);
  // A shell that waited for the program would end by the same Ctrl-C.
  const line = ['exec', process.execPath, PROGRAMS.authzc, 'serve', ...LOOPBACK].join(' ');
  const terminal = onTerminal(line, newFolder(GOOD), { NO_COLOR: '1' });
  let shown = '';
  const shows = (text: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = text.exec(shown);
        if (found !== null) resolve(found);
      };
      terminal.stdout.on('data', look);
      terminal.on('close', () => reject(new Error(`the server ended: ${shown}`)));
      look();
    });
  terminal.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString('utf8');
  });
  const [, http = ''] = await shows(/http:\/\/(127\.0\.0\.1:\d+), gRPC on /);
  assert.equal(await actions(http), ANSWER);
  await shows(/\d INFO {2}CheckResources OK in [\d.]+ ms \(rest, 127\.0\.0\.1\) call=\w+ request=r1\r\n/);
  const ended = new Promise((resolve) => terminal.on('close', resolve));
  terminal.stdin.write('\u0003');
  assert.is(await ended, 0);
});

test('the folder is the argument, or that of the configuration, or policies/', async () => {
  const folder = newFolder({
    'a/document.yaml': documentPolicy('view'),
    'b/document.yaml': documentPolicy('edit'),
    'config.yaml': 'storage: { driver: disk, disk: { directory: b } }\n',
  });
  const configured = await serve(folder, '--config', 'config.yaml');
  assert.equal(await actions(configured.http), { view: 'EFFECT_DENY', edit: 'EFFECT_ALLOW' });
  const named = await serve(folder, 'a', '--config', 'config.yaml');
  assert.equal(await actions(named.http), ANSWER);
});

test('strict evaluation needs no setting other than its key', async () => {
  const policy = `${documentPolicy('view')}      condition: { match: { expr: "!(R.attr.missing == 1)" } }\n`;
  const { http } = await serve(
    newFolder({ 'policies/document.yaml': policy }),
    '--set',
    'engine.strictEvaluation=true',
  );
  assert.equal(await actions(http), { view: 'EFFECT_DENY', edit: 'EFFECT_DENY' });
});

test('a request in progress is answered when the server is told to stop', async () => {
  const { server, http } = await serve(newFolder(GOOD));
  const body = JSON.stringify(CHECK);
  const [host = '', port] = http.split(':');
  const socket = connect(Number(port), host);
  const answer = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
  const asked = once(socket, 'data');
  socket.write(
    `POST /api/check/resources HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n${body.slice(0, 10)}`,
  );
  await asked;
  const stopped = stop(server);
  await sleep(100);
  socket.write(body.slice(10));
  assert.match(await answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[\s\S]*"view":"EFFECT_ALLOW"/);
  const { code, took } = await stopped;
  assert.is(code, 0);
  assert.ok(took < DELAYED, `${took} ms`);
});

test('--watch serves changed policies, and keeps the last good ones while they are invalid', async () => {
  const folder = newFolder(GOOD);
  const { server, http } = await serve(folder, '--watch');
  assert.equal(await actions(http), ANSWER);

  writeFileSync(join(folder, 'policies/document.yaml'), documentPolicy('edit'));
  const edited = { view: 'EFFECT_DENY', edit: 'EFFECT_ALLOW' };
  await eventually(async () => assert.equal(await actions(http), edited));

  writeFileSync(join(folder, 'policies/document.yaml'), BROKEN_POLICY);
  await eventually(async () => assert.match(server.said(), 'document.yaml:12'));
  await eventually(async () => assert.match(server.said(), 'still serving the last good policies'));
  assert.equal(await actions(http), edited);

  writeFileSync(join(folder, 'policies/document.yaml'), documentPolicy('view'));
  await eventually(async () => assert.equal(await actions(http), ANSWER));
  assert.is((await stop(server)).code, 0);
  assert.equal(filesIn(folder), ['policies/document.yaml']);
});

test('--watch sees new folders, survives the deletion of one, and handles a burst of edits as one', async () => {
  const folder = newFolder(GOOD);
  const { http } = await serve(folder, '--watch');
  mkdirSync(join(folder, 'policies/sub'));
  await sleep(300);
  writeFileSync(
    join(folder, 'policies/sub/other.yaml'),
    documentPolicy('edit').replace('version: default', 'version: other'),
  );
  for (let turn = 0; turn < 20; turn += 1) {
    writeFileSync(join(folder, 'policies/document.yaml'), documentPolicy(`turn${turn}`));
    await sleep(10);
  }
  // Like editors: a new file replaces the old one.
  writeFileSync(join(folder, 'document.tmp'), documentPolicy('edit'));
  renameSync(join(folder, 'document.tmp'), join(folder, 'policies/document.yaml'));
  await eventually(async () => assert.equal(await actions(http), { view: 'EFFECT_DENY', edit: 'EFFECT_ALLOW' }));
  rmSync(join(folder, 'policies/sub'), { recursive: true });
  writeFileSync(join(folder, 'policies/document.yaml'), documentPolicy('view'));
  await eventually(async () => assert.equal(await actions(http), ANSWER));
});

test('storage.disk.watchForChanges watches, too', async () => {
  const folder = newFolder({
    ...GOOD,
    'config.yaml': 'storage: { driver: disk, disk: { directory: policies, watchForChanges: true } }\n',
  });
  const { server, http } = await serve(folder, '--config', 'config.yaml');
  assert.is(server.said(), '');
  writeFileSync(join(folder, 'policies/document.yaml'), documentPolicy('edit'));
  await eventually(async () => assert.equal(await actions(http), { view: 'EFFECT_DENY', edit: 'EFFECT_ALLOW' }));
});

test('authzc server: the names of the reference PDP, unless the configuration has others; it watches without one', async () => {
  const folder = newFolder({
    ...GOOD,
    'none.yaml': 'server: { aliases: [] }\n',
    'plain.yaml': 'storage: { driver: disk, disk: { directory: ./policies } }\n',
    'foreign.yaml': 'log: { level: debug }\n',
  });
  const statuses = async (http: string): Promise<readonly number[]> =>
    Promise.all(
      ['/_cerbos/health', '/_authz/health'].map(async (path) => (await send(http, 'GET', path, undefined)).status),
    );
  const watching = await serveAs('server', folder);
  assert.equal(await statuses(watching.http), [200, 200]);
  const foreign = await run(PROGRAMS.authzc, ['server', '--config=foreign.yaml'], folder);
  assert.is(foreign.code, 1);
  assert.match(foreign.stderr, /^authzc: foreign\.yaml:1:1: unknown key `log`[^\n]*; `authzc migrate` translates /);
  const { code, stdout } = await run(
    PROGRAMS.authzc,
    ['healthcheck', '--no-tls', `--host-port=${watching.grpc}`],
    folder,
  );
  assert.equal([code, stdout], [0, 'SERVING\n']);
  assert.equal(
    await statuses((await serveAs('server', folder, '--config=plain.yaml', '--log-level=debug')).http),
    [200, 200],
  );
  assert.equal(await statuses((await serveAs('server', folder, '--config', 'none.yaml')).http), [404, 200]);
  assert.equal(await statuses((await serve(folder)).http), [404, 200]);
  writeFileSync(join(folder, 'policies/document.yaml'), documentPolicy('edit'));
  await eventually(async () =>
    assert.equal(await actions(watching.http), { view: 'EFFECT_DENY', edit: 'EFFECT_ALLOW' }),
  );
});

test('equal addresses are one listener, which speaks HTTP and gRPC', async () => {
  const socket = join(newFolder({}), 's');
  const server = launch(
    PROGRAMS.authzc,
    ['serve', '--set', `server.httpListenAddr=unix:${socket},server.grpcListenAddr=unix:${socket}`],
    newFolder(GOOD),
  );
  servers.push(server);
  await server.firstLine;
  assert.equal(actionsOf(await checkOverGrpc(`unix:${socket}`, CHECK)), ANSWER);
  const { code, stdout } = await run(
    PROGRAMS.authzc,
    ['healthcheck', '--no-tls', '--kind=http', `--host-port=unix:${socket}`],
    newFolder({}),
  );
  assert.equal([code, stdout.trim()], [0, '{"status":"SERVING"}']);
  assert.is((await stop(server)).code, 0);
});

test('policies that do not compile are not served: status 3, with the diagnostic on stderr', async () => {
  const folder = newFolder({ 'policies/document.yaml': BROKEN_POLICY });
  const { code, stdout, stderr } = await callShipped(['serve', ...LOOPBACK], folder);
  assert.equal([code, stdout], [3, '']);
  assert.match(stderr, 'document.yaml:12');
});

test('an empty folder is served only with --allow-empty; check and plan reject it, run warns', async () => {
  const folder = newFolder({
    'policies/.keep': '',
    'ann.yaml': 'id: ann\nroles: [user]\n',
    'document.yaml': 'kind: document\nid: d1\n',
  });
  const refused = await callShipped(['serve', ...LOOPBACK], folder);
  assert.equal([refused.code, refused.stdout], [3, '']);
  assert.match(refused.stderr, /^authzc: `policies` holds no policies[^\n]*--allow-empty\n$/);
  for (const options of [
    ['check', '--principal', 'ann.yaml', '--resource', 'document.yaml'],
    ['plan', '--principal', 'ann.yaml', '--kind', 'document'],
  ]) {
    const { code, stdout, stderr } = await callShipped([...options, '--action', 'view'], folder);
    assert.equal([code, stdout], [1, '']);
    assert.match(stderr, /^authzc: `policies` holds no policies[^\n]*\n$/);
  }
  const ran = await run(PROGRAMS.authzc, ['run', ...LOOPBACK, process.execPath, '--print', '"one"'], folder);
  assert.equal([ran.code, ran.stdout], [0, 'one\n']);
  assert.match(ran.stderr, /^warning: `policies` holds no policies, so every request would be denied\n$/);
  await serve(folder, '--allow-empty');
});

test('an unusable folder, configuration or address ends with status 1 and one line', async () => {
  const folder = newFolder({ ...GOOD, 'bad.yaml': 'server: { nope: 1 }\n' });
  const { http } = await serve(folder);
  const taken = `server.httpListenAddr=${http},server.grpcListenAddr=127.0.0.1:0`;
  const attempts = [
    ['nowhere', ...LOOPBACK],
    ['--config', 'none.yaml'],
    ['--config', 'bad.yaml'],
    ['--set', 'server.nope=1'],
  ];
  const inUse = ['--set', taken];
  for (const options of [...attempts, inUse]) {
    const words = ['serve', ...options];
    // A server that begins to start has a process of its own.
    const { code, stdout, stderr } = await (options === inUse
      ? run(PROGRAMS.authzc, words, folder)
      : callShipped(words, folder));
    assert.equal([code, stdout], [1, ''], `${options.join(' ')}: ${stderr}`);
    assert.match(stderr, /^authzc: [^\n]+\n$/, options.join(' '));
  }
});

test('an invalid option ends with status 2', async () => {
  assert.is((await callShipped(['serve', '--nope'], newFolder(GOOD))).code, 2);
});

test.run();

interface Served {
  readonly server: Running;
  readonly http: string;
  readonly grpc: string;
}

function serve(folder: string, ...options: readonly string[]): Promise<Served> {
  return serveAs('serve', folder, ...options);
}

async function serveAs(command: string, folder: string, ...options: readonly string[]): Promise<Served> {
  const server = launch(PROGRAMS.authzc, [command, ...options, ...LOOPBACK], folder);
  servers.push(server);
  const line = await server.firstLine;
  const [, http, grpc] = /http:\/\/(127\.0\.0\.1:\d+)\b.*gRPC on (127\.0\.0\.1:\d+)$/.exec(line) ?? [];
  if (http === undefined || grpc === undefined) throw new Error(`\`${line}\` does not name both addresses`);
  return { server, http, grpc };
}

async function actions(http: string): Promise<unknown> {
  const { status, text } = await send(http, 'POST', '/api/check/resources', JSON.stringify(CHECK));
  assert.is(status, 200, text);
  return actionsOf(JSON.parse(text));
}

function actionsOf(answer: unknown): unknown {
  return (answer as { readonly results: readonly [{ readonly actions: unknown }] }).results[0].actions;
}

/** Retries for as long as a slow machine may need to notice and compile. */
async function eventually(attempt: () => Promise<void>): Promise<void> {
  let problem = '';
  await until(
    async () => {
      try {
        await attempt();
        return true;
      } catch (error) {
        problem = (error as Error).message;
        return false;
      }
    },
    () => problem,
  );
}

function newFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}
