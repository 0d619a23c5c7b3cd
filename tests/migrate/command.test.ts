import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, filesIn, folderOf } from '../support/cli/programs.js';

const test = suite('authzc migrate');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const ALBUM = `# yaml-language-server: $schema=https://api.cerbos.dev/latest/cerbos/policy/v1/Policy.schema.json
apiVersion: "api.cerbos.dev/v1"
resourcePolicy:
  resource: album
  version: default
  importDerivedRoles: [shared]
  schemas:
    resourceSchema: {ref: cerbos:///album.json}
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.public == true}}}
    - {actions: [view, edit], effect: EFFECT_ALLOW, derivedRoles: [owner]}
---
# who owns an album
apiVersion: api.cerbos.dev/v1
derivedRoles:
  name: shared
  definitions:
    - {name: owner, parentRoles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
`;
const SUITE = `name: albums
principals: {ann: {id: ann, roles: [user]}}
resources: {open: {kind: album, id: a1, attr: {public: true}}}
tests:
  - name: users see public albums
    input: {principals: [ann], resources: [open], actions: [view]}
    expected: [{principal: ann, resource: open, actions: {view: EFFECT_ALLOW}}]
`;
/** A service with policies, a configuration, a compose file, a pipeline and programs. */
const REPOSITORY = {
  'deploy/policies/album.yaml': ALBUM,
  'deploy/policies/_schemas/album.json':
    '{"$id": "cerbos:///album.json", "properties": {"public": {"type": "boolean"}, "owner": {"type": "string"}}}',
  'deploy/policies/tests/album_test.yaml': SUITE,
  '.cerbos.yaml':
    '# ours\nserver:\n  httpListenAddr: ":3592"\nstorage:\n  driver: disk\n  disk: {directory: deploy/policies}\ntelemetry: {disabled: true}\n',
  'compose.yaml':
    'services:\n  pdp:\n    image: ghcr.io/cerbos/cerbos:0.40.0\n    command: [server, "--config=/c.yaml", "--debug-listen-addr=:6"]\n',
  '.github/workflows/ci.yaml':
    'jobs:\n  test:\n    steps:\n      - uses: cerbos/cerbos-setup-action@v1\n      - run: cerbos compile deploy/policies\n',
  'chart/templates/config.yaml':
    'kind: ConfigMap\ndata:\n  {{- range .Values.policies }}\n  p.yaml: |\n    apiVersion: api.cerbos.dev/v1\n  {{- end }}\n',
  'src/client.ts': "import { GRPC } from '@cerbos/grpc';\nimport { Embedded } from '@cerbos/embedded';\n",
  'src/client.py': 'from cerbos.sdk.client import CerbosClient\nHEALTH = "http://pdp:3592/_cerbos/health"\n',
  'README.md': 'We use `cerbos compile`.\n',
  'package.json': '{}\n',
};

test('without --write it reports everything, and changes nothing', async () => {
  const folder = newFolder(REPOSITORY);
  const { code, stdout, stderr } = await migrate(folder);
  assert.equal([code, stderr], [0, '']);
  for (const line of [
    /^ {2}deploy\/policies: 1 policy, 1 schema, 1 suite of tests$/m,
    /^ {4}split {4}deploy\/policies\/album\.yaml → itself and deploy\/policies\/album-2\.yaml: /m,
    /^Configuration \.cerbos\.yaml → \.authz\.yaml$/m,
    /^ {2}removed {2}`telemetry` \(line 7\): /m,
    /^ {2}compose\.yaml:3: `image: ghcr\.io\/cerbos\/cerbos:0\.40\.0` becomes `image: authz-folder`:$/m,
    /^ {4}compose\.yaml:3 {2}--debug-listen-addr=:6$/m,
    /^ {4}\.github\/workflows\/ci\.yaml:4 {2}- uses: cerbos\/cerbos-setup-action@v1$/m,
    /^ {4}\.github\/workflows\/ci\.yaml:5 {2}/m,
    /^ {4}chart\/templates\/config\.yaml:5 {2}apiVersion: api\.cerbos\.dev\/v1$/m,
    /^ {4}src\/client\.ts:1 {2}/m,
    /^Without a counterpart\n.*\n {4}src\/client\.ts:2 {2}/m,
    /^ {4}src\/client\.py:1 {2}/m,
    /^ {4}src\/client\.py:2 {2}/m,
    /^ {2}deploy\/policies: compiles; 1 test passed$/m,
    /^Nothing was written\. With --write, 3 files change\.$/m,
  ])
    assert.match(stdout, line);
  assert.not.match(stdout, 'README');
  assert.equal(contents(folder), REPOSITORY);
});

test('--write in a repository of git: what is not committed is refused; the second run changes nothing', async () => {
  const folder = newFolder(REPOSITORY);
  git(folder, 'init', '-q');
  const refused = await migrate(folder, '--write');
  assert.equal([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, 'not committed');
  assert.equal(contents(folder), REPOSITORY);
  git(folder, 'add', '-A');
  git(folder, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'all');
  writeFileSync(join(folder, 'README.md'), 'Other changes are fine.\n');

  const { code, stdout, stderr } = await migrate(folder, '--write');
  assert.equal([code, stderr], [0, '']);
  assert.match(stdout, '3 files changed; git has the originals.');
  const written = contents(folder);
  const { '.cerbos.yaml': _, ...rest } = REPOSITORY;
  assert.equal(
    Object.keys(written).sort(),
    [...Object.keys(rest), '.authz.yaml', 'deploy/policies/album-2.yaml'].sort(),
  );
  assert.match(
    written['deploy/policies/album-2.yaml'] as string,
    /^# who owns an album\napiVersion: api\.authz\.dev\/v1\n/,
  );
  assert.match(written['.authz.yaml'] as string, /^# ours\n[\s\S]*aliases: \[cerbos\]/);

  const again = await migrate(folder, '--write');
  assert.is(again.code, 0);
  assert.match(again.stdout, 'No file needs to change.');
  assert.equal(contents(folder), written);
  assert.is((await callAuthzc(['compile', 'deploy/policies', '--no-emit'], folder)).code, 0);
});

test('--write elsewhere keeps the originals, and overwrites nothing', async () => {
  const folder = newFolder(REPOSITORY);
  assert.match((await migrate(folder, '--write')).stdout, 'the originals are in .authz-migrate.');
  for (const path of ['deploy/policies/album.yaml', 'deploy/policies/_schemas/album.json', '.cerbos.yaml'] as const)
    assert.is(readFileSync(join(folder, '.authz-migrate', path), 'utf8'), REPOSITORY[path]);
  const taken = newFolder({ ...REPOSITORY, '.authz.yaml': 'vocabulary: {}\n', 'deploy/policies/album-2.yaml': '' });
  const { code, stdout } = await migrate(taken, '--write');
  assert.is(code, 1);
  assert.match(stdout, 'by hand  deploy/policies/album-2.yaml:1');
  assert.match(contents(taken)['deploy/policies/album-2-2.yaml'] as string, 'who owns');
  assert.is(contents(taken)['.authz.yaml'], 'vocabulary: {}\n');
});

test('exit codes: 3 for policies that do not compile, 4 for tests that fail, 1 for what is left, 2 for wrong arguments', async () => {
  const policies = (changes: object): string => newFolder({ ...REPOSITORY, ...changes });
  const [broken, failing, open, nothing, usage, missing] = await Promise.all([
    migrate(
      policies({ 'deploy/policies/album.yaml': ALBUM.replace('derivedRoles: [owner]', 'derivedRoles: [nobody]') }),
    ),
    migrate(policies({ 'deploy/policies/tests/album_test.yaml': SUITE.replace('EFFECT_ALLOW', 'EFFECT_DENY') })),
    migrate(policies({ '.cerbos.yaml': 'storage: {driver: git, git: {url: "https://x/p.git"}}\n' })),
    migrate(newFolder({ 'a.txt': '' })),
    migrate(newFolder({}), '--nope'),
    migrate(newFolder({}), '--config', 'none.yaml'),
  ]);
  assert.equal(
    [broken, failing, open, nothing, usage, missing].map((ended) => ended?.code),
    [3, 4, 1, 1, 2, 1],
  );
  assert.match(broken?.stdout ?? '', 'Derived role "nobody" is not defined');
  assert.match(failing?.stdout ?? '', 'of 1 test, some failed');
  assert.match(missing?.stderr ?? '', '`none.yaml` is not a text file in');
});

test('a server of the reference that answers is sent the tests, and those that are suggested', async () => {
  const folder = newFolder(REPOSITORY);
  const asked: string[] = [];
  const server = await fakeServer((request) => {
    asked.push(request.action);
    // It decides as the policies do, but for editors.
    if (request.action === 'edit') return 'EFFECT_DENY';
    const { owner, public: isPublic } = request.attr;
    return isPublic === true || owner === request.id ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
  });
  try {
    const { code, stdout, stderr } = await callAuthzc(
      ['migrate', '--server', `http://127.0.0.1:${(server.address() as AddressInfo).port}`, '-o', 'json'],
      folder,
    );
    assert.is(code, 1, stderr);
    const { comparison } = JSON.parse(stdout) as Report;
    assert.is(comparison.compared, asked.length);
    assert.ok(asked.includes('view') && asked.includes('edit'));
    assert.ok(comparison.differences.length > 0);
    for (const { request, theirs, ours } of comparison.differences)
      assert.equal([request.action, theirs, ours], ['edit', 'EFFECT_DENY', 'EFFECT_ALLOW']);
  } finally {
    server.close();
  }
});

test.run();

interface Report {
  readonly comparison: {
    readonly compared: number;
    readonly differences: readonly {
      readonly request: { readonly action: string };
      readonly theirs: string;
      readonly ours: string;
    }[];
  };
}

interface Asked {
  readonly id: string;
  readonly action: string;
  readonly attr: { readonly owner?: unknown; readonly public?: unknown };
}

/** Answers health and checks as a server of the reference PDP does. */
async function fakeServer(decide: (request: Asked) => string): Promise<Server> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      if (request.url === '/_cerbos/health') response.end('{"status":"SERVING"}');
      else if (request.url !== '/api/check/resources') response.writeHead(404).end();
      else {
        const { principal, resources } = JSON.parse(body) as {
          readonly principal: { readonly id: string };
          readonly resources: readonly [
            { readonly actions: readonly [string]; readonly resource: { readonly attr?: Asked['attr'] } },
          ];
        };
        const [{ actions, resource }] = resources;
        const effect = decide({ id: principal.id, action: actions[0], attr: resource.attr ?? {} });
        response.end(JSON.stringify({ results: [{ actions: { [actions[0]]: effect } }], cerbosCallId: 'x' }));
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}

function migrate(folder: string, ...options: readonly string[]): Promise<Ended> {
  return callAuthzc(['migrate', '.', '--no-server', ...options], folder);
}

function git(folder: string, ...words: readonly string[]): void {
  execFileSync('git', words, { cwd: folder, stdio: 'pipe' });
}

function contents(folder: string): Record<string, string> {
  const paths = filesIn(folder).filter((path) => !path.startsWith('.git/') && !path.startsWith('.authz-migrate/'));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

function newFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}
