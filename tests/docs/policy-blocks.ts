import { createEngine, type CheckRequest, type EngineOptions } from '../../runtime/engine/index.js';
import { ALLOW } from '../../runtime/policy/index.js';
import { parse } from 'yaml';
import { type Compilation, compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { loaded } from '../support/compiled.js';
import { type Block, titleOf } from '../support/docs/blocks.js';
import { difference } from '../support/docs/expected.js';

/**
 * Tests the policies, schemas and checks under one heading: they compile together without a warning, and decide as the
 * page says. Returns the problems.
 */
export async function runPolicies(blocks: readonly Block[]): Promise<readonly string[]> {
  const alone = blocks.filter(({ words }) => words.has('policy-error') || words.has('policy-warning'));
  const policies = blocks.filter(({ words }) => words.has('policy'));
  const checks = blocks.filter(({ words }) => words.has('check'));
  const problems = alone.flatMap((block) => problemsOfMistake(block, schemasOf(blocks)));
  if (policies.length === 0)
    return [...problems, ...checks.map((block) => `${titleOf(block)}: there is no policy below this heading`)];
  const compilation = compiled(policies, schemasOf(blocks));
  if (compilation.diagnostics.length > 0)
    return [...problems, `${titleOf(policies[0] as Block)}: ${messagesOf(compilation)}`];
  return [...problems, ...(await Promise.all(checks.map((block) => problemsOfChecks(block, compilation)))).flat()];
}

/** A check as a page writes it: principal, resource, allowed and denied actions, and other expected fields. */
interface ShownCheck {
  readonly engine?: Omit<EngineOptions, 'traced'>;
  readonly principal: CheckRequest['principal'];
  readonly resource: CheckRequest['resources'][number]['resource'];
  readonly auxData?: CheckRequest['auxData'];
  readonly allowed?: readonly string[];
  readonly denied?: readonly string[];
  readonly outputs?: readonly unknown[];
  readonly derivedRoles?: readonly string[];
  readonly matchedPolicy?: string;
  readonly validationErrors?: readonly unknown[];
}

async function problemsOfChecks(block: Block, compilation: Compilation): Promise<readonly string[]> {
  const parsed = parse(block.text) as ShownCheck | readonly ShownCheck[];
  const { policies, traced } = await loaded(compilation);
  const tracedBundle = await traced();
  return [parsed].flat().flatMap((shown, index) => {
    const {
      engine: options,
      principal,
      resource,
      auxData,
      allowed = [],
      denied = [],
      ...expected
    } = shown as ShownCheck;
    const engine = createEngine(policies, { ...options, traced: tracedBundle });
    const [result] = engine.check({
      principal,
      resources: [{ resource, actions: [...allowed, ...denied] }],
      auxData,
      includeMeta: true,
    });
    if (result === undefined) return [`${titleOf(block)}: no result`];
    const actual = {
      allowed: result.actions.filter(({ effect }) => effect === ALLOW).map(({ action }) => action),
      outputs: result.outputs.map((output) => ('val' in output ? output.val : { error: output.error })),
      derivedRoles: result.effectiveDerivedRoles,
      matchedPolicy: result.actions[0]?.matchedPolicy,
      validationErrors: result.validationErrors,
    };
    const wanted = { allowed, ...expected };
    const seen = Object.fromEntries(Object.keys(wanted).map((name) => [name, actual[name as keyof typeof actual]]));
    const problem = difference(seen, wanted);
    return problem === undefined ? [] : [`${titleOf(block)}: check ${index + 1}: ${problem}`];
  });
}

function problemsOfMistake(block: Block, schemas: ReadonlyMap<string, string>): readonly string[] {
  const compilation = compiled([block], schemas);
  const refused = block.words.has('policy-error');
  const code = block.words.get(refused ? 'policy-error' : 'policy-warning');
  if (refused !== (compilation.program === undefined))
    return [`${titleOf(block)}: it ${refused ? 'compiles' : `does not compile: ${messagesOf(compilation)}`}`];
  return compilation.diagnostics.some((diagnostic) => diagnostic.code === code)
    ? []
    : [`${titleOf(block)}: what is said is ${messagesOf(compilation)}`];
}

function compiled(blocks: readonly Block[], schemaTexts: ReadonlyMap<string, string>): Compilation {
  return compile(
    blocks.map(({ place, text }) => new Source(`${place.replaceAll(/[^\w.]/g, '_')}.yaml`, text)),
    new Diagnostics(),
    { schemaTexts },
  );
}

function schemasOf(blocks: readonly Block[]): ReadonlyMap<string, string> {
  return new Map(
    blocks.filter(({ words }) => words.has('schema')).map(({ words, text }) => [words.get('schema') as string, text]),
  );
}

function messagesOf({ diagnostics }: Compilation): string {
  return diagnostics.map(({ code, message }) => `[${code}] ${message}`).join('; ');
}
