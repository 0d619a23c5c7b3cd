import type { PolicyBundle, TracedBundle } from '#runtime/policy';
import { ConfigError } from '../config/config-error.js';

/** What a compiled bundle exports. */
export interface Bundle {
  readonly policies: PolicyBundle;
  /** Loads the conditions again in a form that distinguishes errors from false: strict evaluation needs it. */
  readonly traced?: () => Promise<TracedBundle>;
  /** The patterns that RE2 handles because the regular expressions of this process are incorrect. */
  readonly patternsLeftToRe2?: () => readonly string[];
}

/** Treats the exports of a module as a bundle. Throws a ConfigError that lists what is missing. */
export function bundleOf(exported: Exported, file: string): Bundle {
  const { policies, traced, patternsLeftToRe2 } = exported;
  const problem = problemOf(policies as Exported | null | undefined);
  if (problem !== undefined) throw new ConfigError(`is not a compiled bundle: ${problem}`, file);
  return {
    policies: policies as PolicyBundle,
    ...(typeof traced === 'function' && { traced: traced as () => Promise<TracedBundle> }),
    ...(typeof patternsLeftToRe2 === 'function' && { patternsLeftToRe2: patternsLeftToRe2 as () => readonly string[] }),
  };
}

/** The exports of a module, by name. */
export type Exported = { readonly [name: string]: unknown };

const LISTS = ['resourcePolicies', 'principalPolicies', 'rolePolicies'];

function problemOf(policies: Exported | null | undefined): string | undefined {
  if (typeof policies !== 'object' || policies === null) return 'it does not export `policies`';
  const wrong = LISTS.find((list) => !Array.isArray(policies[list]));
  if (wrong !== undefined) return `its \`policies.${wrong}\` is not a list`;
  return typeof policies['hash'] === 'string' ? undefined : 'its `policies.hash` is not a string';
}
