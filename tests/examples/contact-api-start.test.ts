import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { npmProgram } from '../support/npm.js';
import { send } from './contact-api.js';

mkdirSync(join(ROOT, '.cache'), { recursive: true });
const DIST = mkdtempSync(join(ROOT, '.cache', 'example-'));
const ENVIRONMENT = { ...process.env, AUTHZ_DIST: DIST.slice(ROOT.length + 1) };
// `npm start` builds the programs, for the example too.
const started = spawn(
  process.execPath,
  [
    npmProgram(),
    'start',
    '--',
    '--set',
    'server.httpListenAddr=127.0.0.1:0',
    '--set',
    'server.grpcListenAddr=127.0.0.1:0',
  ],
  { cwd: ROOT, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] },
);
test.after(() => {
  started.kill('SIGKILL');
  rmSync(DIST, { recursive: true });
});

test('npm start -- --set key=value: builds, compiles and serves with these settings, and leaves committed files alone', async () => {
  const before = readFileSync(join(ROOT, 'generated', 'index.ts'), 'utf8');
  const output = await outputUntil(started, 'authz: REST and Connect on ');
  const [, address = ''] =
    /REST and Connect on (http:\/\/127\.0\.0\.1:\d+), gRPC on 127\.0\.0\.1:\d+\n/.exec(output) ?? [];
  const answer = await fetch(`${address}/api/check/resources`, {
    method: 'POST',
    body: JSON.stringify({
      principal: { id: 'alice', roles: ['user'] },
      resources: [{ resource: { kind: 'contact', id: '1', attr: { owner: 'alice' } }, actions: ['read', 'delete'] }],
    }),
  });
  const { results } = (await answer.json()) as { readonly results: readonly { readonly actions: unknown }[] };
  assert.equal(results[0]?.actions, { read: 'EFFECT_ALLOW', delete: 'EFFECT_DENY' });
  assert.is(readFileSync(join(ROOT, 'generated', 'index.ts'), 'utf8'), before);
  started.kill('SIGTERM');
  await new Promise((resolve) => started.once('close', resolve));
  assert.is(
    await fetch(address).then(
      () => 'answered',
      () => 'gone',
    ),
    'gone',
  );
});

test('programs of npm start find everything they import in node_modules', async () => {
  // Threads have no hash in their names. They are made of the same chunks, and run only as threads.
  const chunks = readdirSync(join(DIST, 'chunks')).filter((name) => /-[0-9A-Z]{8}\.js$/.test(name));
  assert.ok(chunks.length > 100);
  const imports = chunks.map((name) => `await import(${JSON.stringify(pathToFileURL(join(DIST, 'chunks', name)))});`);
  // One of the chunks is the command line, which reads the flag.
  const flags = ['--input-type=module', '--eval', imports.join('\n'), 'authzc', '--version'];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});

for (const transport of ['in-process', 'grpc']) {
  test(`npm run example, ${transport}: prints requests that work, and leaves no process or file behind`, async () => {
    const free = { AUTHZ_PDP: transport, CONTACTS_PORT: '0', PDP_HTTP: '127.0.0.1:0', PDP_GRPC: '127.0.0.1:0' };
    const child = spawn(process.execPath, ['--import', 'tsx', 'examples/contact-api/start.ts'], {
      cwd: ROOT,
      env: { ...ENVIRONMENT, ...free },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const requests = requestsIn(await outputUntil(child, 'Nobody in particular: 401\ncurl '));
    const statuses = [];
    for (const { method, url, authorization, body } of requests) {
      const { status } = await send({ url }, method, '', {
        headers: authorization === undefined ? {} : { authorization },
        body,
      });
      statuses.push(`${method} ${status}`);
    }
    assert.equal(statuses, [
      'GET 200',
      'GET 200',
      'POST 403',
      'DELETE 403',
      'POST 200',
      'PATCH 200',
      'DELETE 200',
      'GET 200',
      'GET 200',
      'GET 401',
    ]);
    const [api] = requests;
    child.kill('SIGTERM');
    assert.is(await new Promise((resolve) => child.once('close', resolve)), 0);
    assert.is(
      await fetch(api?.url ?? '').then(
        () => 'answered',
        () => 'gone',
      ),
      'gone',
    );
  });
}

test.run();

/** The output of a process, up to the end of the line that contains the text. */
function outputUntil({ stdout, stderr }: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    let errors = '';
    stderr?.on('data', (chunk) => {
      errors += chunk.toString();
    });
    stdout?.on('data', (chunk) => {
      output += chunk.toString();
      if (output.includes(text) && output.endsWith('\n')) resolve(output);
    });
    stdout?.on('close', () => reject(new Error(`ended without \`${text}\`: ${output}${errors}`)));
  });
}

interface CurlLine {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string | undefined;
}

function requestsIn(output: string): readonly CurlLine[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('curl '))
    .map((line) => ({
      method: / -X (\w+)/.exec(line)?.[1] ?? 'GET',
      url: /'(http[^']*)'$/.exec(line)?.[1] ?? '',
      authorization: /'Authorization: ([^']*)'/.exec(line)?.[1],
      body: / -d '([^']*)'/.exec(line)?.[1],
    }));
}
