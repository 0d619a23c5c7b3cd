import { literalOrGlob } from '#runtime/policy';
import type { Types } from '../../ast/checked.js';
import { sanitize } from '../../ast/names.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Details } from '../../diagnostics/diagnostic.js';
import { didYouMean } from '../../diagnostics/did-you-mean.js';
import type { Problems } from '../../diagnostics/problems.js';
import { prefixOf } from '../../globs/text-index.js';

/**
 * Warns of resources of role policies that no request matches: they are compared as they are written with kinds whose
 * separators have become `_` (docs/spec/policy-language.md#sanitized-names); and of those that no resource policy is
 * about, for a role policy only narrows (docs/spec/policy-language.md#role-policies).
 */
export function warnOfRoleResources(policies: PolicySet, _types: Types, report: Problems): void {
  const kinds = new KnownKinds(resourceKindsOf(policies));
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

/** At most so many times a glob is tried with a kind; of further globs nothing is said. */
const MOST_TRIES = 100_000;

/**
 * The kinds of resource policies. A glob is tried with those only that begin as it does: there may be thousands of
 * both.
 */
class KnownKinds {
  private readonly names: ReadonlySet<string>;
  private tries = 0;

  constructor(readonly sorted: readonly string[]) {
    this.names = new Set(sorted);
  }

  /** Whether one of the kinds matches, or that was not found out. */
  mayMatch(resource: string): boolean {
    if (!resource.includes('*')) return this.names.has(resource);
    const prefix = prefixOf(resource) ?? resource;
    const matches = literalOrGlob(resource);
    for (let at = this.firstFrom(prefix); this.sorted[at]?.startsWith(prefix) === true; at += 1) {
      this.tries += 1;
      if (this.tries > MOST_TRIES || matches(this.sorted[at] as string)) return true;
    }
    return false;
  }

  /** Where the first kind stands that does not come before a text. */
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
 * Warns of resource globs of principal policies with a separator that kinds lose when they are looked up
 * (docs/spec/policy-language.md#sanitized-names).
 */
export function warnOfPrincipalResources(policies: PolicySet, _types: Types, report: Problems): void {
  const kinds = resourceKindsOf(policies);
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

/**
 * The kinds that resource policies are about, as requests are looked up (docs/spec/policy-language.md#sanitized-names).
 * Sorted.
 */
function resourceKindsOf({ policies }: PolicySet): readonly string[] {
  const kinds = policies.flatMap((linked) =>
    linked.kind === 'resource' ? [sanitize(linked.policy.resource.value)] : [],
  );
  return [...new Set(kinds)].sort();
}

/** A text as kinds made of plain names are looked up: every run of separators is one `_`. */
function withoutSeparators(text: string): string {
  return text.replace(/[:@\-/]+/g, '_');
}

/**
 * Whether a glob has a character that no kind made of plain names has when it is looked up. Braces and brackets could
 * stand for something else: of such globs nothing is said.
 */
function needsSeparator(glob: string): boolean {
  return /[:@\-/]/.test(glob) && !/[[\]{}\\]/.test(glob);
}
