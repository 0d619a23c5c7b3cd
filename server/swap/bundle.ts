import type { PolicyBundle, TracedBundle } from '#runtime/policy';
import { ConfigError } from '../config/config-error.js';

/** What a compiled bundle exports. */
export interface Bundle {
  readonly policies: PolicyBundle;
  /** Loads the conditions again, telling an error from false: strict evaluation needs them. */
  readonly traced?: () => Promise<TracedBundle>;
}

/** Takes what a module exports for a bundle. Throws a ConfigError that says what is missing. */
export function bundleOf(exported: Exported, file: string): Bundle {
  const { policies, traced } = exported;
  const problem = problemOf(policies as Exported | null | undefined);
  if (problem !== undefined) throw new ConfigError(`is no compiled bundle: ${problem}`, file);
  return { policies: policies as PolicyBundle, ...(typeof traced === 'function' && { traced: traced as () => Promise<TracedBundle> }) };
}

/** What a module exports, by name. */
export type Exported = { readonly [name: string]: unknown };

const LISTS = ['resourcePolicies', 'principalPolicies', 'rolePolicies'];

function problemOf(policies: Exported | null | undefined): string | undefined {
  if (typeof policies !== 'object' || policies === null) return 'it exports no `policies`';
  const wrong = LISTS.find((list) => !Array.isArray(policies[list]));
  if (wrong !== undefined) return `its \`policies.${wrong}\` is no list`;
  return typeof policies['hash'] === 'string' ? undefined : 'its `policies.hash` is no text';
}
