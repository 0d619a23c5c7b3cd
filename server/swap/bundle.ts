import type { CompiledBundle } from '../../runtime/engine/parts.js';
import type { TracedBundle } from '../../runtime/policy/index.js';
import type { Exported } from '../../packages/bundle/index.js';
import { ConfigError } from '../config/config-error.js';
import type { Bundle } from '../service/bundle.js';

/** Treats the exports of a module as a bundle. Throws a ConfigError that lists what is missing. */
export function makeBundle(exported: Exported, file: string): Bundle {
  const { policies, traced, explainer, subjects, policyTexts, policyDocuments, patternsFailedOnHost } = exported;
  const problem = findProblem(policies as Exported | null | undefined);
  if (problem !== undefined) throw new ConfigError(`is not a compiled bundle: ${problem}`, file);
  return {
    policies: policies as CompiledBundle,
    ...(typeof traced === 'function' && { traced: traced as () => Promise<TracedBundle> }),
    ...(typeof explainer === 'function' && { explainer: explainer as Bundle['explainer'] & object }),
    ...(typeof subjects === 'function' && { subjects: subjects as Bundle['subjects'] & object }),
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

function findProblem(policies: Exported | null | undefined): string | undefined {
  if (typeof policies !== 'object' || policies === null) return 'it does not export `policies`';
  // Reading the lists of a bundle that makes policies on demand makes all of them.
  const { root = policies } = (policies as Partial<CompiledBundle>).scoped ?? {};
  const wrong = LISTS.find((list) => !Array.isArray((root as Exported)[list]));
  if (wrong !== undefined) return `its \`policies.${wrong}\` is not a list`;
  return typeof policies['hash'] === 'string' ? undefined : 'its `policies.hash` is not a string';
}
