import type { AuxDataInput } from '../../../runtime/engine/index.js';
import type { FilePlace } from '../../../runtime/engine/parts.js';
import type { Attributes } from '../../../runtime/policy/index.js';
import type { ReadChange } from '../facts/lock.js';
import type { UndecidedReason } from '../question/question.js';

/**
 * What changes between two sets of policies. Plain data: `JSON.stringify` of it is the JSON of `authzc diff`, and equal
 * input gives equal bytes.
 */
export interface DiffReport {
  readonly old: ComparedSet;
  readonly new: ComparedSet;
  /** Sorted by kind, version, scope, principal and action. */
  readonly rows: readonly DiffRow[];
  readonly summary: DiffSummary;
  /** What tenants may give and could not, or no longer may; of all kinds and actions, also if rows are of some. */
  readonly grants: readonly GrantChange[];
  /** What decisions about the kinds that changed read of a request and did not, or the reverse (docs/facts.md). */
  readonly reads: readonly ReadChange[];
  /** What changed but is not compared; sorted. */
  readonly alsoChanged: readonly AlsoChanged[];
  readonly limits: DiffLimits;
}

/** A report without the hashes of the sets: only for these, the code of both sets has to be emitted. */
export type DiffResult = Omit<DiffReport, 'old' | 'new'> & {
  readonly [side in 'old' | 'new']: Pick<ComparedSet, 'source'>;
};

/** One of the two sets of policies. */
export interface ComparedSet {
  /** `git:main:policies`, `policies`. */
  readonly source: string;
  /** Hash of its compiled policies. */
  readonly hash: string;
}

/** A point and a class of actions (docs/spec/analysis.md#points). */
export interface DiffRow {
  readonly kind: string;
  readonly version: string;
  readonly scope: string;
  /** The principal whose policies decide; null for everyone else. */
  readonly principal: RowPrincipal | null;
  /** The action, or the shortest one of a class of actions that only globs match. */
  readonly action: string;
  /** Whether a policy names the action, or the options do. */
  readonly named: boolean;
  readonly verdict: DiffVerdict;
  /**
   * The roles of which one alone shows the difference; sorted. A role that no policy names stands for others like it.
   */
  readonly roles: readonly string[];
  /** Whether several roles together are needed to show the difference. */
  readonly combined: boolean;
  /** Whether a request is denied before and allowed after. */
  readonly widened: DiffAnswer;
  /** Whether a request is allowed before and denied after. */
  readonly narrowed: DiffAnswer;
  readonly causes: readonly Cause[];
}

/** A principal that has policies, at a scope where they are found. */
export interface RowPrincipal {
  readonly id: string;
  readonly scope: string;
  /** Only where the version of the principal matters. */
  readonly version?: string;
}

/**
 * `unchanged`, `narrowed` and `widened` each contain a proof (docs/spec/analysis.md#verdicts). `not narrowed`: it is
 * not decided whether the row is widened; `not widened` likewise.
 */
export type DiffVerdict =
  | 'unchanged'
  | 'widened'
  | 'narrowed'
  | 'mixed'
  | 'widened, narrowing not decided'
  | 'narrowed, widening not decided'
  | 'not widened'
  | 'not narrowed'
  | 'not decided';

/** Whether a row changed in one direction. */
export type DiffAnswer =
  | { readonly answer: 'no'; readonly by: 'same' | 'bdd' | 'search' | 'solver' }
  | ({ readonly answer: 'yes'; readonly by: 'search' | 'solver' } & DiffWitness)
  | {
      readonly answer: '?';
      readonly reason: UndecidedReason;
      readonly uninterpreted: readonly string[];
      /** Refutes a proof that the row did not change, which is a bug in authz. */
      readonly request?: WitnessRequest;
    };

/** A request that the compiled policies of both sets decide differently. */
export interface DiffWitness {
  readonly request: WitnessRequest;
  readonly before: Decision;
  readonly after: Decision;
  /** The rule that decides in each set; null where none does. */
  readonly decidedBy: { readonly before: RulePlace | null; readonly after: RulePlace | null };
}

type Decision = 'EFFECT_ALLOW' | 'EFFECT_DENY';

/** A request as `authzc check` accepts it, split as its flags are. Empty parts are left out, except roles and attr. */
export interface WitnessRequest {
  readonly principal: {
    readonly id: string;
    readonly roles: readonly string[];
    readonly attr: Attributes;
    readonly policyVersion?: string;
    readonly scope?: string;
  };
  readonly resource: {
    readonly kind: string;
    readonly id: string;
    readonly attr: Attributes;
    readonly policyVersion?: string;
    readonly scope?: string;
  };
  readonly action: string;
  /** Claims of one token, `jwt`, or of named ones, `jwts`. */
  readonly auxData: AuxDataInput;
  readonly globals: Attributes;
  /** RFC 3339. */
  readonly now: string;
}

/** A rule, and where it is written in its set. */
export interface RulePlace {
  /** `resource.album.vdefault#audience`. */
  readonly rule: string;
  readonly place: FilePlace;
}

/** A rule that is not the same in both sets, and whose result differs on the witness. */
export interface Cause extends RulePlace {
  /** The set that has the rule; `place` is that in the new set where both have it. */
  readonly side: 'old' | 'new' | 'both';
  /** The first condition of the rule that changed, as its author wrote it; absent if no single one did. */
  readonly condition?: { readonly before: string; readonly after: string };
}

/** Counts of rows. A row that is widened and whose narrowing is not decided counts as both. */
export interface DiffSummary {
  readonly rows: number;
  readonly unchanged: number;
  /** Widened and, if that is decided, not narrowed. */
  readonly widened: number;
  /** Narrowed and, if that is decided, not widened. */
  readonly narrowed: number;
  readonly mixed: number;
  /** Number of rows with an answer that is neither proved nor shown by a request. */
  readonly undecided: number;
}

/** Actions on a kind for which tenants may give a role by one of the two sets alone (docs/tenant-roles.md). */
export interface GrantChange {
  readonly change: 'added' | 'removed';
  /** The scopes of the tenants, and how the roles that they define begin: `tenants.*`, `tenant:`. */
  readonly scope: string;
  readonly rolePrefix: string;
  /** The role that tenants may give. */
  readonly role: string;
  /** A kind or a glob. */
  readonly resource: string;
  /** Actions and globs, sorted. */
  readonly actions: readonly string[];
}

/** A part of policies that changed and is not compared. */
export interface AlsoChanged {
  readonly what: 'output' | 'schema';
  /** `resource.album.vdefault#locked`; of a schema, the policy. */
  readonly rule: string;
}

/** What limited the comparison. */
export interface DiffLimits {
  /** `z3 5.2.0`; `none` without a solver. */
  readonly solver: string;
  readonly effort: number;
  /** What was looked at, if not everything. */
  readonly kind?: string;
  readonly action?: string;
  readonly scope?: string;
  /** Whether the run was interrupted: rows left are undecided with the reason `time`. */
  readonly interrupted?: true;
}
