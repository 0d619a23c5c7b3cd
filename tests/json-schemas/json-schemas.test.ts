import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse as parseYaml, stringify } from 'yaml';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { parse } from '../../compiler/parse/index.js';
import { jsonSchemaFiles } from '../../scripts/json-schemas.js';
import { ROOT, SHARED } from '../support/compiled.js';
import { Random } from '../support/oracle/random.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * The JSON Schemas for editors come from the tables of the parser. An editor must not complain about what compiles, so
 * a schema refuses nothing that the parser accepts.
 */

const ajv = new Ajv({ strict: false, allErrors: false });
const validators = new Map<string, ValidateFunction>(
  [...jsonSchemaFiles()].map(([path, text]) => [path, ajv.compile(JSON.parse(text) as object)]),
);
const accepts = (name: string, value: unknown): boolean =>
  (validators.get(`packages/editor/schemas/${name}.schema.json`) as ValidateFunction)(value) as boolean;

/** Policies of this repository, and of the recorded suites where they are. */
const POLICIES = [
  ...['policies', 'examples', 'tests'].flatMap((folder) => yamlIn(join(ROOT, folder))),
  ...(existsSync(SHARED) ? yamlIn(join(SHARED, 'conformance/compile')) : []),
].filter(({ path, text }) => !/_test\.ya?ml$|testdata/.test(path) && isAccepted(text));

test('packages/editor/schemas/ is what the tables give', () => {
  for (const [path, text] of jsonSchemaFiles())
    assert.is(readFileSync(join(ROOT, path), 'utf8'), text, `${path}: run npm run schemas`);
});

test('policies that parse are valid', () => {
  assert.ok(POLICIES.length > 40);
  for (const { path, text } of POLICIES) assert.ok(accepts('policy', asEditors(text)), path);
});

test('test suites and fixtures of this repository are valid', () => {
  let count = 0;
  for (const { path, text } of ['policies', 'examples'].flatMap((folder) => yamlIn(join(ROOT, folder)))) {
    if (!path.endsWith('_test.yaml')) continue;
    assert.ok(accepts('test-suite', asEditors(text)), path);
    count += 1;
  }
  assert.ok(count >= 3);
  const unknown = (facts: unknown, effect: string) => ({
    name: 'albums',
    tests: [
      {
        name: 'one',
        unknown: facts,
        input: { principals: ['ann'], resources: ['a'], actions: ['view'] },
        expected: [{ principal: 'ann', resource: 'a', actions: { view: effect } }],
      },
    ],
  });
  assert.ok(accepts('test-suite', unknown(['resource.attr.owner'], 'UNKNOWN')));
  assert.not.ok(accepts('test-suite', unknown('resource.attr.owner', 'UNKNOWN')));
  assert.not.ok(accepts('test-suite', unknown([''], 'UNKNOWN')));
  assert.not.ok(accepts('test-suite', unknown([], 'EFFECT_UNKNOWN')));
  assert.ok(accepts('principals', { principals: { ann: { id: 'ann', roles: ['user'] } } }));
  assert.ok(accepts('resources', { resources: { one: { kind: 'document', id: '1' } } }));
});

test('mistakes that the tables know are refused', () => {
  const rule = { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['user'] };
  const policy = (resourcePolicy: object) => ({ apiVersion: 'api.authz.dev/v1', resourcePolicy });
  const valid = { resource: 'document', version: 'default', rules: [rule] };
  assert.ok(accepts('policy', policy(valid)));
  for (const wrong of [
    { ...policy(valid), resourcePolcy: {} },
    { ...policy(valid), apiVersion: 'v1' },
    { ...policy(valid), derivedRoles: { name: 'roles', definitions: [] } },
    { apiVersion: 'api.authz.dev/v1' },
    policy({ ...valid, resource: '' }),
    policy({ ...valid, rules: {} }),
    policy({ ...valid, rules: [{ ...rule, effect: 'allow' }] }),
    policy({ ...valid, rules: [{ ...rule, actions: [] }] }),
    policy({ ...valid, rules: [{ ...rule, condtion: {} }] }),
    policy({ ...valid, rules: [{ ...rule, condition: { match: { expr: 'true', all: { of: [] } } } }] }),
  ])
    assert.not.ok(accepts('policy', wrong), JSON.stringify(wrong));
});

test('what a schema refuses, the parser refuses', () => {
  const random = new Random(SEED);
  let refused = 0;
  const documents = rounds(3_000);
  for (let round = 0; round < documents; round += 1) {
    const value = mutated(random, asEditors(random.pick(POLICIES).text));
    if (accepts('policy', value)) continue;
    refused += 1;
    const text = stringify(value);
    assert.not.ok(isAccepted(text), text);
  }
  assert.ok(refused > documents / 6);
});

test.run();

function yamlIn(folder: string): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path) && !path.includes('node_modules'))
    .sort()
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(folder, path), 'utf8') }));
}

/** The value of a document as editors read it: the core schema of YAML 1.2, with merge keys. */
function asEditors(text: string): unknown {
  return parseYaml(text, { merge: true });
}

function isAccepted(text: string): boolean {
  const report = new Diagnostics();
  return parse(new Source('a.yaml', text), report) !== undefined && !report.hasErrors;
}

/** A copy with one change: a key renamed, removed or copied elsewhere, or a value of another type. */
function mutated(random: Random, root: unknown): unknown {
  const copy = structuredClone(root);
  const places = placesIn(copy);
  const { holder, key } = random.pick(places);
  const container = holder as { [key: string]: unknown };
  switch (random.below(4)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete container[key];
      break;
    case 1:
      container[`${key}x`] = container[key];
      break;
    case 2: {
      const other = random.pick(places);
      container[other.key] = structuredClone((other.holder as { [key: string]: unknown })[other.key]);
      break;
    }
    default:
      container[key] = random.pick([null, '', 'text', 0, 1.5, true, [], {}, ['a'], { a: 1 }, 'EFFECT_DENY', 1]);
  }
  return copy;
}

function placesIn(value: unknown): readonly { readonly holder: object; readonly key: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)]);
}
