import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findMentions } from './mentions.js';

const test = suite('mentions of the reference PDP');

const listTopics = (line: string, path = 'a.txt.tmpl'): readonly string[] =>
  findMentions(new Map([[path, `first\n${line}\n`]]), () => false).map((finding) => `${finding.topic} ${finding.line}`);

const LINES: { readonly [topic: string]: readonly string[] } = {
  clients: [
    "import { GRPC } from '@cerbos/grpc';",
    '"@cerbos/orm-prisma": "^1.0.0",',
    'github.com/cerbos/cerbos-sdk-go v0.3.0',
    'import "github.com/cerbos/cerbos/client"',
    'from cerbos.sdk.grpc.client import CerbosClient',
    'import dev.cerbos.sdk.CerbosBlockingClient;',
    'using Cerbos.Sdk;',
    "gem 'cerbos'",
    'const METHOD = "/cerbos.svc.v1.CerbosService/CheckResources";',
  ],
  containers: [
    'FROM ghcr.io/cerbos/cerbos:0.40.0 AS pdp',
    'COPY --from=cerbos/cerbos /cerbos /cerbos',
    '          image: "docker.io/cerbos/cerbos@sha256:00"',
    'DockerImageName.parse("ghcr.io/cerbos/cerbos:latest")',
    'docker run --rm -v $(pwd):/p ghcr.io/cerbos/cerbos compile /p',
    'helm install pdp oci://ghcr.io/cerbos/helm-charts/cerbos',
  ],
  commands: [
    '- uses: cerbos/cerbos-setup-action@v1',
    'uses: cerbos/cerbos-compile-action@abc',
    'cerbos compile --tests=tests policies',
    '"start": "cerbos server --config=.cerbos.yaml"',
    'test: ["CMD", "/cerbos", "healthcheck"]',
    'curl -L https://github.com/cerbos/cerbos/releases/download/v0.40.0/cerbos.tgz',
    'brew install cerbos/tap/cerbos',
    'cerbosctl get resource_policies',
    'CERBOS_LOG_LEVEL: debug',
  ],
  monitoring: ['path: /_cerbos/health', 'rate(cerbos_dev_engine_check_latency_bucket[5m])'],
  generators: ['apiVersion: api.cerbos.dev/v1', 'ref: "cerbos:///{{ .Kind }}.json"'],
  'no-counterpart': [
    "import { Embedded } from '@cerbos/embedded';",
    'CERBOS_HUB_CLIENT_ID=x',
    'cerbosctl hub store upload-git',
    'cerbosctl put policy a.yaml',
    'await client.addOrUpdatePolicies(policies); // cerbos',
  ],
};

for (const [topic, lines] of Object.entries(LINES))
  test(`${topic}: each line is found, with its number`, () => {
    for (const line of lines) assert.equal(listTopics(line), [`${topic} 2`], line);
  });

test('other lines, prose, lock files and files that are migrated are left out', () => {
  for (const line of [
    'see https://github.com/cerbos/cerbos',
    '// Cerbos decides',
    'name: cerbos',
    'addOrUpdatePolicies()',
    'x/cerbos/cerbosx',
  ])
    assert.equal(listTopics(line), [], line);
  for (const path of ['README.md', 'package-lock.json', 'a/go.sum'])
    assert.equal(listTopics('ghcr.io/cerbos/cerbos', path), [], path);
  assert.equal(
    findMentions(new Map([['a.yaml', 'apiVersion: api.cerbos.dev/v1']]), () => true),
    [],
  );
  assert.equal(listTopics(`${'x'.repeat(5000)} ghcr.io/cerbos/cerbos`), []);
});

test.run();
