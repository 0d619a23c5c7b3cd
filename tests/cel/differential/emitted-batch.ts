import type { OutputValue, Request, Rule, TracedCondition } from '#runtime/policy';
import { compileTexts, loaded } from '../../support/compiled.js';
import { CONSTANTS, VARIABLES } from './random-expressions.js';

/** An expression as the compiler made it, in every form it has. */
export interface Emitted {
  readonly text: string;
  /** As the condition of a rule. */
  readonly holds: (request: Request) => boolean;
  /** Below `none`, so negated. */
  readonly holdsNot: (request: Request) => boolean;
  /** The second emission: a boolean, or the text of a failure. */
  readonly traced: TracedCondition;
  readonly output: (request: Request) => OutputValue;
}

/** Compiles expressions that the checker accepts as the rules of one policy, and loads them as a server would. */
export async function emittedBatch(texts: readonly string[]): Promise<readonly Emitted[]> {
  const { policies, traced } = await loaded(compileTexts({ 'batch.yaml': policyOf(texts) }));
  const [policy] = policies.resourcePolicies;
  const rules = new Map(policy?.actions.get('act')?.map((rule) => [rule.name, rule]));
  const { conditions } = await traced();
  const ruleOf = (name: string): Rule => rules.get(name) ?? never(name);
  return texts.map((text, index) => ({
    text,
    holds: (request) => ruleOf(`plain${index}`).when(request),
    holdsNot: (request) => ruleOf(`none${index}`).when(request),
    traced: conditions.get(`${policy?.key}#plain${index}`) ?? never(text),
    output: ruleOf(`plain${index}`).output?.ruleActivated ?? never(text),
  }));
}

function policyOf(texts: readonly string[]): string {
  const rule = { actions: ['act'], effect: 'EFFECT_ALLOW', roles: ['*'] };
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      variables: { local: VARIABLES },
      constants: { local: CONSTANTS },
      rules: texts.flatMap((expr, index) => [
        { ...rule, name: `plain${index}`, condition: { match: { expr } }, output: { when: { ruleActivated: expr } } },
        { ...rule, name: `none${index}`, condition: { match: { none: { of: [{ expr }] } } } },
      ]),
    },
  });
}

function never(what: string): never {
  throw new Error(`not emitted: ${what}`);
}
