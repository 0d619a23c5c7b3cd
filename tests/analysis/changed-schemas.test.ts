import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { areSameSchemas, isAccepted } from '../../packages/analysis/decision/schema-inclusion.js';
import { diffVersions } from '../../packages/analysis/diff/diff.js';
import type { PolicyVersion } from '../../packages/analysis/decision/policy-version.js';
import type { DiffReport } from '../../packages/analysis/diff/report.js';
import type { AssumedSchema } from '../../packages/analysis/question/question.js';
import type { ResourceModule } from '../../compiler/ir/program.js';
import { compiledSet } from '../support/analysis/random-claims.js';

const test = suite('schemas that change');

interface Changed {
  readonly ignoreWhen?: object;
  readonly subject?: 'resourceSchema' | 'principalSchema';
}

function versionOf(
  schema: object | undefined,
  { ignoreWhen, subject = 'resourceSchema' }: Changed = {},
): PolicyVersion {
  const schemas = schema && { [subject]: { ref: 'authz:///doc.json', ...(ignoreWhen && { ignoreWhen }) } };
  const rules = [{ actions: ['view', 'create'], effect: 'EFFECT_ALLOW', roles: ['user'] }];
  const policies = { 'doc.yaml': { resourcePolicy: { resource: 'doc', version: 'default', schemas, rules } } };
  const set = compiledSet({ policies, schemas: { 'doc.json': schema ?? {} } });
  if (set === undefined) throw new Error(`${JSON.stringify(schema)} compiles`);
  return set.version;
}

async function verdicts(old: PolicyVersion, new_: PolicyVersion, isEnforced = true): Promise<readonly string[]> {
  const engine = { schemaEnforcement: isEnforced ? 'reject' : 'none' } as const;
  const { rows }: DiffReport = await diffVersions(old, new_, { engine });
  return rows.filter(({ verdict }) => verdict !== 'unchanged').map(({ action, verdict }) => `${action} ${verdict}`);
}

const SIZED = { type: 'object', required: ['size'], properties: { size: { type: 'number', minimum: 2 } } };

for (const [name, loosened] of [
  ['without a required property', { ...SIZED, required: [] }],
  ['with a lower limit', { ...SIZED, properties: { size: { type: 'number', minimum: 1 } } }],
  ['with another type', { ...SIZED, properties: { size: { type: ['number', 'string'], minimum: 2 } } }],
  ['of anything', {}],
  ['that is not there', undefined],
] as const)
  test(`a schema ${name} widens, and the reverse narrows`, async () => {
    for (const subject of ['resourceSchema', 'principalSchema'] as const) {
      const [strict, loose] = [versionOf(SIZED, { subject }), versionOf(loosened, { subject })];
      assert.equal(await verdicts(strict, loose), ['create widened', 'view widened']);
      assert.equal(await verdicts(loose, strict), ['create narrowed', 'view narrowed']);
      assert.equal(await verdicts(strict, loose, false), []);
    }
  });

test('a schema that exempts more widens', async () => {
  const [strict, loose] = [versionOf(SIZED), versionOf(SIZED, { ignoreWhen: { actions: ['create'] } })];
  assert.equal(await verdicts(strict, loose), ['create widened']);
  assert.equal(await verdicts(loose, strict), ['create narrowed']);
});

test('a schema that is written otherwise is the same', async () => {
  const moved = { $defs: { all: { ...SIZED } }, $ref: '#/$defs/all' };
  assert.equal(await verdicts(versionOf(SIZED), versionOf({ ...SIZED, title: 'Documents' })), []);
  assert.equal(await verdicts(versionOf(SIZED), versionOf(moved)), []);
  assert.equal(
    await verdicts(versionOf(SIZED), versionOf({ ...SIZED, properties: { size: { type: 'number', minimum: 3 } } })),
    ['create narrowed', 'view narrowed'],
  );
});

test('a difference that is neither proved nor shown is not decided', async () => {
  const pattern = (text: string): object => ({
    type: 'object',
    properties: { code: { type: 'string', pattern: text } },
  });
  const [old, new_] = [versionOf(pattern('^[a-f]{7}q$')), versionOf(pattern('^[a-f]{7}[q-r]$'))];
  assert.equal(await verdicts(old, new_), ['create not decided', 'view not decided']);
});

function schemaOf(schema: object): readonly AssumedSchema[] {
  const { modules, schemas } = versionOf(schema).lowered;
  const { validator } = (modules[0] as ResourceModule).schemas.resource ?? {};
  if (validator === undefined || 'unavailable' in validator) throw new Error('it is there');
  return [{ attributesOf: 'resource', at: validator, modules: schemas }];
}

test('what follows from keywords, and what does not', () => {
  const accepted = (own: object, other: object): boolean => isAccepted(schemaOf(own), schemaOf(other));
  const [a, b] = [{ type: 'string' }, { type: 'number' }];
  const one = { properties: { a, b }, additionalProperties: false };
  assert.ok(accepted(one, { properties: { a } }));
  assert.not(accepted({ properties: { a } }, one));
  assert.ok(accepted({ ...one, properties: { a } }, one));
  assert.not(accepted(one, { ...one, properties: { a } }));
  assert.ok(accepted({ properties: { a: { enum: ['x'] } } }, { properties: { a: { enum: ['x', 'y'] } } }));
  assert.not(accepted({ properties: { a: { enum: ['x', 'y'] } } }, { properties: { a: { enum: ['x'] } } }));
  assert.ok(accepted({ properties: { a: { type: 'integer' } } }, { properties: { a: { type: 'number' } } }));
  assert.not(accepted({ properties: { a: { type: 'number' } } }, { properties: { a: { type: 'integer' } } }));
  assert.ok(accepted({ allOf: [{ required: ['a'] }, { required: ['b'] }] }, { required: ['b', 'a'] }));
  assert.not(accepted({ anyOf: [{ required: ['a'] }, { required: ['b'] }] }, { required: ['b'] }));
  assert.not(accepted({ not: { required: ['a'] } }, { required: ['a'] }));
  // A number is no object that looks like one.
  assert.not(areSameSchemas(schemaOf({ enum: [1] }), schemaOf({ enum: [{ number: '1' }] })));
  // What refers to itself says something else within another schema.
  const tree = (leaf: object): object => ({ properties: { child: { $ref: '#' }, leaf } });
  assert.not(accepted(tree(b), tree(a)));
  assert.ok(areSameSchemas(schemaOf(tree(a)), schemaOf(tree(a))));
});

test.run();
