import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Overload } from '../../packages/cel/library/function.js';
import { functions } from '../../packages/cel/library/functions.js';
import { type CelType, printType } from '../../packages/cel/library/types.js';
import { createEngine } from '../../runtime/engine/index.js';
import { compileRules, loaded } from '../support/compiled.js';

/* The rows of packages/cel/library: what each says about itself holds in compiled policies. */

const test = suite('rows of the table of functions');

test('each row has a sentence about it and examples, of a name that is in them', () => {
  for (const { name, meaning, examples } of functions) {
    assert.match(meaning, /^[A-Z].*[.]$/, name);
    assert.ok(examples.length > 0, name);
    const called = new RegExp(`(^|[^\\w])${name.replaceAll('.', '\\.')}\\(`);
    assert.ok(
      examples.every(([expression]) => called.test(expression)),
      `${name}: ${JSON.stringify(examples)}`,
    );
  }
});

test('each example has the value that it says', async () => {
  const examples = functions.flatMap((row) => row.examples);
  const results = await evaluated(examples.map(([expression]) => expression));
  for (const [index, [expression, value]] of examples.entries()) {
    const expected = value.startsWith('error: ') ? value : JSON.parse(value);
    assert.equal(results[index], expected, expression);
  }
});

test('each overload has an implementation', async () => {
  const calls = functions.flatMap(({ name, overloads }) => overloads.map((overload) => callOf(name, overload)));
  const results = await evaluated(calls);
  for (const [index, call] of calls.entries()) {
    const result = results[index];
    const isRefused =
      typeof result === 'string' && /^error: (no such overload|found no matching overload)/.test(result);
    assert.not.ok(isRefused, `${call}: ${result}`);
  }
});

function callOf(name: string, { form, parameters }: Overload): string {
  const [receiver, ...rest] = parameters.map(sampleOf);
  return form === 'member'
    ? `${receiver}.${name}(${rest.join(', ')})`
    : `${name}(${parameters.map(sampleOf).join(', ')})`;
}

function sampleOf(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `[${sampleOf(type.element)}]`;
    case 'map':
      return `{"a": ${sampleOf(type.value)}}`;
    case 'optional':
      return `optional.of(${sampleOf(type.value)})`;
    default:
      return SAMPLES[printType(type)] ?? `no sample of ${printType(type)}`;
  }
}

const SAMPLES: { readonly [type: string]: string } = {
  bool: 'true',
  int: '1',
  uint: '1u',
  double: '1.5',
  // Not a literal, which the compiler would refuse where it is no address, format or the like.
  string: 'string(R.attr.text)',
  bytes: 'b"a"',
  timestamp: 'timestamp("2024-02-29T12:00:00Z")',
  duration: 'duration("90m")',
  dyn: 'dyn(1)',
  'authz.lib.hierarchy': 'hierarchy("a.b")',
  'net.IP': 'ip("10.0.0.1")',
  'net.CIDR': 'cidr("10.0.0.0/8")',
  'authz.lib.spiffeID': 'spiffeID("spiffe://example.org/a")',
  'authz.lib.spiffeTrustDomain': 'spiffeTrustDomain("example.org")',
  'authz.lib.spiffeMatcher': 'spiffeMatchAny()',
};

const ATTRIBUTES = {
  owner: 'bob',
  visibility: 'friends',
  friends: ['alice'],
  teams: ['blue'],
  size: 12,
  text: 'spiffe://a/b',
};

/** The values of expressions as outputs of a compiled policy, or `error: ` and the reason. */
async function evaluated(expressions: readonly string[]): Promise<readonly unknown[]> {
  const rules = expressions.map((expression, index) => ({
    name: `line${index}`,
    actions: ['evaluate'],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    output: { when: { ruleActivated: expression } },
  }));
  const compilation = compileRules('doc', rules);
  assert.equal(compilation.program === undefined ? compilation.diagnostics.map(({ message }) => message) : [], []);
  const { policies } = await loaded(compilation);
  const [result] = createEngine(policies).check({
    // The request of docs/conditions.md.
    principal: { id: 'alice', roles: ['user'], attr: { teams: ['red', 'blue'], level: 3 } },
    resources: [{ resource: { kind: 'doc', id: '1', attr: ATTRIBUTES }, actions: ['evaluate'] }],
  });
  const outputs = new Map(result?.outputs.map((output) => [output.src.split('#')[1], output]));
  return expressions.map((_, index) => {
    const output = outputs.get(`line${index}`);
    if (output === undefined) return undefined;
    return 'val' in output ? JSON.parse(JSON.stringify(output.val)) : `error: ${output.error}`;
  });
}

test.run();
