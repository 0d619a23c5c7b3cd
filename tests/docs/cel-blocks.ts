import { type CheckRequest, createEngine } from '../../runtime/engine/index.js';
import { parse } from 'yaml';
import { compileTexts, loaded } from '../support/compiled.js';
import { type Block, titleOf } from '../support/docs/blocks.js';
import { difference } from '../support/docs/expected.js';

/** A line of a block of expressions: `size("abc")  // => 3`. */
const LINE = /^(.*?)\s+\/\/ => (.*)$/;

/**
 * Evaluates the expressions of blocks, each as the output of a rule, with the whole pipeline, all at once. `error: `
 * before the value marks the message of a failure.
 * @param request the block with the principal and the resource.
 */
export async function runExpressions(blocks: readonly Block[], request: Block | undefined): Promise<readonly string[]> {
  const lines = blocks.flatMap((block) => shownLines(block));
  const silent = lines.filter(({ value }) => value === undefined);
  if (silent.length > 0)
    return silent.map(({ title, expression }) => `${title}: \`${expression}\` shows no value: \`  // => value\``);
  const compilation = compileTexts({ 'expressions.yaml': policyOf(lines.map(({ expression }) => expression)) });
  if (compilation.program === undefined)
    return compilation.diagnostics.map(({ message }) => `${blocks[0]?.place}: ${message}`);
  const { policies } = await loaded(compilation);
  const [result] = createEngine(policies).check(requestOf(request));
  const outputs = new Map(result?.outputs.map((output) => [output.src.split('#')[1], output]));
  return lines.flatMap(({ title, expression, value = '' }, index) => {
    const output = outputs.get(`line${index}`);
    const actual = output === undefined ? undefined : 'val' in output ? output.val : `error: ${output.error}`;
    const problem = difference(JSON.parse(JSON.stringify(actual ?? null)), valueOf(value));
    return problem === undefined ? [] : [`${title}: \`${expression}\`: ${problem}`];
  });
}

interface ShownLine {
  readonly title: string;
  readonly expression: string;
  /** Absent when the line shows no value. */
  readonly value?: string | undefined;
}

function shownLines(block: Block): readonly ShownLine[] {
  const lines = block.text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('//'));
  return lines.map((line) => ({
    title: titleOf(block),
    expression: LINE.exec(line)?.[1] ?? line,
    value: LINE.exec(line)?.[2],
  }));
}

function valueOf(text: string): unknown {
  return text.startsWith('error: ') ? text : JSON.parse(text);
}

function policyOf(expressions: readonly string[]): string {
  const rules = expressions.map((expression, index) => ({
    name: `line${index}`,
    actions: ['evaluate'],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    output: { when: { ruleActivated: expression } },
  }));
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'album', version: 'default', rules },
  });
}

function requestOf(block: Block | undefined): CheckRequest {
  const { principal, resource, auxData } = (block === undefined ? {} : parse(block.text)) as {
    readonly principal?: CheckRequest['principal'];
    readonly resource?: CheckRequest['resources'][number]['resource'];
    readonly auxData?: CheckRequest['auxData'];
  };
  return {
    principal: principal ?? { id: 'alice', roles: ['user'] },
    resources: [{ resource: resource ?? { kind: 'album', id: 'a1' }, actions: ['evaluate'] }],
    auxData,
  };
}
