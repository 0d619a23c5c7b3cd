import { join } from 'node:path';
import { suite } from 'uvu';
import { createEngine } from '#runtime/engine';
import { printType } from '../../compiler/cel/types.js';
import { parseCel } from '../../compiler/parse/cel/index.js';
import { checkExpression } from '../../compiler/validate/cel/check-expression.js';
import { policyEnvironment } from '../../compiler/validate/cel/environment.js';
import { compileTexts, loaded, ROOT } from '../support/compiled.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { type Section, type SpecTest, specSections } from './spec/spec-tests.js';

// CEL's own conformance tests, asked of compiled policies (conditions.md 8.4): every one that a policy can write.

const known = readKnownFailures(join(ROOT, 'tests', 'cel', 'spec-known-failures.txt'));
const test = suite('conformance tests of the CEL specification');

const sections = specSections();

for (const section of sections.filter(({ tests }) => tests.length > 0)) {
  test(`section ${section.name}`, async () => {
    const problems = await problemsOf(section);
    const outcomes = [...problems].map(([id, problem]): Outcome => ({ id, problem }));
    settle(section.name, outcomes, known);
  });
}

test('what is left out is left out for a reason', () => {
  const reasons = new Map<string, number>();
  for (const { leftOut } of sections) for (const [reason, count] of leftOut) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  console.log(`left out: ${[...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ')}`);
});

test.run();

/** Why tests of a section fail, by id: all of them are compiled as one set, a policy each. Not among them: those that only an unchecked expression could pass. */
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

function problemOf({ expr, expected }: SpecTest, output: { readonly val?: unknown; readonly error?: string } | undefined): string | undefined {
  if (output === undefined) return `${expr}: no output`;
  if (expected.kind === 'failure') return output.error === undefined ? `${expr}: a failure was expected, got ${JSON.stringify(output.val)}` : undefined;
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

/** A policy whose one output says whether the value equals the recorded one and is of its type. A comment at the end of an expression ends with its line. */
function policyOf({ expr, variables, expected }: SpecTest, resource: string): string {
  const document = JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource,
      version: 'default',
      variables: { local: variables },
      rules: [{ actions: ['ask'], effect: 'EFFECT_ALLOW', roles: ['*'], output: { when: { ruleActivated: questionOf(expr, expected) } } }],
    },
  });
  // YAML takes no bare control character, JSON leaves some bare.
  return document.replace(/[\u007f-\u009f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function questionOf(expr: string, expected: SpecTest['expected']): string {
  if (expected.kind !== 'value') return `[${expr}\n].size() == 1`;
  const isSame = expected.text === 'double("NaN")' ? 'math.isNaN(value_)' : `dyn(value_) == dyn(${expected.text})`;
  return `cel.bind(value_, ${expr}\n, [${isSame}, type(value_) == ${expected.type}])`;
}
