import type { OutputValue, Request, Rule, TracedCondition } from '../../../runtime/policy/index.js';
import { compileTexts, loaded } from '../../support/compiled.js';
import { CONSTANTS, VARIABLES } from '../../support/cel/differential/random-expressions.js';
import { matchDocument, type RandomMatch } from './random-match.js';

/** An expression in every form that the compiler emits. */
export interface Emitted {
  readonly text: string;
  /** As the condition of a rule. */
  readonly holds: (request: Request) => boolean;
  /** Below `none`, so negated. */
  readonly holdsNot: (request: Request) => boolean;
  /** The traced emission: a boolean, or the message of a failure. */
  readonly traced: TracedCondition;
  readonly output: (request: Request) => OutputValue;
}

/** A tree of expressions as compiled. */
export type EmittedMatch = Pick<Emitted, 'holds' | 'traced'>;

export interface Batch {
  readonly expressions: readonly Emitted[];
  readonly matches: readonly EmittedMatch[];
}

/**
 * Compiles expressions that the checker accepts, and trees of them, as the rules of one policy, and loads the policy as
 * a server would.
 */
export async function emittedBatch(texts: readonly string[], trees: readonly RandomMatch[]): Promise<Batch> {
  const { policies, traced } = await loaded(compileTexts({ 'batch.yaml': policyOf(texts, trees) }));
  const [policy] = policies.resourcePolicies;
  const rules = new Map(policy?.rules.map((rule) => [rule.name, rule]));
  const { conditions } = await traced();
  const ruleOf = (name: string): Rule => rules.get(name) ?? never(name);
  const tracedOf = (name: string): TracedCondition => conditions.get(`${policy?.key}#${name}`) ?? never(name);
  const expressions = texts.map(
    (text, index): Emitted => ({
      text,
      holds: (request) => ruleOf(`plain${index}`).when?.(request) ?? true,
      holdsNot: (request) => ruleOf(`none${index}`).when?.(request) ?? true,
      traced: tracedOf(`plain${index}`),
      output: ruleOf(`plain${index}`).output?.ruleActivated ?? never(text),
    }),
  );
  const matches = trees.map(
    (_, index): EmittedMatch => ({
      holds: (request) => ruleOf(`tree${index}`).when?.(request) ?? true,
      traced: tracedOf(`tree${index}`),
    }),
  );
  return { expressions, matches };
}

function policyOf(texts: readonly string[], trees: readonly RandomMatch[]): string {
  const rule = { actions: ['act'], effect: 'EFFECT_ALLOW', roles: ['*'] };
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      variables: { local: VARIABLES },
      constants: { local: CONSTANTS },
      rules: [
        ...texts.flatMap((expr, index) => [
          { ...rule, name: `plain${index}`, condition: { match: { expr } }, output: { when: { ruleActivated: expr } } },
          { ...rule, name: `none${index}`, condition: { match: { none: { of: [{ expr }] } } } },
        ]),
        ...trees.map((tree, index) => ({
          ...rule,
          name: `tree${index}`,
          condition: { match: matchDocument(tree, texts) },
        })),
      ],
    },
  });
}

function never(what: string): never {
  throw new Error(`not emitted: ${what}`);
}
