import type { ReviewedPair, Unevaluated } from './cells.js';
import type { ReviewFinding } from './findings.js';
import type { PopulationDigest } from './population.js';
import type { Reason } from './reasons.js';

/** Somebody who may do something, as an export has it. */
export interface ExportedPair {
  readonly user: string;
  readonly kind: string;
  readonly resource: string;
  readonly scope: string;
  readonly action: string;
  /** The actor that acts for the user; empty for the user itself. */
  readonly through: string;
  readonly reasons: readonly Reason[];
  /** Whether a rule reads the time, so that the access may end or begin by itself. */
  readonly timed: boolean;
  /** What was decided about it; undefined if nothing was. */
  readonly decision?: Decision;
}

/** A decision of a reviewer. */
export interface Decision {
  readonly decision: 'keep' | 'revoke';
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
  readonly note?: string;
}

/** What is not known, as an export has it. */
export interface ExportedGap {
  readonly kind: string;
  readonly resource: string;
  readonly scope: string;
  readonly action: string;
  readonly through: string;
  readonly reason: string;
  readonly place: string;
}

/** An access review as it is exported. */
export interface ReviewExport {
  readonly format: 1;
  /** When it was evaluated, which is the time of conditions as well. */
  readonly at: string;
  /** The hash of the policies. */
  readonly policies: string;
  readonly population: PopulationDigest;
  readonly actions: readonly string[];
  readonly pairs: readonly ExportedPair[];
  /** The number of pairs by reason. */
  readonly groups: readonly Group[];
  readonly notEvaluated: readonly ExportedGap[];
  readonly findings: readonly ReviewFinding[];
}

interface Group {
  readonly kind: Reason['kind'];
  readonly name: string;
  readonly rule: string;
  readonly pairs: number;
}

/** A pair, apart from what is known of it. */
export type PairName = Pick<ExportedPair, 'user' | 'kind' | 'resource' | 'scope' | 'action' | 'through'>;

/** Equal for the same pair. */
export function pairKey({ user, kind, resource, scope, action, through }: PairName): string {
  return JSON.stringify([user, kind, resource, scope, action, through]);
}

/** The name of a pair. */
export function namePair({ principal, resource, action, through }: ReviewedPair): PairName {
  return {
    user: principal.id,
    kind: resource.kind,
    resource: resource.id,
    scope: resource.scope ?? '',
    action,
    through: through?.id ?? '',
  };
}

/** The pair in words. */
export function pairText({ user, kind, resource, scope, action, through }: PairName): string {
  const via = through === '' ? '' : ` through ${through}`;
  return `${user}${via}: ${action} of ${kind} ${resource}${scope === '' ? '' : ` in ${scope}`}`;
}

/** The pairs of an evaluated cell by user, each with its reasons. Users with several rows are one user. */
export function exportPairs(
  pairs: readonly ReviewedPair[],
  reasonsOf: (pair: ReviewedPair) => readonly Reason[],
  decisions: ReadonlyMap<string, Decision>,
): readonly ExportedPair[] {
  const found = new Map<string, ExportedPair>();
  for (const pair of pairs) {
    const name = namePair(pair);
    const key = pairKey(name);
    const reasons = [...(found.get(key)?.reasons ?? []), ...reasonsOf(pair)];
    const distinct = [...new Map(reasons.map((reason) => [JSON.stringify(reason), reason])).values()];
    const decision = decisions.get(key);
    found.set(key, {
      ...name,
      reasons: distinct,
      timed: distinct.some(({ timed }) => timed),
      ...(decision !== undefined && { decision }),
    });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
}

/** A part of a population that was not evaluated. */
export function exportGap({ resource, action, through, reason, place }: Unevaluated): ExportedGap {
  return {
    kind: resource.kind,
    resource: resource.id,
    scope: resource.scope ?? '',
    action,
    through: through?.id ?? '',
    reason,
    place,
  };
}

/** Counts pairs by reason. */
export class Groups {
  private readonly groups = new Map<string, Group>();

  add({ reasons }: ExportedPair): void {
    for (const { kind, name, rule } of reasons) {
      const key = JSON.stringify([kind, name, rule]);
      this.groups.set(key, { kind, name, rule, pairs: (this.groups.get(key)?.pairs ?? 0) + 1 });
    }
  }

  /** The most frequent first. */
  get sorted(): readonly Group[] {
    return [...this.groups]
      .sort(([a, one], [b, other]) => other.pairs - one.pairs || (a < b ? -1 : 1))
      .map(([, group]) => group);
  }
}
