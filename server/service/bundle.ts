import type { EngineOptions, EnginePart } from '../../runtime/engine/index.js';
import type { CompiledBundle, Explainer } from '../../runtime/engine/parts.js';
import type { TracedBundle } from '../../runtime/policy/index.js';
import type { Manifest, Verified } from '../../packages/bundle/index.js';

/** Where a bundle comes from, and the worth of its signatures. */
export interface Provenance {
  /**
   * SHA-256, hexadecimal: of the manifest if the bundle came in an archive, which covers its files; else of the text.
   * Different files may contain the same policies; those with the same digest are equal.
   */
  readonly digest: string;
  /** What the archive says about the bundle; undefined if it did not come in one. */
  readonly manifest?: Manifest | undefined;
  /** What its signatures are worth; undefined if no keys are configured. */
  readonly verified?: Verified | undefined;
}

/** The exports of a compiled bundle. */
export interface Bundle {
  readonly policies: CompiledBundle;
  /** Absent for policies that were compiled in this process. */
  readonly provenance?: Provenance;
  /** Loads the conditions again in a form that distinguishes errors from false: strict evaluation needs it. */
  readonly traced?: () => Promise<TracedBundle>;
  /** Creates an engine that explains its decisions, if the bundle was compiled for that. */
  readonly explainer?: (options: EngineOptions) => Promise<Explainer>;
  /** Loads the part of an engine that plans which principals may do something, if the bundle was compiled to explain. */
  readonly subjects?: () => Promise<EnginePart>;
  /** Loads the texts of policies and schemas by path, if the bundle was compiled to explain. */
  readonly policyTexts?: () => Promise<PolicyTexts>;
  /** Loads the policy documents for the admin API, if the bundle was compiled to explain. */
  readonly policyDocuments?: () => Promise<PolicyDocuments>;
  /** The patterns that automata match because the regular expressions of this process are incorrect. */
  readonly patternsFailedOnHost?: () => readonly string[];
}

/** Texts by path below the folder of the policies; schemas are below `_schemas`. */
export type PolicyTexts = readonly (readonly [path: string, text: string])[];

/**
 * Policy documents by which the admin API finds them. `json` is the text of a PolicyDocument: it is parsed for the few
 * that a caller asks for.
 */
export type PolicyDocuments = readonly {
  readonly id: string;
  /** The kind of resource, the principal, the role, or the name of the set. */
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly json: string;
}[];
