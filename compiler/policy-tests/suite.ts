import type { AuxDataInput, PrincipalInput, ResourceInput } from '#runtime/engine';
import type { Attributes, Instant } from '#runtime/policy';
import type { JsonValue } from '../ast/policy.js';
import type { Located, Place } from '../diagnostics/span.js';

/** A test suite as its author wrote it (docs/spec/server.md#grammar-of-suites): shape checked, names not looked up. */
export interface Suite extends Fixtures {
  readonly name: string;
  readonly description: string;
  readonly skip: boolean;
  readonly skipReason: string;
  /** Undefined where the suite has none, not even empty ones. */
  readonly options: TestOptions | undefined;
  readonly tests: readonly Test[];
}

/** What tests name by keys. In a suite and in the files beside it. */
export interface Fixtures {
  readonly principals: ReadonlyMap<string, PrincipalInput>;
  readonly resources: ReadonlyMap<string, ResourceInput>;
  readonly auxData: ReadonlyMap<string, AuxDataInput>;
  /** Keys of principals by the name of their group. */
  readonly principalGroups: ReadonlyMap<string, readonly Located<string>[]>;
  readonly resourceGroups: ReadonlyMap<string, readonly Located<string>[]>;
}

export interface Test {
  readonly name: string;
  readonly skip: boolean;
  readonly skipReason: string;
  /** They replace those of the suite as a whole. */
  readonly options: TestOptions | undefined;
  readonly input: TestInput;
  readonly expected: readonly Expectation[];
}

/** Some of many, by their keys and by their groups. */
export interface Choice {
  readonly keys: readonly Located<string>[];
  readonly groups: readonly Located<string>[];
}

export interface TestInput {
  readonly principals: Choice;
  readonly resources: Choice;
  readonly actions: readonly string[];
  /** Undefined where the test has none. */
  readonly auxData: Located<string> | undefined;
}

/** What is expected of some pairs of principal and resource. */
export interface Expectation {
  readonly principals: Choice;
  readonly resources: Choice;
  readonly actions: ReadonlyMap<string, Located<EffectName>>;
  readonly outputs: readonly ExpectedOutput[];
}

export interface ExpectedOutput {
  readonly action: string;
  /** Of the action. */
  readonly place: Place;
  readonly src: string;
  /** Undefined where the author left it out, which is not null. */
  readonly val: JsonValue | undefined;
}

export type EffectName = 'EFFECT_ALLOW' | 'EFFECT_DENY';

/** How the policies of a test are asked. What is absent is the engine's default. */
export interface TestOptions {
  readonly now: Instant | undefined;
  readonly defaultPolicyVersion: string | undefined;
  readonly defaultScope: string | undefined;
  readonly lenientScopeSearch: boolean;
  readonly strictEvaluation: boolean;
  readonly globals: Attributes;
}
