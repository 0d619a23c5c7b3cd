import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { send } from '../support/server/http-client.js';
import { CHECK, documentPolicy } from '../support/cli/policies.js';
import { filesIn, folderOf, launch, PROGRAMS, type Running, run, stop } from '../support/cli/programs.js';
import { DELAYED } from '../support/server/start.js';
import { countingIn, executedCode } from './executed-code.js';

const test = suite('dist/server.js');
const LOOPBACK = ['--set', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0'];
/** The packages that a server needs: all dependencies except those that only the compiler uses. */
const SERVER_PACKAGES = Object.keys(
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly dependencies: object }).dependencies,
).filter((name) => !['esbuild', '@jridgewell/sourcemap-codec'].includes(name));
/** About twice what a server needs to start, answer and stop: bytes of code, and runs of its functions and blocks. */
const MOST_CODE = { bytes: 10_000_000, runs: 300_000 };
const servers: Running[] = [];
let folder = '';
test.before(async () => {
  folder = folderOf({ 'policies/document.yaml': documentPolicy('view') });
  assert.is((await run(PROGRAMS.authzc, ['compile'], folder)).code, 0);
});
test.after.each(async () => {
  await Promise.all(servers.splice(0).map((server) => stop(server)));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('it serves a compiled bundle and stops at once, and writes nothing', async () => {
  const before = filesIn(folder);
  await startOnce();
  assert.equal(filesIn(folder), before);
});

test('it starts with little code, and runs little of it', async () => {
  const coverage = folderOf({});
  try {
    await startOnce(countingIn(coverage));
    const { bytes, runs, sources } = executedCode(coverage);
    assert.ok(bytes < MOST_CODE.bytes, `${bytes} bytes of code`);
    assert.ok(runs < MOST_CODE.runs, `${runs} runs of functions and blocks`);
    assert.ok(sources.some((source) => source.endsWith('/server/main.ts')));
    assert.equal(
      sources.filter((source) => /\/(?:compiler|esbuild)\//.test(source)),
      [],
    );
  } finally {
    rmSync(coverage, { recursive: true, force: true });
  }
});

test('its help and messages name the program as its package does', async () => {
  assert.match((await run(PROGRAMS.server, ['--help'], folder)).stdout, /^Usage: authz-server \[options\]/);
  assert.match((await run(PROGRAMS.server, ['help', 'config'], folder)).stdout, /^Usage: authz-server config /);
  for (const words of [['dist/policies.js'], ['serve', 'dist/policies.js']])
    assert.is(
      (await run(PROGRAMS.server, words, folder)).stderr,
      'authz: error: unexpected argument `dist/policies.js`\n' +
        '  note: did you mean `--bundle dist/policies.js`?\n  note: `authz-server serve --help` lists its options\n',
    );
  assert.match(
    (await run(PROGRAMS.server, ['--bundle', 'none.js'], folder)).stderr,
    'none.js: bundle not found; create it with `authzc compile`',
  );
});

test('it never compiles: it starts without compiler, bundler and policies', async () => {
  const bare = folderOf({});
  try {
    cpSync(dirname(PROGRAMS.server), join(bare, 'dist'), { recursive: true });
    mkdirSync(join(bare, 'node_modules'));
    for (const name of SERVER_PACKAGES) {
      mkdirSync(dirname(join(bare, 'node_modules', name)), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules', name), join(bare, 'node_modules', name));
    }
    const server = serve(join(bare, 'dist/server.js'), join(folder, 'dist/policies.js'), bare);
    assert.match(await server.firstLine, /http:\/\/127\.0\.0\.1:\d+/);
    assert.is((await stop(server)).code, 0);
  } finally {
    rmSync(bare, { recursive: true, force: true });
  }
});

test('with equal addresses, workers share one listener for HTTP and gRPC', async () => {
  const socket = join(folder, 'both');
  const options = ['--set', `server.httpListenAddr=unix:${socket},server.grpcListenAddr=unix:${socket}`];
  const server = launch(PROGRAMS.server, [...options, '--set', 'server.workers=2'], folder);
  servers.push(server);
  await server.firstLine;
  for (const kind of ['http', 'grpc'])
    assert.is(
      (await run(PROGRAMS.server, ['hc', '--no-tls', '--kind', kind, '--host-port', `unix:${socket}`], folder)).code,
      0,
    );
  assert.is((await stop(server)).code, 0);
});

for (const protocol of ['grpc', 'http/protobuf']) {
  test(`exporters over ${protocol} work in the built program`, async () => {
    // An IP address with TLS: the exporter gets channel credentials of the server.
    const variables = {
      OTEL_TRACES_EXPORTER: 'otlp',
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://127.0.0.1:1',
    };
    Object.assign(process.env, variables);
    try {
      const server = serve(PROGRAMS.server, join(folder, 'dist/policies.js'), folder);
      assert.match(await server.firstLine, /http:\/\/127\.0\.0\.1:\d+/);
      const { code, stderr } = await stop(server);
      assert.is(code, 0, stderr);
      assert.not.match(stderr, 'credentials');
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });
}

test('compiled code is kept beside the program, where Node can', async () => {
  // Another version of Node may have left the folder there.
  const cache = join(dirname(PROGRAMS.server), '.compile-cache');
  assert.ok(existsSync(cache) || !('enableCompileCache' in module));
});

test('a missing bundle ends with status 1 and names the command that builds one', async () => {
  const { code, stderr } = await run(PROGRAMS.server, ['--bundle', 'none.js', ...LOOPBACK], folder);
  assert.is(code, 1);
  assert.match(stderr, 'authzc compile');
});

test.run();

/** Starts the server, sends a request and stops it. */
async function startOnce(variables: NodeJS.ProcessEnv = {}): Promise<void> {
  const server = serve(PROGRAMS.server, 'dist/policies.js', folder, variables);
  const line = await server.firstLine;
  const [, http = ''] = /http:\/\/(127\.0\.0\.1:\d+)\b/.exec(line) ?? [];
  const { text } = await send(http, 'POST', '/api/check/resources', JSON.stringify(CHECK));
  assert.match(text, '"view":"EFFECT_ALLOW"');
  const end = await stop(server);
  assert.is(end.code, 0, end.stderr);
  assert.ok(end.took < DELAYED, `stopping took ${end.took} ms`);
}

/** Starts a server of one process. It is stopped after the test at the latest. */
function serve(program: string, bundle: string, cwd: string, variables: NodeJS.ProcessEnv = {}): Running {
  const server = launch(program, ['--bundle', bundle, ...LOOPBACK, '--set', 'server.workers=1'], cwd, variables);
  servers.push(server);
  return server;
}
