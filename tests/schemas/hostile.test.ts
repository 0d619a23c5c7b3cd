import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { type CompiledBundle, createEngine, explanations } from '../../runtime/engine/index.js';
import type { Decider } from '../../server/service/decider.js';
import { checkOverGrpc } from '../support/cli/grpc-check.js';
import { start } from '../support/server/start.js';
import { loaded } from '../support/compiled.js';
import { compileReferences, validators } from './validators.js';

// biome-ignore lint/suspicious/noExplicitAny: answers, whose fields are asserted
type JsonObject = { readonly [name: string]: any };

const REF = 'authz:///a.json';
const TREE = { properties: { a: { $ref: '#' }, v: { type: 'string' } } };

test('attributes with extreme nesting fail validation without a stack overflow', async () => {
  const schemas = {
    'a.json': TREE,
    'deep.json': { allOf: [{ anyOf: [{ oneOf: [{ if: { properties: { a: { $ref: '#' } } }, then: true }] }] }] },
    'unique.json': { properties: { a: { uniqueItems: true } } },
  };
  const refs = Object.keys(schemas).map((file) => `authz:///${file}`);
  const validate = await validators(refs, schemas);
  let object: object = {};
  let array: unknown = [];
  for (let i = 0; i < 100_000; i += 1) {
    object = { a: object };
    array = [array];
  }
  const tooDeep = ['/: attributes nest too deeply to be validated'];
  assert.equal(validate('authz:///a.json', object), tooDeep);
  assert.equal(validate('authz:///deep.json', object), tooDeep);
  assert.equal(validate('authz:///unique.json', { a: [array, array] }), tooDeep);
});

test('a schema that refers to itself twice at each level does not take exponential time', async () => {
  const twice = {
    anyOf: [
      { properties: { a: { $ref: '#' } }, required: ['x'] },
      { properties: { a: { $ref: '#' } }, required: ['y'] },
    ],
  };
  const validate = await validators([REF], { 'a.json': twice });
  let value: object = {};
  for (let i = 0; i < 60; i += 1) value = { a: value };
  assert.equal(validate(REF, value), ['/: attributes take too long to be validated']);
});

test('a value over a limit satisfies no schema, not even a negated one', async () => {
  const validate = await validators([REF], {
    'a.json': {
      not: { properties: { a: { $ref: '#/$defs/n' } } },
      $defs: { n: { properties: { a: { $ref: '#/$defs/n' } } } },
    },
  });
  let value: object = {};
  for (let i = 0; i < 5000; i += 1) value = { a: value };
  assert.is(validate(REF, value).length, 1);
});

test('a hundred violations are listed, and the rest are counted', async () => {
  const validate = await validators([REF], {
    'a.json': { properties: { a: { uniqueItems: true }, b: { items: { type: 'string' } } } },
  });
  const pairs = validate(REF, { a: Array(20_000).fill(1) });
  assert.is(pairs.length, 101);
  assert.is(pairs.at(-1), `/: and ${(20_000 * 19_999) / 2 - 100} more`);
  assert.is(validate(REF, { b: Array(20_000).fill(1) }).at(-1), '/: and 19900 more');
  assert.is(validate(REF, { b: Array(100).fill(1) }).length, 100);
});

test('violations in a branch that does not matter neither use the limit nor are limited', async () => {
  const strings = { items: { type: 'string' } };
  const schema = { properties: { a: { anyOf: [strings, {}] }, b: { anyOf: [strings, { items: { type: 'null' } }] } } };
  const validate = await validators([REF], { 'a.json': schema });
  assert.equal(validate(REF, { a: Array(300).fill(1) }), []);
  const both = validate(REF, { a: Array(300).fill(1), b: Array(60).fill(1) });
  assert.is(both.length, 101);
  assert.is(both.at(-1), '/: and 20 more');
});

test('violations shorten long keys and values', async () => {
  const schema = {
    properties: { names: { additionalProperties: false } },
    additionalProperties: { items: { type: 'string' } },
  };
  const validate = await validators([REF], { 'a.json': schema });
  const long = '😀'.repeat(100_000);
  const found = validate(REF, { [`a${long}`]: Array(1000).fill(1), names: { [long]: 1 } });
  assert.ok(found.join('').length < 15_000, `${found.join('').length} characters`);
  assert.ok(found.every((text) => Buffer.from(text).toString() === text));
  assert.match(found.at(-1) ?? '', /^\/: and \d+ more$/);
});

interface Answer {
  readonly size: number;
  readonly lists: readonly (readonly { readonly path: string; readonly message: string; readonly source: string }[])[];
}

/**
 * Fifty resources and a principal, each with more violations than a response lists. Their keys are of maximum length
 * once they are escaped in JSON.
 */
test('a call lists a hundred violations and counts the rest, in every protocol', async () => {
  const rules = [{ actions: ['*'], effect: 'EFFECT_ALLOW', roles: ['*'] }];
  const schemas = { principalSchema: { ref: 'authz:///p.json' }, resourceSchema: { ref: 'authz:///r.json' } };
  const policy = new Source(
    'p.yaml',
    JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: { resource: 'doc', version: 'default', schemas, rules },
    }),
  );
  const texts = new Map([
    ['p.json', '{"properties":{"level":{"type":"integer"}}}'],
    ['r.json', '{"properties":{"tags":{"items":{"enum":["a"],"additionalProperties":false}}}}'],
  ]);
  const { policies } = await loaded(compile([policy], new Diagnostics(), { schemaTexts: texts }));
  const engine = createEngine(policies as CompiledBundle, { schemaEnforcement: 'reject', use: [explanations()] });
  const server = await start([], engine as unknown as Decider);
  const send = async (path: string, body: unknown): Promise<{ readonly size: number; readonly answer: JsonObject }> => {
    const response = await fetch(`http://${server.httpAddress}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    assert.is(response.status, 200, text.slice(0, 300));
    return { size: Buffer.byteLength(text), answer: JSON.parse(text) as JsonObject };
  };
  const listsOf = (answer: JsonObject): Answer['lists'] =>
    (answer.results as readonly JsonObject[]).map(
      ({ validationErrors }) => (validationErrors ?? []) as Answer['lists'][number],
    );
  const principal = { id: 'alice', roles: ['user'], attr: { level: 'high' } };
  const ids = Array.from({ length: 50 }, (_, index) => `d${index}`);
  const attributes = {
    short: { tags: Array(60).fill('b') },
    long: { tags: Array(30).fill({ ['\u0001'.repeat(300)]: 1 }) },
  };
  try {
    for (const [kind, attr] of Object.entries(attributes)) {
      const resources = ids.map((id) => ({ actions: ['view'], resource: { kind: 'doc', id, attr } }));
      const check = { requestId: 'r', principal, resources };
      const evaluations = ids.map((id) => ({
        subject: { type: 'user', id: `u${id}`, properties: principal.attr },
        resource: { type: 'doc', id, properties: attr },
      }));
      const asked: { readonly [protocol: string]: () => Promise<Answer> } = {
        rest: async () => {
          const { size, answer } = await send('/api/check/resources', check);
          return { size, lists: listsOf(answer) };
        },
        connect: async () => {
          const { size, answer } = await send('/authz.svc.v1.AuthzService/CheckResources', check);
          return { size, lists: listsOf(answer) };
        },
        grpc: async () => {
          const answer = (await checkOverGrpc(server.grpcAddress, check)) as JsonObject;
          return { size: Buffer.byteLength(JSON.stringify(answer)), lists: listsOf(answer) };
        },
        batch: async () => {
          const { size, answer } = await send('/api/check_resource_batch', check);
          return { size, lists: listsOf(answer) };
        },
        set: async () => {
          const instances = Object.fromEntries(ids.map((id) => [id, { attr }]));
          const { size, answer } = await send('/api/check', {
            requestId: 'r',
            actions: ['view'],
            principal,
            resource: { kind: 'doc', instances },
          });
          const byId = answer.resourceInstances as {
            readonly [id: string]: { readonly validationErrors?: Answer['lists'][number] };
          };
          return { size, lists: ids.toSorted().map((id) => byId[id]?.validationErrors ?? []) };
        },
        authzen: async () => {
          const { size, answer } = await send('/access/v1/evaluations', {
            action: { name: 'view' },
            context: { 'authz.includeMeta': true },
            evaluations,
          });
          const answers = answer.evaluations as readonly {
            readonly context?: { readonly response?: JsonObject; readonly 'authz.response'?: JsonObject };
          }[];
          return {
            size,
            lists: answers.flatMap((one) =>
              listsOf((one.context?.['authz.response'] ?? one.context?.response ?? { results: [] }) as JsonObject),
            ),
          };
        },
      };
      for (const [protocol, ask] of Object.entries(asked)) {
        const { size, lists } = await ask();
        const about = `${protocol}, ${kind}: ${size} bytes`;
        assert.ok(size < 100_000, about);
        assert.is(lists.length, 50, about);
        const violations = lists.flat().filter(({ message }) => !message.startsWith('and '));
        assert.ok(
          kind === 'short' ? violations.length === 100 : violations.length > 10 && violations.length < 100,
          `${about}, ${violations.length} violations`,
        );
        const total = lists
          .flat()
          .reduce((sum, { message }) => sum + Number(/^and (\d+) more$/.exec(message)?.[1] ?? 1), 0);
        assert.is(total, 50 * 61, about);
        // The first resources have all their violations, the last ones a count for each source.
        assert.equal(
          lists[0]?.slice(0, 1),
          [{ path: '/level', message: 'expected integer, but got string', source: 'SOURCE_PRINCIPAL' }],
          about,
        );
        if (kind === 'short')
          assert.equal(
            lists.map((list) => list.length),
            [61, 40, ...Array(48).fill(2)],
            about,
          );
        assert.equal(
          lists.at(-1),
          [
            { path: '/', message: 'and 1 more', source: 'SOURCE_PRINCIPAL' },
            { path: '/', message: 'and 60 more', source: 'SOURCE_RESOURCE' },
          ],
          about,
        );
      }
      const plan = await send('/api/plan/resources', {
        requestId: 'r',
        principal,
        action: 'view',
        resource: { kind: 'doc', attr },
        includeMeta: true,
      });
      assert.ok(plan.size < 100_000, `plan, ${kind}: ${plan.size} bytes`);
      assert.type(plan.answer.meta.filterDebug, 'string');
      assert.ok(plan.answer.validationErrors.length > 10);
    }
  } finally {
    await server.close();
  }
});

test('what a violation quotes costs what is shown of it', async () => {
  const schemas = {
    'a.json': {
      properties: {
        a: { format: 'hostname' },
        b: { items: { format: 'hostname' } },
        c: { additionalProperties: false },
        d: { items: { required: ['x'.repeat(50), 'y'.repeat(50)] } },
      },
    },
  };
  // A character that is quoted is charged ten steps and more; the attributes below have four million and more.
  const validate = await validators([REF], schemas, { evaluationCost: 4_000_000 });
  const attributes: readonly object[] = [
    { a: '-a'.repeat(2_000_000) },
    { b: Array.from({ length: 40_000 }, () => '-a'.repeat(50)) },
    { c: Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`${index}${'a'.repeat(100)}`, 1])) },
    { d: Array.from({ length: 400_000 }, () => ({})) },
  ];
  for (const value of attributes) {
    const [attribute] = Object.keys(value);
    const violations = validate(REF, value);
    assert.ok(violations.length > 0 && violations.join('').length < 20_000, `${attribute}: ${violations.length}`);
  }
});

test('patterns run in linear time', async () => {
  const validate = await validators([REF], {
    'a.json': { properties: { a: { pattern: '^(a+)+$' }, b: { format: 'email' }, c: { format: 'uri-template' } } },
  });
  const long = 'a'.repeat(200_000);
  assert.is(validate(REF, { a: `${long}!`, b: `${long}@`, c: '{'.repeat(200_000) }).length, 3);
});

test('a string that is too long for a pattern fails validation', async () => {
  const validate = await validators([REF], { 'a.json': { properties: { a: { format: 'regex' } } } });
  assert.equal(validate(REF, { a: '[a-z]{1,20}' }), []);
  const tooLong = ['/: attributes take too long to be validated'];
  assert.equal(validate(REF, { a: 'a{1000}'.repeat(1000) }), tooLong);
  assert.equal(validate(REF, { a: 'a'.repeat(1_000_000) }), tooLong);
});

test('a schema with extreme nesting is rejected', () => {
  const text = `${'{"not":'.repeat(100_000)}true${'}'.repeat(100_000)}`;
  const { diagnostics } = compileReferences([REF], { 'a.json': text });
  assert.match(diagnostics[0]?.message ?? '', 'values nest too deeply');
});

test('numbers with millions of digits are rejected', () => {
  const { diagnostics } = compileReferences([REF], { 'a.json': '{"multipleOf": 1e-999999999}' });
  assert.is(diagnostics.length, 1);
  assert.is(compileReferences([REF], { 'a.json': '{"minimum": 1e999999999}' }).diagnostics.length, 1);
});

test.run();
