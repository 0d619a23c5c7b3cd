import type { AuxDataInput, PrincipalInput, ResourceInput } from '../../runtime/engine/index.js';
import type { Attributes, Instant } from '../../runtime/policy/index.js';
import type { JsonValue } from '../../compiler/ast/policy.js';
import type { Located, Place } from '../../compiler/diagnostics/span.js';
import type { UnknownFacts } from './unknown-facts.js';

/**
 * A test suite as its author wrote it (docs/spec/server.md#grammar-of-suites): its shape is checked, its names are not
 * resolved.
 */
export interface Suite extends Fixtures {
  readonly name: string;
  readonly description: string;
  readonly skip: boolean;
  readonly skipReason: string;
  /** Undefined if the suite has none, not even an empty map. */
  readonly options: TestOptions | undefined;
  readonly tests: readonly Test[];
}

/** The items that tests refer to by key, in a suite and in the fixture files. */
export interface Fixtures {
  readonly principals: ReadonlyMap<string, PrincipalInput>;
  readonly resources: ReadonlyMap<string, ResourceInput>;
  readonly auxData: ReadonlyMap<string, AuxDataInput>;
  /** Keys of principals, by group name. */
  readonly principalGroups: ReadonlyMap<string, readonly Located<string>[]>;
  readonly resourceGroups: ReadonlyMap<string, readonly Located<string>[]>;
}

export interface Test {
  readonly name: string;
  /** The location of its name. */
  readonly place: Place;
  readonly skip: boolean;
  readonly skipReason: string;
  /** These replace the options of the suite. */
  readonly options: TestOptions | undefined;
  /** The facts that the test does not know; empty if it knows all. */
  readonly unknown: UnknownFacts;
  readonly input: TestInput;
  readonly expected: readonly Expectation[];
}

/** A selection by keys and by groups. */
export interface Choice {
  readonly keys: readonly Located<string>[];
  readonly groups: readonly Located<string>[];
}

export interface TestInput {
  readonly principals: Choice;
  readonly resources: Choice;
  readonly actions: readonly string[];
  /** Undefined if the test has none. */
  readonly auxData: Located<string> | undefined;
}

/** The expectations for some pairs of principal and resource. */
export interface Expectation {
  readonly principals: Choice;
  readonly resources: Choice;
  readonly actions: ReadonlyMap<string, Located<TestEffect>>;
  readonly outputs: readonly ExpectedOutput[];
}

export interface ExpectedOutput {
  readonly action: string;
  /** The location of the action. */
  readonly place: Place;
  readonly src: string;
  /** Undefined if the author left it out, which differs from null. */
  readonly val: JsonValue | undefined;
}

export type EffectName = 'EFFECT_ALLOW' | 'EFFECT_DENY';

/** The result for an action; `UNKNOWN` if it depends on unknown facts. */
export type TestEffect = EffectName | 'UNKNOWN';

/** The engine options of a test. Missing options have the engine's default. */
export interface TestOptions {
  readonly now: Instant | undefined;
  readonly defaultPolicyVersion: string | undefined;
  readonly defaultScope: string | undefined;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  readonly globals: Attributes;
}
