import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../proto/wire/json-shape.js';
import { type LoadedConfig, loadConfig } from '../../server/config.js';
import { ROOT } from '../support/compiled.js';
import { readPage, textOfFile } from '../support/docs/blocks.js';
import { problemsOf } from '../support/explorer/json-schema.js';
import { skip } from '../support/skip.js';
import { CADDY, ChartRenderer, isRendererInstalled } from './rendered-chart.js';

const test = suite('the rendered Helm chart');
const CHART = join(ROOT, 'deploy/helm/authz');
const defaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as JsonObject;
const { $schema: _, ...schema } = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as JsonObject;
const templates = readdirSync(join(CHART, 'templates')).filter((name) => name.endsWith('.yaml'));

/** For each kind of credentials, a source that has them. */
const SOURCES: { readonly [kind: string]: string } = {
  basic: 'https://bundles.example.com/policies.authzbundle',
  docker: 'oci://registry.example.com/policies/shop:live',
  aws: 's3://bundles/policies.authzbundle',
};

const NETWORK = {
  audit: { to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'nats' } } }], ports: [4222] },
};

/** What a pod mounts, by path, and what its volumes are. */
interface Pod {
  readonly env: readonly { readonly name: string; readonly valueFrom?: Json }[];
  readonly args: readonly string[];
  readonly startupProbe: { readonly httpGet: { readonly path: string }; readonly failureThreshold: number };
  readonly readinessProbe: { readonly httpGet: { readonly path: string } };
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly volumes: readonly ({ readonly name: string } & JsonObject)[];
}

/** The members of a deployment that a test reads; a service has its metadata, too. */
interface Deployment {
  readonly metadata: { readonly name: string; readonly annotations: JsonObject };
  readonly spec: {
    readonly selector: { readonly matchLabels: JsonObject };
    readonly template: { readonly spec: { readonly topologySpreadConstraints?: readonly Json[] } };
  };
}

if (isRendererInstalled()) defineTests();
else skip(import.meta.url, `not installed: ${CADDY}`);

test.run();

function defineTests(): void {
  let renderer: ChartRenderer;
  const folder = mkdtempSync(join(tmpdir(), 'authz-rendered-'));

  test.before(async () => {
    renderer = await ChartRenderer.start(CHART);
  });
  test.after(async () => {
    await renderer.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const render = (template: string, values: JsonObject): Promise<JsonObject | undefined> => {
    const all = merged(defaults, values) as JsonObject;
    assert.equal(problemsOf(all, schema, schema), []);
    return renderer.render(template, all);
  };
  const podOf = async (values: JsonObject): Promise<Pod> => {
    const { spec } = (await render('deployment.yaml', values)) as unknown as {
      readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Pod] } & Pod } };
    };
    const { containers, volumes } = spec.template.spec;
    return { ...containers[0], volumes };
  };
  const configText = async (values: JsonObject): Promise<string> => {
    const { data } = (await render('configmap.yaml', values)) as { readonly data: { readonly 'authz.yaml': string } };
    return data['authz.yaml'];
  };
  const configOf = async (values: JsonObject): Promise<LoadedConfig> => {
    const file = join(folder, 'authz.yaml');
    writeFileSync(file, await configText(values));
    const environment = { BUNDLE_USERNAME: 'robot', TENANTS_SOURCE: 'postgresql://authz@db/app' };
    return loadConfig({ file, environment });
  };

  const source = 'https://bundles.example.com/policies.authzbundle';
  const signed = { bundle: { source, trust: { configMap: 'release-keys' } } };
  /** What is in use in a cluster, each with the volumes that it needs besides those that all have. */
  const CASES: readonly { readonly name: string; readonly values: JsonObject; readonly volumes: JsonObject }[] = [
    { name: 'the image', values: {}, volumes: {} },
    {
      name: 'a config map',
      values: { bundle: { configMap: 'policies' } },
      volumes: { bundle: { configMap: { name: 'policies' } } },
    },
    {
      name: 'a signed config map',
      values: { bundle: { configMap: 'policies', trust: { secret: 'release-keys' } } },
      volumes: {
        bundle: { configMap: { name: 'policies' } },
        cache: { emptyDir: { sizeLimit: '512Mi' } },
        keys: { secret: { secretName: 'release-keys' } },
      },
    },
    {
      name: 'a source with keys and a private authority',
      values: {
        bundle: {
          ...signed.bundle,
          credentials: { secret: 'bundle-token' },
          ca: { configMap: 'authority' },
          clientCertificate: { secret: 'client' },
        },
        config: { bundle: { poll: { interval: '5m' }, trust: { required: 1 } } },
      },
      volumes: {
        cache: { emptyDir: { sizeLimit: '512Mi' } },
        keys: { configMap: { name: 'release-keys' } },
        'bundle-credentials': { secret: { secretName: 'bundle-token' } },
        'bundle-ca': { configMap: { name: 'authority' } },
        'bundle-client': { secret: { secretName: 'client' } },
      },
    },
    ...['basic', 'docker', 'aws'].map((kind) => ({
      name: `credentials: ${kind}`,
      values: { bundle: { source: SOURCES[kind] as string, credentials: { secret: 'robot', kind } } },
      volumes: {
        cache: { emptyDir: { sizeLimit: '512Mi' } },
        'bundle-credentials': { secret: { secretName: 'robot' } },
      },
    })),
    {
      name: 'a claim',
      values: { bundle: { source, cache: { existingClaim: 'bundles' } } },
      volumes: { cache: { persistentVolumeClaim: { claimName: 'bundles' } } },
    },
    {
      name: 'tenants of a config map, and a chained audit log',
      values: {
        tenants: { configMap: 'tenants' },
        audit: { chain: { secret: 'audit-key' } },
        config: { audit: { enabled: true, backend: 'kafka', kafka: { brokers: ['kafka:9092'], topic: 'audit' } } },
      },
      volumes: {
        tenants: { configMap: { name: 'tenants' } },
        'audit-key': { secret: { secretName: 'audit-key' } },
        state: { emptyDir: {} },
      },
    },
    {
      name: 'tenants over HTTP',
      values: { tenants: { source: 'https://tenants.example.com/{tenant}.json', credentials: { secret: 'reader' } } },
      volumes: { 'tenants-credentials': { secret: { secretName: 'reader' } } },
    },
    {
      name: 'tenants of PostgreSQL',
      values: { tenants: { credentials: { secret: 'database', kind: 'postgresql' } } },
      volumes: {},
    },
    {
      name: 'TLS and further volumes',
      values: {
        tls: { secret: 'tls' },
        config: { server: { tls: { cert: '/tls/tls.crt', key: '/tls/tls.key' } } },
        volumes: [{ name: 'nats', secret: { secretName: 'nats' } }],
        volumeMounts: [{ name: 'nats', mountPath: '/secrets/nats' }],
      },
      volumes: { tls: { secret: { secretName: 'tls' } }, nats: { secret: { secretName: 'nats' } } },
    },
  ];

  for (const { name, values, volumes } of CASES)
    test(`${name}: the server accepts the configuration, and the pod has its files`, async () => {
      const pod = await podOf(values);
      const { warnings } = await configOf(values);
      assert.equal(warnings, []);
      assert.equal(Object.fromEntries(pod.volumes.map(({ name: volume, ...what }) => [volume, what])), {
        config: { configMap: { name: 'pdp-authz' } },
        tmp: { emptyDir: {} },
        ...volumes,
      });
      assert.equal(pod.volumeMounts.map((mount) => mount.name).sort(), pod.volumes.map((each) => each.name).sort());
      const files = [...pod.args.map((arg) => arg.replace(/^--\w+=/, '')), ...pathsIn(parse(await configText(values)))];
      for (const file of files)
        assert.ok(
          pod.volumeMounts.some(({ mountPath }) => file === mountPath || file.startsWith(`${mountPath}/`)),
          file,
        );
    });

  test('pods are spread, an ingress leads to both ports, and annotations are where they belong', async () => {
    const zone = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' };
    const node = { ...zone, topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } };
    const values = {
      annotations: { a: 'deployment' },
      topologySpreadConstraints: [zone, node],
      service: { annotations: { a: 'service' } },
      ingress: {
        enabled: true,
        className: 'nginx',
        annotations: { 'nginx.ingress.kubernetes.io/backend-protocol': 'GRPC' },
        hosts: [
          { host: 'pdp.example.com', paths: [{ path: '/' }] },
          {
            host: 'grpc.example.com',
            paths: [{ path: '/authz.svc.v1.AuthzService', port: 'grpc', pathType: 'Exact' }],
          },
        ],
        tls: [{ secretName: 'pdp-tls', hosts: ['pdp.example.com'] }],
      },
    };
    const deployment = (await render('deployment.yaml', values)) as unknown as Deployment;
    const { matchLabels } = deployment.spec.selector;
    assert.equal(deployment.metadata.annotations, { a: 'deployment' });
    assert.equal(deployment.spec.template.spec.topologySpreadConstraints, [
      { ...zone, labelSelector: { matchLabels } },
      node,
    ]);
    const service = (await render('service.yaml', values)) as unknown as Deployment;
    assert.equal(service.metadata.annotations, { a: 'service' });
    const ingress = (await render('ingress.yaml', values)) as JsonObject;
    const { name } = service.metadata;
    const backend = (port: string): object => ({ service: { name, port: { name: port } } });
    assert.equal(ingress['spec'], {
      ingressClassName: 'nginx',
      tls: values.ingress.tls,
      rules: [
        { host: 'pdp.example.com', http: { paths: [{ path: '/', pathType: 'Prefix', backend: backend('http') }] } },
        {
          host: 'grpc.example.com',
          http: { paths: [{ path: '/authz.svc.v1.AuthzService', pathType: 'Exact', backend: backend('grpc') }] },
        },
      ],
    });
    assert.is(await render('ingress.yaml', {}), undefined);
    const plain = (await render('deployment.yaml', {})) as unknown as Deployment;
    assert.equal(plain.spec.template.spec.topologySpreadConstraints, []);
  });

  test('values of the chart are part of the configuration, beside those of config', async () => {
    const { config } = await configOf({
      bundle: { ...signed.bundle, credentials: { secret: 'robot', kind: 'basic' } },
      config: { bundle: { poll: { interval: '5m' }, trust: { requireSequence: true } } },
    });
    assert.equal(config.bundle.source, { kind: 'http', url: source });
    assert.equal(config.bundle.trust?.keys, ['/keys/release.pub.pem']);
    assert.is(config.bundle.trust?.requireSequence, true);
    assert.is(config.bundle.poll.interval, 300_000);
    assert.equal(config.bundle.credentials.username, 'robot');
    assert.is(config.server.shutdownGrace, 5000);
  });

  test('the values of docs/fleet.md are valid', async () => {
    const values = parse(textOfFile(readPage(join(ROOT, 'docs/fleet.md')), 'values.yaml')) as JsonObject;
    const { config, warnings } = await configOf(values);
    assert.equal(warnings, []);
    assert.is(config.bundle.poll.interval, 120_000);
    assert.is(config.bundle.oci.dockerConfig, '/secrets/bundle/.dockerconfigjson');
  });

  test('secrets are not in the config map', async () => {
    const values = {
      bundle: { source, credentials: { secret: 'robot', kind: 'basic' } },
      tenants: { credentials: { secret: 'database', kind: 'postgresql' } },
    };
    const text = await configText(values);
    assert.match(text, '${BUNDLE_USERNAME}');
    assert.match(text, '${TENANTS_SOURCE}');
    assert.equal((await podOf(values)).env, [
      { name: 'BUNDLE_USERNAME', valueFrom: { secretKeyRef: { name: 'robot', key: 'username' } } },
      { name: 'TENANTS_SOURCE', valueFrom: { secretKeyRef: { name: 'database', key: 'url' } } },
    ]);
  });

  test('a change of the configuration replaces the pods; a change of keys does not', async () => {
    const checksum = async (values: JsonObject): Promise<unknown> =>
      (
        (await render('deployment.yaml', values)) as {
          readonly spec: { readonly template: { readonly metadata: { readonly annotations: JsonObject } } };
        }
      ).spec.template.metadata.annotations['checksum/config'];
    const one = await checksum(signed);
    assert.is(await checksum(signed), one);
    assert.is.not(await checksum({ bundle: { ...signed.bundle, source: `${source}2` } }), one);
    assert.is(await checksum({ bundle: { ...signed.bundle, trust: { configMap: 'other-keys' } } }), one);
  });

  test('probes ask for the age of the bundle only if the values say so', async () => {
    const plain = await podOf(signed);
    assert.is(plain.startupProbe.httpGet.path, '/_authz/health');
    assert.is(plain.startupProbe.failureThreshold, 60);
    assert.is(plain.readinessProbe.httpGet.path, '/_authz/health');
    const strict = await podOf({ ...signed, probes: { startup: { seconds: 90, maxBundleAge: '24h' } } });
    assert.is(strict.startupProbe.httpGet.path, '/_authz/health?maxBundleAge=24h');
    assert.is(strict.startupProbe.failureThreshold, 90);
    assert.is(strict.readinessProbe.httpGet.path, '/_authz/health');
    const strictest = await podOf({ ...signed, probes: { readiness: { maxBundleAge: '1h30m' } } });
    assert.is(strictest.readinessProbe.httpGet.path, '/_authz/health?maxBundleAge=1h30m');
  });

  test('the network policy has rules for what the server calls', async () => {
    const egress = async (values: JsonObject): Promise<unknown> =>
      (
        (await render('networkpolicy.yaml', { ...values, networkPolicy: { enabled: true, ...NETWORK } })) as {
          readonly spec: { readonly egress: unknown };
        }
      ).spec.egress;
    const dns = { ports: ['UDP', 'TCP'].map((protocol) => ({ port: 53, protocol })) };
    const brokers = { to: NETWORK.audit.to, ports: [{ port: 4222, protocol: 'TCP' }] };
    assert.equal(await egress({}), [dns, brokers]);
    assert.equal(await egress({ bundle: { source } }), [
      dns,
      { to: [], ports: [{ port: 443, protocol: 'TCP' }] },
      brokers,
    ]);
    assert.is(await render('networkpolicy.yaml', {}), undefined);
  });

  test('autoscaling replaces the number of replicas', async () => {
    const values = { autoscaling: { enabled: true, minReplicas: 3 } };
    const { apiVersion, spec } = (await render('hpa.yaml', values)) as { readonly [key: string]: JsonObject };
    assert.is(apiVersion as unknown, 'autoscaling/v2');
    assert.is(spec?.['minReplicas'], 3);
    const { spec: deployment } = (await render('deployment.yaml', values)) as { readonly spec: JsonObject };
    assert.not.ok(Object.hasOwn(deployment, 'replicas'));
    const budget = (await render('pdb.yaml', values)) as { readonly spec: JsonObject };
    assert.is(budget.spec['maxUnavailable'], 1);
  });

  test('every template is valid with all values on', async () => {
    const values = {
      autoscaling: { enabled: true },
      serviceMonitor: { enabled: true },
      networkPolicy: { enabled: true },
      ingress: { enabled: true, hosts: [{ host: 'pdp.example.com', paths: [{ path: '/' }] }] },
    };
    for (const template of templates) {
      const { metadata } = (await render(template, { ...signed, ...values })) as { readonly metadata: JsonObject };
      assert.is(metadata['name'], 'pdp-authz', template);
    }
  });

  for (const [key, values] of [
    ['bundle.configMap', { bundle: { source, configMap: 'policies' } }],
    ['bundle.trust.secret', { bundle: { source, trust: { configMap: 'keys', secret: 'keys' } } }],
    ['bundle.ca.secret', { bundle: { source, ca: { configMap: 'authority', secret: 'authority' } } }],
    ['tenants.configMap', { tenants: { source: 'https://tenants.example.com/{tenant}', configMap: 'tenants' } }],
    [
      'tenants.credentials.kind',
      {
        tenants: {
          source: 'https://tenants.example.com/{tenant}',
          credentials: { secret: 'database', kind: 'postgresql' },
        },
      },
    ],
  ] as const)
    test(`${key} contradicts another value`, async () => {
      const reason = await render('configmap.yaml', values).then(
        () => 'none',
        (error: Error) => error.message,
      );
      assert.match(reason, `contradicts ${key}`);
    });
}

function merged(one: Json | undefined, other: Json): Json {
  if (!isObject(one) || !isObject(other)) return other;
  const result: { [key: string]: Json } = { ...(one as { [key: string]: Json }) };
  for (const [key, value] of Object.entries(other)) result[key] = merged(result[key], value as Json);
  return result;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The absolute paths in a configuration. */
function pathsIn(node: Json): readonly string[] {
  if (typeof node === 'string') return node.startsWith('/') ? [node] : [];
  return typeof node === 'object' && node !== null ? Object.values(node).flatMap((each) => pathsIn(each as Json)) : [];
}
