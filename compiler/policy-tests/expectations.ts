import { InvalidSuite } from './invalid-suite.js';
import { sameJson } from './same-json.js';
import type { Names } from './names-in-suite.js';
import type { EffectName, Expectation, ExpectedOutput, Test } from './suite.js';

/** What is expected of one pair of principal and resource. */
export interface PairExpectation {
  /** An action that is not in it is expected to be denied. */
  readonly actions: ReadonlyMap<string, EffectName>;
  /** By action, then by source. */
  readonly outputs: ReadonlyMap<string, ReadonlyMap<string, ExpectedOutput>>;
}

/** What a test expects of a pair, by their keys; undefined where it does not speak of it. */
export type Expectations = (principal: string, resource: string) => PairExpectation | undefined;

/**
 * Merges what a test expects, per pair (server.md 7.4.5). Throws an InvalidSuite for expectations that contradict each other, or that are about actions or
 * pairs which the test does not ask for.
 *
 * @param asked the keys of principals and resources that the test asks for.
 */
export function mergeExpectations({ expected, input }: Test, names: Names, asked: { readonly principals: readonly string[]; readonly resources: readonly string[] }): Expectations {
  const principals = new Set(asked.principals);
  const resources = new Set(asked.resources);
  const merged = new Map<string, Merged>();
  for (const expectation of expected) {
    requireActions(expectation, input.actions);
    for (const principal of names.principals(expectation.principals)) {
      for (const resource of names.resources(expectation.resources)) {
        if (!principals.has(principal) || !resources.has(resource)) throw notAsked(principal, resource);
        const key = keyOf(principal, resource);
        const pair = merged.get(key) ?? { principal, resource, actions: new Map(), outputs: new Map() };
        merged.set(key, pair);
        merge(pair, expectation);
      }
    }
  }
  return (principal, resource) => merged.get(keyOf(principal, resource));
}

interface Merged {
  readonly principal: string;
  readonly resource: string;
  readonly actions: Map<string, EffectName>;
  readonly outputs: Map<string, Map<string, ExpectedOutput>>;
}

function keyOf(principal: string, resource: string): string {
  return JSON.stringify([principal, resource]);
}

function requireActions({ actions, outputs }: Expectation, asked: readonly string[]): void {
  const strangers = (named: Iterable<string>): string => [...new Set(named)].filter((action) => !asked.includes(action)).sort().join(',');
  const ofActions = strangers(actions.keys());
  if (ofActions !== '') throw new InvalidSuite(`found expectations for actions that do not exist in the input actions list: [${ofActions}]`);
  const ofOutputs = strangers(outputs.map(({ action }) => action));
  if (ofOutputs !== '') throw new InvalidSuite(`found output expectations for actions that are not in the input actions list: [${ofOutputs}]`);
}

function notAsked(principal: string, resource: string): InvalidSuite {
  return new InvalidSuite(
    `found an expectation for principal ${JSON.stringify(principal)} and resource ${JSON.stringify(resource)}, but at least one of these is not present in input`,
  );
}

function merge({ principal, resource, actions, outputs }: Merged, expectation: Expectation): void {
  const about = (action: string): string =>
    `principal ${JSON.stringify(principal)} performing action ${JSON.stringify(action)} on resource ${JSON.stringify(resource)}`;
  for (const [action, effect] of expectation.actions) {
    if ((actions.get(action) ?? effect) !== effect) throw new InvalidSuite(`found inconsistent expectations for ${about(action)}`);
    actions.set(action, effect);
  }
  for (const output of expectation.outputs) {
    const { action, src, val } = output;
    const bySource = outputs.get(action) ?? new Map<string, ExpectedOutput>();
    outputs.set(action, bySource);
    const earlier = bySource.get(src);
    if (earlier !== undefined && !sameJson(earlier.val, val)) {
      throw new InvalidSuite(`found inconsistent expectations for output ${JSON.stringify(src)} from ${about(action)}`);
    }
    bySource.set(src, output);
  }
}
