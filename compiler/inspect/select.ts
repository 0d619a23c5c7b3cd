import { RE2JS, RE2JSException } from 're2js';
import type { InspectedPolicy } from './inspected-policy.js';

/** Which policies are asked for. */
export interface Selection {
  /** Ids; all policies when there are none. */
  readonly ids: readonly string[];
  readonly includeDisabled: boolean;
  /**
   * Regular expressions, found anywhere in the text; sets have neither version nor scope: theirs are the empty text.
   */
  readonly name: Pattern | undefined;
  readonly version: Pattern | undefined;
  readonly scope: Pattern | undefined;
}

/** A compiled regular expression of RE2, which takes linear time. */
export type Pattern = ReturnType<typeof RE2JS.compile>;

/** Compiles a regular expression; its problem as a text when it is none. */
export function patternOf(text: string): Pattern | { readonly problem: string } {
  try {
    return RE2JS.compile(text);
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: error.message };
    throw error;
  }
}

/** The policies of a selection, and the ids that no policy has. */
export function select(
  policies: readonly InspectedPolicy[],
  { ids, includeDisabled, name, version, scope }: Selection,
): { readonly selected: readonly InspectedPolicy[]; readonly unknown: readonly string[] } {
  const among = policies.filter(({ disabled }) => includeDisabled || !disabled);
  const wanted = new Set(ids);
  const finds = (pattern: Pattern | undefined, text: string): boolean =>
    pattern === undefined || pattern.matcher(text).find();
  return {
    selected: among
      .filter(({ policyId }) => wanted.size === 0 || wanted.has(policyId))
      .filter((policy) => finds(name, policy.name) && finds(version, policy.version) && finds(scope, policy.scope)),
    unknown: [...wanted].filter((id) => !among.some(({ policyId }) => policyId === id)),
  };
}
