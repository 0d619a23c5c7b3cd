import { type Expectations, mergeExpectations } from './expectations.js';
import type { Question } from './ask.js';
import type { Names } from './names-in-suite.js';
import type { Suite, Test, TestOptions } from './suite.js';

/** A pair of principal and resource that a test asks about, by their keys, with what they stand for. */
export interface Pair extends Pick<Question, 'auxData' | 'options'> {
  readonly test: Test;
  readonly principalKey: string;
  readonly resourceKey: string;
  readonly principal: Question['principal'];
  readonly resource: Question['resource'];
  readonly expected: ReturnType<Expectations>;
}

/**
 * The pairs of a test: all principals with all resources, principal by principal (docs/spec/server.md#how-tests-run).
 * Throws an InvalidSuite.
 */
export function pairsOf(test: Test, suite: Suite, names: Names): readonly Pair[] {
  const principals = names.principals(test.input.principals);
  const resources = names.resources(test.input.resources);
  const expectations = mergeExpectations(test, names, { principals, resources });
  const options = test.options ?? suite.options ?? DEFAULTS;
  return principals.flatMap((principalKey) =>
    resources.map((resourceKey) => ({
      test,
      principalKey,
      resourceKey,
      principal: names.principal(principalKey, test.input.principals),
      resource: names.resource(resourceKey, test.input.resources),
      auxData: test.input.auxData === undefined ? undefined : names.auxData(test.input.auxData),
      options,
      expected: expectations(principalKey, resourceKey),
    })),
  );
}

const DEFAULTS: TestOptions = {
  now: undefined,
  defaultPolicyVersion: undefined,
  defaultScope: undefined,
  lenientScopeSearch: false,
  strictEvaluation: false,
  globals: {},
};
