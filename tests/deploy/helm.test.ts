import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import type { Json, JsonObject } from '../../proto/wire/json-shape.js';
import { loadConfig } from '../../server/config.js';
import { problemsOf } from '../support/explorer/json-schema.js';
import { ROOT } from '../support/compiled.js';

const test = suite('the Helm chart');

const folder = join(ROOT, 'deploy/helm/authz');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const templates = readdirSync(join(folder, 'templates')).map((name) => ({ name, text: read(`templates/${name}`) }));
const values = parse(read('values.yaml')) as JsonObject;
const { $schema: _, ...schema } = JSON.parse(read('values.schema.json')) as JsonObject;

test('the chart has the version of the package', () => {
  const chart = parse(read('Chart.yaml')) as JsonObject;
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
  assert.is(chart['apiVersion'], 'v2');
  assert.is(chart['name'], 'authz');
  assert.is(chart['appVersion'], version);
});

test('the values satisfy their schema, and invalid values do not', () => {
  assert.equal(problemsOf(values, schema, schema), []);
  assert.equal(problemsOf({ ...values, replicaCount: 'two' }, schema, schema), ['$.replicaCount: type']);
  assert.equal(problemsOf({ ...values, replicas: 2 }, schema, schema), ['$.replicas: additionalProperties']);
});

test('the schema has every value', () => {
  const known = schema['properties'] as { readonly [name: string]: JsonObject };
  for (const [name, value] of Object.entries(values)) {
    assert.ok(Object.hasOwn(known, name), name);
    const inner = known[name]?.['properties'] as JsonObject | undefined;
    if (inner !== undefined)
      assert.equal(
        Object.keys(value as JsonObject).filter((key) => !Object.hasOwn(inner, key)),
        [],
        name,
      );
  }
});

test('templates use only defined values, and use all of them', () => {
  const used = new Set(
    templates.flatMap(({ text }) => [...text.matchAll(/\.Values((?:\.\w+)+)/g)].map(([, path = '']) => path.slice(1))),
  );
  for (const path of used) assert.ok(valueAt(path) !== undefined, path);
  for (const name of Object.keys(values))
    assert.ok(
      [...used].some((path) => path.split('.')[0] === name),
      `${name} is not used`,
    );
});

test('templates include only defined templates', () => {
  const all = templates.map(({ text }) => text).join('\n');
  const defined = new Set([...all.matchAll(/define "([^"]+)"/g)].map(([, name]) => name));
  for (const [, name] of all.matchAll(/include "([^"]+)"/g)) assert.ok(defined.has(name), name);
});

test('blocks are closed, and the result is valid YAML with Kubernetes kinds', () => {
  for (const { name, text } of templates) {
    const opened = [...text.matchAll(/\{\{-? (?:if|with|range|define) /g)].length;
    assert.is([...text.matchAll(/\{\{-? end -?\}\}/g)].length, opened, name);
    if (name.endsWith('.tpl')) continue;
    const manifest = parse(withoutActions(text)) as JsonObject;
    for (const key of ['apiVersion', 'kind', 'metadata']) assert.ok(Object.hasOwn(manifest, key), `${name}: ${key}`);
  }
});

test('the pod has probes and no privileges', () => {
  const { spec } = parse(withoutActions(read('templates/deployment.yaml'))) as {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: readonly JsonObject[] } & JsonObject };
    };
  };
  const [container] = spec.template.spec.containers;
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
    assert.ok(container?.[probe] !== undefined, probe);
  assert.equal(container?.['securityContext'], {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  assert.is((spec.template.spec['securityContext'] as JsonObject)['runAsNonRoot'], true);
});

test('the liveness probe checks the event loop, not health', () => {
  const text = read('templates/deployment.yaml');
  const [, probe = ''] = /livenessProbe:\n((?: {12}.*\n)+)/.exec(text) ?? [];
  assert.match(probe, 'include "authz.live"');
  // A stuck worker is detected after two seconds; the response must arrive before the probe times out.
  assert.ok(Number(/timeoutSeconds: (\d+)/.exec(probe)?.[1]) > 2);
  assert.match(
    /define "authz\.live" -\}\}\n([\s\S]*?)\{\{- end/.exec(read('templates/_names.tpl'))?.[1] ?? '',
    'path: /_authz/live\n',
  );
});

test('the network policy allows clients on both ports, and egress only to configured targets and DNS', () => {
  const text = read('templates/networkpolicy.yaml');
  assert.match(text, '{{- if .Values.networkPolicy.enabled }}');
  const { spec } = parse(withoutActions(text)) as { readonly spec: { readonly [part: string]: Json } };
  assert.equal(spec['policyTypes'], ['Ingress', 'Egress']);
  const ports = (rules: Json | undefined): readonly unknown[] =>
    (rules as readonly { readonly ports: readonly { readonly port: unknown }[] }[]).flatMap((rule) =>
      rule.ports.map(({ port }) => port),
    );
  assert.equal(
    [ports(spec['ingress']), ports(spec['egress'])],
    [
      ['http', 'grpc'],
      [53, 53],
    ],
  );
  assert.match(text, '.Values.networkPolicy.from');
  assert.match(text, 'with .Values.networkPolicy.egress');
  assert.equal(
    problemsOf(
      { ...values, networkPolicy: { enabled: true, from: [{ podSelector: {} }], egress: [{}] } },
      schema,
      schema,
    ),
    [],
  );
  assert.equal(problemsOf({ ...values, networkPolicy: { peers: [] } }, schema, schema), [
    '$.networkPolicy.peers: additionalProperties',
  ]);
});

test('the server accepts the configuration', () => {
  const sets = Object.entries((values['config'] as { readonly server: JsonObject }).server).map(
    ([key, value]) => `server.${key}=${String(value)}`,
  );
  const { config, warnings } = loadConfig({ sets, environment: {} });
  assert.equal(warnings, []);
  assert.is(config.server.shutdownGrace, 5000);
});

test.run();

function valueAt(path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>((node, step) => (node as JsonObject | undefined)?.[step], values);
}

/** The template without its actions: a line that is only an action is dropped, an inline action becomes a word. */
function withoutActions(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*\{\{.*\}\}$/.test(line))
    .map((line) => line.replace(/\{\{.*?\}\}/g, 'x'))
    .join('\n');
}
