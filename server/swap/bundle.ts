import type { EngineOptions } from '#runtime/engine';
import type { CompiledBundle, Explainer } from '#runtime/parts';
import type { TracedBundle } from '#runtime/policy';
import type { Exported } from '../../archive/index.js';
import type { Provenance } from '../bundle/provenance.js';
import { ConfigError } from '../config/config-error.js';

/** What a compiled bundle exports. */
export interface Bundle {
  readonly policies: CompiledBundle;
  /** Absent for policies that were compiled in this process. */
  readonly provenance?: Provenance;
  /** Loads the conditions again in a form that distinguishes errors from false: strict evaluation needs it. */
  readonly traced?: () => Promise<TracedBundle>;
  /** Creates an engine that explains its decisions, if the bundle was compiled for that. */
  readonly explainer?: (options: EngineOptions) => Promise<Explainer>;
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

/** Treats the exports of a module as a bundle. Throws a ConfigError that lists what is missing. */
export function bundleOf(exported: Exported, file: string): Bundle {
  const { policies, traced, explainer, policyTexts, policyDocuments, patternsFailedOnHost } = exported;
  const problem = problemOf(policies as Exported | null | undefined);
  if (problem !== undefined) throw new ConfigError(`is not a compiled bundle: ${problem}`, file);
  return {
    policies: policies as CompiledBundle,
    ...(typeof traced === 'function' && { traced: traced as () => Promise<TracedBundle> }),
    ...(typeof explainer === 'function' && { explainer: explainer as Bundle['explainer'] & object }),
    ...(typeof policyTexts === 'function' && { policyTexts: policyTexts as Bundle['policyTexts'] & object }),
    ...(typeof policyDocuments === 'function' && {
      policyDocuments: policyDocuments as Bundle['policyDocuments'] & object,
    }),
    ...(typeof patternsFailedOnHost === 'function' && {
      patternsFailedOnHost: patternsFailedOnHost as () => readonly string[],
    }),
  };
}

const LISTS = ['resourcePolicies', 'principalPolicies', 'rolePolicies'];

function problemOf(policies: Exported | null | undefined): string | undefined {
  if (typeof policies !== 'object' || policies === null) return 'it does not export `policies`';
  // Reading the lists of a bundle that makes policies on demand makes all of them.
  const { root = policies } = (policies as Partial<CompiledBundle>).scoped ?? {};
  const wrong = LISTS.find((list) => !Array.isArray((root as Exported)[list]));
  if (wrong !== undefined) return `its \`policies.${wrong}\` is not a list`;
  return typeof policies['hash'] === 'string' ? undefined : 'its `policies.hash` is not a string';
}
