import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { folderOf, launch, PROGRAMS, type Running, stop } from '../support/cli/programs.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { until } from '../support/timeout.js';

/** A server for one developer: what it shows without credentials, to whom, and `authzc dev`. */
const test = suite('servers of one machine');
const folders: string[] = [];
const running: Running[] = [];
test.after(async () => {
  await Promise.all(running.map(stop));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const TESTS = `name: documents
principals: {ann: {id: ann, roles: [user]}}
resources: {one: {kind: document, id: d1}}
tests:
  - name: users view
    input: {principals: [ann], resources: [one], actions: [view]}
    expected: [{principal: ann, resource: one, actions: {view: EFFECT_ALLOW}}]
`;

test('authzc dev serves, explains and runs tests, again after each change, and waits for policies that compile', async () => {
  const { folder, server } = start(['dev', '--port', '0'], {
    'policies/document.yaml': BROKEN_POLICY,
    'policies/document_test.yaml': TESTS,
  });
  await until(() => server.said().includes('policies/document.yaml:12'), server.said);
  save(folder, 'policies/document.yaml', documentPolicy('view'));
  await until(() => server.printed().includes('playground and API explorer at'), server.said);
  assert.match(server.printed(), 'documents (policies/document_test.yaml) [1 OK]');
  const [, url = ''] = /API explorer at (http:\/\/127\.0\.0\.1:\d+)\/\n/.exec(server.printed()) ?? [];
  assert.is(await explain(url, 'view'), 'EFFECT_ALLOW');

  save(folder, 'policies/document.yaml', documentPolicy('edit'));
  await until(() => server.printed().includes('[1 FAILED]'), server.printed);
  assert.is(await explain(url, 'view'), 'EFFECT_DENY');
  save(folder, 'policies/document.yaml', documentPolicy('view'));
  await until(() => server.said().split('ran 1 of 1 suites').length > 3, server.said);
  assert.is(await explain(url, 'view'), 'EFFECT_ALLOW');

  const warned = `${documentPolicy('view')}      condition: {match: {expr: R.attr.n + 1 > 2}}\n`;
  save(folder, 'policies/document.yaml', warned);
  const warning = 'warning[expression/always-fails]';
  await until(() => server.said().includes(warning), server.said);
  // What reports the warning and what runs the tests do not wait for each other: after one more change, both are done.
  const before = server.said().split('ran 1 of 1 suites').length;
  save(folder, 'policies/document.yaml', documentPolicy('view'));
  await until(() => server.said().split('ran 1 of 1 suites').length > Math.max(before, 5), server.said);
  assert.is(server.said().split(warning).length - 1, 1, server.said());
});

test('authzc serve at a loopback address shows policies, tests and explanations to programs on this machine', async () => {
  const { server } = start(['serve', '--set', LOOPBACK], {
    'policies/document.yaml': documentPolicy('view'),
    'policies/document_test.yaml': TESTS,
  });
  const [, url = ''] = /REST and Connect on ([^,]+)/.exec(await server.firstLine) ?? [];
  assert.is(await explain(url, 'view'), 'EFFECT_ALLOW');
  const { files } = (await (await fetch(`${url}/explorer/policies.json`)).json()) as {
    readonly files: readonly { readonly path: string; readonly text: string }[];
  };
  assert.equal(
    files.map(({ path }) => path),
    ['document.yaml', 'document_test.yaml'],
  );
  assert.match(await (await fetch(`${url}/`)).text(), '<html lang="en" data-server data-local>');

  const { port } = new URL(url);
  // Pages of other sites, also of those whose name leads to this machine.
  assert.is(await status(port, { host: `localhost:${port}` }), 200);
  assert.is(await status(port, { host: 'rebound.example.com' }), 403);
  assert.is(
    await status(port, { host: `rebound.example.com:${port}`, origin: `http://rebound.example.com:${port}` }),
    403,
  );
  assert.is(await status(port, { origin: 'https://example.com' }), 403);
  assert.is(await status(port, { 'sec-fetch-site': 'cross-site' }), 403);
  // The rest of the admin API stays off.
  assert.is((await fetch(`${url}/admin/policies`)).status, 404);
});

for (const [name, sets] of [
  ['a listener of all addresses', 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=0.0.0.0:0'],
  ['explanations that are turned off', 'server.explain.enabled=false'],
] as const)
  test(`with ${name}, policies and explanations need the admin`, async () => {
    const { server } = start(['serve', '--set', LOOPBACK, '--set', sets], {
      'policies/document.yaml': documentPolicy('view'),
    });
    const [, url = ''] = /REST and Connect on ([^,]+)/.exec(await server.firstLine) ?? [];
    assert.is((await fetch(`${url}/explorer/policies.json`)).status, 501);
    assert.not.match(await (await fetch(`${url}/`)).text(), 'data-local');
  });

test('authzc admin hash prints credentials that a configuration takes', async () => {
  const { code, stdout } = await callAuthzc(['admin', 'hash', '--username', 'ann'], tmpdir(), {}, 'secret: ä\n');
  assert.is(code, 0);
  const [, encoded = ''] = /passwordHash: (\S+)\n/.exec(stdout) ?? [];
  assert.ok(compareSync('secret: ä', Buffer.from(encoded, 'base64').toString()));
  const folder = folderOf({ 'c.yaml': `${stdout}  explain:\n    enabled: true\n` });
  folders.push(folder);
  assert.is((await callAuthzc(['config', 'print', '--config', join(folder, 'c.yaml')], tmpdir())).code, 0);
  for (const input of ['', '\n', 'x'.repeat(73)])
    assert.is((await callAuthzc(['admin', 'hash'], tmpdir(), {}, input)).code, 2);
});

test('one error names all keys that explanations need', async () => {
  const { code, stderr } = await callAuthzc(['config', 'print', '--set', 'server.explain.enabled=true'], tmpdir());
  assert.is(code, 1);
  for (const key of ['enabled', 'adminCredentials.username', 'adminCredentials.passwordHash'])
    assert.match(stderr, `\`server.adminAPI.${key}\``);
  assert.match(stderr, 'authzc admin hash');
});

test.run();

const JSON_BODY = { 'content-type': 'application/json' };
const LOOPBACK = 'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0';

function start(words: readonly string[], files: { readonly [path: string]: string }) {
  const folder = folderOf(files);
  folders.push(folder);
  const server = launch(PROGRAMS.authzc, words, folder);
  running.push(server);
  return { folder, server };
}

/** As editors do: another file is renamed onto the old one. */
function save(folder: string, path: string, text: string): void {
  writeFileSync(join(folder, 'saved.tmp'), text);
  renameSync(join(folder, 'saved.tmp'), join(folder, path));
}

async function explain(url: string, action: string): Promise<string> {
  const body = JSON.stringify({
    principal: { id: 'ann', roles: ['user'] },
    resource: { kind: 'document', id: 'd1' },
    action,
  });
  const response = await fetch(`${url}/admin/explain/decision`, { method: 'POST', headers: JSON_BODY, body });
  return ((await response.json()) as { readonly effect: string }).effect;
}

function status(port: string, headers: { readonly [name: string]: string }): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/explorer/policies.json', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
