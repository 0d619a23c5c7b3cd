import type { AuxDataInput, PrincipalInput, ResourceInput } from '../../runtime/engine/index.js';
import type { JsonValue } from '../../compiler/ast/policy.js';
import type { Place } from '../../compiler/diagnostics/span.js';
import type { InvalidSuite } from './invalid-suite.js';
import type { TestEffect, TestOptions } from './suite.js';
import type { UnknownFacts } from './unknown-facts.js';

/** Test results (docs/spec/server.md#test-results). */
export interface TestResults {
  /** Sorted by file. */
  readonly suites: readonly SuiteResult[];
  readonly summary: Summary;
}

export interface SuiteResult {
  /** Relative to the folder of the tests. */
  readonly file: string;
  /** `Unknown` if the suite cannot be read. */
  readonly name: string;
  readonly description: string;
  readonly summary: Summary;
  /** Why the suite could not be run; undefined if it could. */
  readonly error: string | undefined;
  /** The same for people: the context, and each error with its location. */
  readonly invalid?: InvalidSuite;
  readonly skipReason: string;
  readonly cases: readonly CaseResult[];
}

/** A test, for one pair of principal and resource and one action. */
export interface CaseResult {
  readonly test: string;
  /** The location of the name of the test. */
  readonly place: Place;
  /** Keys of the fixtures. */
  readonly principal: string;
  readonly resource: string;
  readonly action: string;
  /** What the keys stand for. */
  readonly asked: Asked;
  readonly details: Details;
  /** How the decision was made, if known; only if traces are enabled. */
  readonly trace: Trace | undefined;
}

/** A pair of principal and resource, and the options that decide about it. Values of unknown facts are ignored. */
export interface Asked {
  readonly principal: PrincipalInput;
  readonly resource: ResourceInput;
  readonly auxData: AuxDataInput | undefined;
  readonly options: TestOptions;
  /** The facts that are not known; undefined or empty if all are. */
  readonly unknown?: UnknownFacts;
}

export type Details =
  | {
      readonly kind: 'passed';
      readonly effect: TestEffect;
      readonly outputs: readonly ProducedOutput[];
      readonly needs?: readonly string[];
    }
  | {
      readonly kind: 'failed';
      readonly expected: TestEffect;
      readonly actual: TestEffect;
      /** The unknown facts that the actual result depends on. */
      readonly needs?: readonly string[];
      readonly outputs: readonly UnmetOutput[];
      readonly explanation?: CaseExplanation;
    }
  /** The advice is for people: the error alone has Cerbos's words, and stands in machine-readable reports. */
  | { readonly kind: 'errored'; readonly error: string; readonly advice?: string }
  | {
      readonly kind: 'skipped';
      readonly reason: string;
      /** Excluded by a filter: not counted, and not shown in text reports. */
      readonly filtered: boolean;
    };

/** Why a failed test was decided so. */
export interface CaseExplanation {
  /** Lines for people; empty if there is no more to say. */
  readonly lines: readonly IndentedLine[];
  /** Data for programs: JSON. */
  readonly data: object;
}

/** A line of a tree. */
export interface IndentedLine {
  readonly depth: number;
  readonly text: string;
}

export type ProducedOutput = { readonly src: string; readonly action: string } & (
  | { readonly val: unknown }
  | { readonly error: string }
);

/** An error with its advice, as people read it. */
export function errorText({ error, advice }: { readonly error: string; readonly advice?: string }): string {
  return advice === undefined ? error : `${error}; ${advice}`;
}

/** An expected output that was missing or different. */
export type UnmetOutput = { readonly src: string; readonly expected: JsonValue | undefined } & (
  | { readonly kind: 'missing' }
  | { readonly kind: 'mismatched'; readonly actual: unknown }
  | { readonly kind: 'errored'; readonly error: string }
);

/** Outcomes in order of severity. */
export const OUTCOMES = ['skipped', 'passed', 'failed', 'errored'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Counts of actions. */
export interface Summary {
  /** The most severe result; undefined if there are none. */
  readonly overall: Outcome | undefined;
  /** Includes skipped ones, but not those excluded by filters. */
  readonly count: number;
  readonly counts: ReadonlyMap<Outcome, number>;
}

/** The engine's account of a decision. */
export interface Trace {
  readonly matchedPolicy: string;
  readonly matchedScope: string;
  readonly effectiveDerivedRoles: readonly string[];
  /** Conditions of the call that could not be evaluated. */
  readonly evaluationErrors: readonly {
    readonly policy: string;
    readonly rule: string;
    readonly expression: string;
    readonly message: string;
  }[];
  readonly validationErrors: readonly { readonly source: string; readonly path: string; readonly message: string }[];
}
