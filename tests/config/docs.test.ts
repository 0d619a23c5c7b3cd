import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { configDocs } from '../../scripts/config-docs.js';
import { loadConfig } from '../../server/config.js';
import { configSchema } from '../../server/config/schema.js';
import { ROOT, SHARED } from '../support/compiled.js';
import { skip } from '../support/skip.js';

const test = suite('documentation of the configuration');
const ajv = new Ajv({ strictTypes: false });
const validate = ajv.compile(configSchema());
const EXAMPLE = join(ROOT, 'docs/authz.example.yaml');
const isValid = (text: string): boolean => validate(parse(text)) as boolean;

test('the pages are up to date with the table of keys: `node --import tsx scripts/generate-config-docs.ts`', () => {
  for (const [file, text] of configDocs()) assert.is(readFileSync(join(ROOT, file), 'utf8'), text, file);
});

test('every example configuration satisfies the schema', () => {
  const examples = existsSync(join(ROOT, 'examples'))
    ? (readdirSync(join(ROOT, 'examples'), { recursive: true }) as string[])
    : [];
  const configurations = examples
    .filter((file) => /(^|\/)\.?authz\.ya?ml$/.test(file) && !/node_modules|\.github/.test(file))
    .map((file) => join(ROOT, 'examples', file));
  const files = [EXAMPLE, ...configurations, ...recordedConfigurations()];
  for (const file of files)
    assert.ok(isValid(readFileSync(file, 'utf8')), `${file}: ${ajv.errorsText(validate.errors)}`);
});

function recordedConfigurations(): readonly string[] {
  const folder = join(SHARED, 'cases', 'http-cases-config');
  if (existsSync(folder)) return ['main', 'limits', 'bare'].map((name) => join(folder, `${name}.yaml`));
  skip(import.meta.url, 'the recorded configurations are not here (../shared/cases)');
  return [];
}

test('the example is a valid configuration, without warnings', () => {
  const { config, warnings } = loadConfig({ file: EXAMPLE, environment: { WORKERS: '2' } });
  assert.equal(warnings, []);
  assert.is(config.server.workers, 2);
});

test('the schema accepts what the server accepts, including references to the environment', () => {
  for (const text of [
    '',
    'server:',
    'server: {workers: 4, tls: {cert: a, key: b}}',
    'server: {workers: "${N}"}',
    'server: {requestLimits: {maxActionsPerResource: $N}}',
    'auxData: {jwt: {keySets: [{id: a, remote: {url: "https://h/k", refreshInterval: 1h}}]}}',
    'storage: {driver: git, git: {a: 1}}',
    'tracing: {a: {b: 1}}',
    'engine: {globals: {a: [1, {b: 2}]}}',
    'engine: {defaultPolicyVersion: 20210210}',
    'audit: {enabled: true, backend: local, local: {storagePath: x, retentionPeriod: 24h}}',
  ]) {
    assert.ok(isValid(text) || parse(text) === null, `${text}: ${ajv.errorsText(validate.errors)}`);
  }
});

test('the schema rejects what the server rejects', () => {
  for (const text of [
    'sever: {}',
    'server: {wokers: 1}',
    'server: {workers: 0}',
    'server: 3',
    'schema: {enforcement: Reject}',
    'server: {advanced: {http: {readTimeout: 5}}}',
    'audit: {backend: hub}',
    'auxData: {jwt: {keySets: [{id: a}]}}',
    'auxData: {jwt: {keySets: [{id: a, lokal: {}}]}}',
    'telemetry: {disabled: 1}',
  ])
    assert.not(isValid(text), text);
});

test.run();
