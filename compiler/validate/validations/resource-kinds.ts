import { literalOrGlob } from '../../../runtime/policy/index.js';
import type { Types } from '../../ast/checked.js';
import { withoutSeparators } from '../kind-patterns.js';
import { sanitize } from '../../ast/names.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Details } from '../../diagnostics/diagnostic.js';
import { didYouMean } from '../../../packages/cel/check/did-you-mean.js';
import type { Problems } from '../../diagnostics/problems.js';
import { findPrefix } from '../../globs/text-index.js';

/**
 * Warns about resources in role policies that no request matches, because they are compared as written with kinds whose
 * separators have become `_` (docs/spec/policy-language.md#sanitized-names), and about resources without a resource
 * policy, because a role policy only narrows access (docs/spec/policy-language.md#role-policies).
 */
export function warnOfRoleResources(policies: PolicySet, _types: Types, report: Problems): void {
  const kinds = new KnownKinds(listResourceKinds(policies));
  for (const linked of policies.policies) {
    if (linked.kind !== 'role') continue;
    for (const { resource } of linked.policy.rules) {
      const verdict = verdictOn(resource.value, kinds);
      if (verdict === undefined) continue;
      const { reason, ...details } = verdict;
      report.add('role-policy/never-matches', resource.place, { resource: resource.value, reason }, details);
    }
  }
}

interface Verdict extends Pick<Details, 'notes' | 'hints' | 'withoutHints'> {
  readonly reason: string;
}

function verdictOn(resource: string, kinds: KnownKinds): Verdict | undefined {
  if (kinds.mayMatch(resource)) return undefined;
  if (resource.includes('*') ? needsSeparator(resource) : sanitize(resource) !== resource) {
    return {
      reason: 'kinds are looked up with `_` in place of `:`, `@`, `-` and `/`',
      notes: [{ message: `write \`${withoutSeparators(resource)}\`` }],
    };
  }
  if (resource.includes('*')) return undefined;
  const suggestion = {
    message: 'correct the name, or add the resource policy: a role policy only narrows what resource policies allow',
  };
  return {
    reason: 'no resource policy has this kind',
    hints: () => didYouMean(resource, kinds.sorted),
    withoutHints: [suggestion],
  };
}

/** The maximum total number of comparisons of globs with kinds; further globs are not reported. */
const MOST_TRIES = 100_000;

/**
 * The kinds of resource policies. There may be thousands of kinds and of globs, so a glob is compared only with kinds
 * that begin with its literal prefix.
 */
class KnownKinds {
  private readonly names: ReadonlySet<string>;
  private tries = 0;

  constructor(readonly sorted: readonly string[]) {
    this.names = new Set(sorted);
  }

  /** Whether one of the kinds matches; also true if that is unknown. */
  mayMatch(resource: string): boolean {
    if (!resource.includes('*')) return this.names.has(resource);
    const prefix = findPrefix(resource) ?? resource;
    const matches = literalOrGlob(resource);
    for (let at = this.firstFrom(prefix); this.sorted[at]?.startsWith(prefix) === true; at += 1) {
      this.tries += 1;
      if (this.tries > MOST_TRIES || matches(this.sorted[at] as string)) return true;
    }
    return false;
  }

  /** The index of the first kind that does not sort before the string. */
  private firstFrom(text: string): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.sorted[middle] as string) < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Warns about resource globs in principal policies with a separator that kinds lose in lookups
 * (docs/spec/policy-language.md#sanitized-names).
 */
export function warnOfPrincipalResources(policies: PolicySet, _types: Types, report: Problems): void {
  const kinds = listResourceKinds(policies);
  for (const linked of policies.policies) {
    if (linked.kind !== 'principal') continue;
    for (const { resource } of linked.policy.rules) {
      const glob = resource.value;
      if (!glob.includes('*') || !needsSeparator(glob) || kinds.some(literalOrGlob(glob))) continue;
      report.add(
        'principal-policy/never-matches',
        resource.place,
        { resource: glob, reason: 'kinds are looked up with `_` in place of `:`, `@`, `-` and `/`' },
        { notes: [{ message: `write \`${withoutSeparators(glob)}\`` }] },
      );
    }
  }
}

/** The kinds of all resource policies as lookups spell them (docs/spec/policy-language.md#sanitized-names), sorted. */
function listResourceKinds({ policies }: PolicySet): readonly string[] {
  const kinds = policies.flatMap((linked) =>
    linked.kind === 'resource' ? [sanitize(linked.policy.resource.value)] : [],
  );
  return [...new Set(kinds)].sort();
}

/**
 * Whether a glob has a character that cannot occur in a lookup of a plain name. Globs with braces or brackets are
 * skipped, because these can match other characters.
 */
function needsSeparator(glob: string): boolean {
  return /[:@\-/]/.test(glob) && !/[[\]{}\\]/.test(glob);
}
