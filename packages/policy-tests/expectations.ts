import { adviseNames, didYouMean } from '../cel/check/did-you-mean.js';
import type { Located, Place } from '../../compiler/diagnostics/span.js';
import { InvalidSuite } from './invalid-suite.js';
import { sameJson } from './same-json.js';
import type { Names } from './names-in-suite.js';
import type { Expectation, ExpectedOutput, Test, TestEffect, TestInput } from './suite.js';

/** The expectations for one pair of principal and resource. */
export interface PairExpectation {
  /** Actions that are not listed are expected to be denied. */
  readonly actions: ReadonlyMap<string, TestEffect>;
  /** Outputs by action, then by source. */
  readonly outputs: ReadonlyMap<string, ReadonlyMap<string, ExpectedOutput>>;
}

/** The expectations of a test for each pair, by their keys; undefined for pairs that it does not mention. */
export type Expectations = (principal: string, resource: string) => PairExpectation | undefined;

/**
 * Merges the expectations of a test, per pair (docs/spec/server.md#how-tests-run). Throws an InvalidSuite for
 * expectations that contradict each other, or that concern actions or pairs that are not in the input of the test.
 *
 * @param asked the keys of principals and resources in the input of the test.
 */
export function mergeExpectations(
  { expected, input }: Test,
  names: Names,
  asked: { readonly principals: readonly string[]; readonly resources: readonly string[] },
): Expectations {
  const principals = new Set(asked.principals);
  const resources = new Set(asked.resources);
  const merged = new Map<string, Merged>();
  for (const expectation of expected) {
    requireActions(expectation, input.actions);
    for (const principal of names.principals(expectation.principals)) {
      for (const resource of names.resources(expectation.resources)) {
        if (!principals.has(principal))
          throw notAsked('principal', { principal, resource }, { expectation, input, names, asked: principals });
        if (!resources.has(resource))
          throw notAsked('resource', { principal, resource }, { expectation, input, names, asked: resources });
        const key = makeKey(principal, resource);
        const pair = merged.get(key) ?? { principal, resource, actions: new Map(), outputs: new Map() };
        merged.set(key, pair);
        merge(pair, expectation);
      }
    }
  }
  return (principal, resource) => merged.get(makeKey(principal, resource));
}

interface Merged {
  readonly principal: string;
  readonly resource: string;
  readonly actions: Map<string, TestEffect>;
  readonly outputs: Map<string, Map<string, ExpectedOutput>>;
}

function makeKey(principal: string, resource: string): string {
  return JSON.stringify([principal, resource]);
}

function requireActions({ actions, outputs }: Expectation, asked: readonly string[]): void {
  requireAsked(
    [...actions].map(([value, { place }]) => ({ value, place })),
    asked,
    'found expectations for actions that do not exist in the input actions list',
  );
  requireAsked(
    outputs.map(({ action: value, place }) => ({ value, place })),
    asked,
    'found output expectations for actions that are not in the input actions list',
  );
}

function requireAsked(actions: readonly Located<string>[], asked: readonly string[], text: string): void {
  const unasked = actions.filter(({ value }) => !asked.includes(value));
  const [first] = unasked;
  if (first === undefined) return;
  const list = [...new Set(unasked.map(({ value }) => value))].sort().join(',');
  throw new InvalidSuite([{ text: `${text}: [${list}]`, place: first.place, notes: adviseNames(first.value, asked) }]);
}

interface Asking {
  readonly expectation: Expectation;
  readonly input: TestInput;
  readonly names: Names;
  readonly asked: ReadonlySet<string>;
}

/**
 * Messages point to the wrong name: the one without a fixture, which may be in the input, otherwise the one missing
 * from the input.
 */
function notAsked(
  what: 'principal' | 'resource',
  pair: { readonly principal: string; readonly resource: string },
  { expectation, input, names, asked }: Asking,
): InvalidSuite {
  const [principal, resource] = [JSON.stringify(pair.principal), JSON.stringify(pair.resource)];
  const text = `found an expectation for principal ${principal} and resource ${resource}, but at least one of these is not present in input`;
  const many = `${what}s` as const;
  const unknown = names.unknown(what, expectation[many]) ?? names.unknown(what, input[many]);
  if (unknown !== undefined) return new InvalidSuite([{ ...unknown, text, shown: unknown.text }]);
  const place: Place | undefined = (
    expectation[many].keys.find(({ value }) => value === pair[what]) ?? expectation[many].groups[0]
  )?.place;
  const shown = `found an expectation for ${what} ${JSON.stringify(pair[what])}, which is not present in \`input\``;
  return new InvalidSuite([{ text, shown, place, notes: didYouMean(pair[what], asked) }]);
}

function merge({ principal, resource, actions, outputs }: Merged, expectation: Expectation): void {
  const about = (action: string): string =>
    `principal ${JSON.stringify(principal)} performing action ${JSON.stringify(action)} on resource ${JSON.stringify(resource)}`;
  for (const [action, { value: effect, place }] of expectation.actions) {
    if ((actions.get(action) ?? effect) !== effect)
      throw new InvalidSuite([{ text: `found inconsistent expectations for ${about(action)}`, place }]);
    actions.set(action, effect);
  }
  for (const output of expectation.outputs) {
    const { action, place, src, val } = output;
    const bySource = outputs.get(action) ?? new Map<string, ExpectedOutput>();
    outputs.set(action, bySource);
    const earlier = bySource.get(src);
    if (earlier !== undefined && !sameJson(earlier.val, val)) {
      throw new InvalidSuite([
        { text: `found inconsistent expectations for output ${JSON.stringify(src)} from ${about(action)}`, place },
      ]);
    }
    bySource.set(src, output);
  }
}
