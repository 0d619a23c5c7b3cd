import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { printType } from '../../packages/cel/library/types.js';
import { parseCel } from '../../packages/cel/parse/index.js';
import { checkExpression } from '../../packages/cel/check/check-expression.js';
import { policyEnvironment } from '../../packages/cel/check/environment.js';
import { compileTexts, loaded, ROOT } from '../support/compiled.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { type Section, type SpecTest, specSections } from './spec/spec-tests.js';

// CEL's own conformance tests, run as compiled policies (docs/spec/conditions.md#conformance): every test that can be
// written as a policy.

const known = readKnownFailures(join(ROOT, 'tests', 'cel', 'spec-known-failures.txt'));
const test = suite('conformance tests of the CEL specification');

const sections = specSections();

/** The number of tests that run in each section. Tests that only an unchecked expression could pass do not count. */
const TOTALS: { readonly [section: string]: number } = {
  basic: 38,
  bindings_ext: 5,
  comparisons: 330,
  conversions: 109,
  encoders_ext: 4,
  fields: 55,
  fp_math: 30,
  integer_math: 64,
  lists: 39,
  logic: 25,
  macros: 44,
  macros2: 46,
  math_ext: 199,
  optionals: 59,
  parse: 176,
  plumbing: 5,
  string: 51,
  string_ext: 206,
  timestamps: 75,
  type_deductions: 9,
};

/** The number of tests in each section that cannot be written as a policy, by reason. */
const LEFT_OUT: { readonly [section: string]: { readonly [reason: string]: number } } = {
  basic: { 'a binding that is not a variable': 3 },
  block_ext: { 'cel.block': 36, 'a container': 1 },
  comparisons: { messages: 28, 'a container': 44 },
  dynamic: { messages: 55, 'a binding that is not a variable': 18, 'a container': 153 },
  enums: { 'a container': 82, 'a binding that is not a variable': 3 },
  fields: { 'a binding that is not a variable': 5 },
  namespace: { 'a binding that is not a variable': 1, 'a container': 2 },
  optionals: { 'a container': 11 },
  parse: { 'a container': 20, messages: 6 },
  proto2: { messages: 19, 'a container': 87, 'a binding that is not a variable': 2 },
  proto2_ext: { messages: 18 },
  proto3: { messages: 1, 'a container': 72, 'a binding that is not a variable': 2 },
  string_ext: { messages: 3 },
  timestamps: { 'a binding that is not a variable': 1 },
  type_deductions: { 'a type only': 12, 'a container': 7, declarations: 16, 'a binding that is not a variable': 3 },
  wrappers: { 'a container': 36 },
};

for (const section of sections.filter(({ tests }) => tests.length > 0)) {
  test(`section ${section.name}`, async () => {
    const problems = await problemsOf(section);
    const outcomes = [...problems].map(([id, problem]): Outcome => ({ id, problem }));
    settle(section.name, outcomes, known, TOTALS[section.name] ?? 0);
  });
}

test('every test that is left out has a known reason', () => {
  const leftOut = sections
    .filter((section) => section.leftOut.size > 0)
    .map((section) => [section.name, Object.fromEntries(section.leftOut)] as const);
  assert.equal(Object.fromEntries(leftOut), LEFT_OUT);
  assert.equal(
    sections.filter(({ tests }) => tests.length > 0).map(({ name }) => name),
    Object.keys(TOTALS),
  );
});

test.run();

/**
 * The failures of a section by id. All its tests compile as one set, a policy each. Tests that only an unchecked
 * expression could pass are not included.
 */
async function problemsOf({ tests }: Section): Promise<ReadonlyMap<string, string | undefined>> {
  const problems = new Map<string, string | undefined>();
  const texts = new Map<string, readonly [SpecTest, string]>();
  for (const [index, entry] of tests.entries()) {
    const refusal = refusalOf(questionOf(entry.expr, entry.expected));
    if (entry.expected.kind === 'type') problems.set(entry.id, staticProblem(entry.text, entry.expected.type));
    else if (refusal === undefined) texts.set(`${index}.yaml`, [entry, policyOf(entry, `t${index}`)]);
    else if (entry.expected.kind === 'failure') problems.set(entry.id, undefined);
    else if (!entry.unchecked) problems.set(entry.id, `${entry.expr} does not compile: ${refusal}`);
  }
  if (texts.size === 0) return problems;
  const engine = createEngine((await loaded(compileTexts(textsOf(texts)))).policies);
  for (const [path, [entry]] of texts) {
    const [result] = engine.check({
      principal: { id: 'alice', roles: ['user'], attr: {} },
      resources: [{ resource: { kind: `t${path.replace('.yaml', '')}`, id: 'r1', attr: {} }, actions: ['ask'] }],
    });
    const [output] = result?.outputs ?? [];
    problems.set(entry.id, problemOf(entry, output));
  }
  return problems;
}

function textsOf(texts: ReadonlyMap<string, readonly [SpecTest, string]>): { readonly [path: string]: string } {
  return Object.fromEntries([...texts].map(([path, [, text]]) => [path, text]));
}

function problemOf(
  { expr, expected }: SpecTest,
  output: { readonly val?: unknown; readonly error?: string } | undefined,
): string | undefined {
  if (output === undefined) return `${expr}: no output`;
  if (expected.kind === 'failure')
    return output.error === undefined
      ? `${expr}: a failure was expected, got ${JSON.stringify(output.val)}`
      : undefined;
  if (expected.kind === 'type' || JSON.stringify(output.val) === '[true,true]') return undefined;
  return `${expr}: ${expected.text} of type ${expected.type} expected, got ${output.error ?? JSON.stringify(output.val)}`;
}

function refusalOf(text: string): string | undefined {
  const { ast, errors } = parseCel(text);
  const problems = ast === undefined ? errors : checkExpression(ast, policyEnvironment).problems;
  return problems.length === 0 ? undefined : problems.map(({ message }) => message).join(', ');
}

function staticProblem(text: string, expected: string): string | undefined {
  const { ast } = parseCel(text);
  if (ast === undefined) return `${text} does not parse`;
  const { type, problems } = checkExpression(ast, policyEnvironment);
  if (problems.length > 0) return `${text}: ${problems.map(({ message }) => message).join(', ')}`;
  return printType(type) === expected ? undefined : `${text}: ${expected} expected, not ${printType(type)}`;
}

/**
 * A policy with one output: whether the value equals the recorded one and has its type. A comment at the end of an
 * expression ends with its line.
 */
function policyOf({ expr, variables, expected }: SpecTest, resource: string): string {
  const document = JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource,
      version: 'default',
      variables: { local: variables },
      rules: [
        {
          actions: ['ask'],
          effect: 'EFFECT_ALLOW',
          roles: ['*'],
          output: { when: { ruleActivated: questionOf(expr, expected) } },
        },
      ],
    },
  });
  // YAML allows no raw control character, and JSON leaves some unescaped.
  return document.replace(/[\u007f-\u009f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function questionOf(expr: string, expected: SpecTest['expected']): string {
  if (expected.kind !== 'value') return `[${expr}\n].size() == 1`;
  const isSame = expected.text === 'double("NaN")' ? 'math.isNaN(value_)' : `dyn(value_) == dyn(${expected.text})`;
  return `cel.bind(value_, ${expr}\n, [${isSame}, type(value_) == ${expected.type}])`;
}
