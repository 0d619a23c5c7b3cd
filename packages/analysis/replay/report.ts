import type { AuxDataInput, PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import type { EffectName } from './entry.js';
import type { DecidingFact } from './least.js';

/** What other policies decide about the requests of an audit log. Equal logs and policies give equal reports. */
export interface ReplayReport {
  readonly version: 1;
  /** The logs, as they were named. */
  readonly logs: readonly string[];
  /** What was looked at. Undefined members are not limited. */
  readonly only: { readonly kind?: string; readonly action?: string; readonly since?: string; readonly until?: string };
  readonly lines: {
    readonly total: number;
    /** Entries about decisions, in the time that was looked at. */
    readonly decisionEntries: number;
    readonly accessEntries: number;
    /** JSON that is not of the audit log. */
    readonly other: number;
    readonly damaged: number;
    readonly firstDamaged: readonly LogPlace[];
  };
  /** Pairs of a resource and an action that both sets of policies decided. */
  readonly decisions: {
    readonly replayed: number;
    readonly unchanged: number;
    readonly widened: number;
    readonly narrowed: number;
  };
  readonly notReplayed: NotReplayed;
  /** Decisions that depend on facts which the log does not keep, and these facts. */
  readonly needs: { readonly decisions: number; readonly facts: readonly NeededFact[] };
  /** Resources of checks that were replayed with other documents of tenants than those with which they were decided. */
  readonly otherDocuments: number;
  /** Sorted by kind, action, roles. */
  readonly flips: readonly FlipGroup[];
  /** The first decisions, with the facts by which they are made, if that was asked for. */
  readonly least?: readonly LeastDecision[];
  /** Flips that are counted and in no group, because there are too many groups. */
  readonly ungrouped: number;
}

export interface NotReplayed {
  /** Entries of plans. */
  readonly plans: number;
  /** Entries of calls that exceeded a limit: they have no decisions. */
  readonly exceeded: number;
  /** Entries that were too long, and lost their attributes. */
  readonly oversized: number;
  /** Resources of checks of which a value is masked. */
  readonly masked: number;
  /** Resources of checks without their attributes, which the log does not keep. */
  readonly withoutFacts: number;
  /** Resources of checks for which a condition reads claims, and the request had none. */
  readonly withoutClaims: number;
  /** Resources of checks that were decided with roles of tenants, without documents to replay them with. */
  readonly withoutTenants: number;
  /** Resources of checks whose conditions cost more than is allowed. */
  readonly costly: number;
}

/** A fact that the log does not keep, such as `resource.attr.region`. */
export interface NeededFact {
  readonly fact: string;
  /** How many decisions may depend on it. */
  readonly decisions: number;
}

/** Decisions of one kind, action and list of roles that changed in one direction. */
export interface FlipGroup {
  readonly kind: string;
  readonly action: string;
  /** Roles of the principal, sorted. */
  readonly roles: readonly string[];
  readonly change: Change;
  readonly count: number;
  /** The first ones. */
  readonly examples: readonly FlipExample[];
}

export type Change = 'widened' | 'narrowed';

/** A line of a log, or an entry of a database. */
export interface LogPlace {
  readonly log: string;
  /** Line number, from 1. */
  readonly line: number;
}

export interface FlipExample extends LogPlace {
  readonly callId: string;
  /** RFC 3339; conditions that read the time were decided at it. */
  readonly timestamp: string;
  readonly principal: PrincipalInput;
  readonly resource: ResourceInput;
  readonly auxData?: AuxDataInput;
  readonly before: Outcome;
  readonly after: Outcome;
}

/** A decision of the policies, and the facts by which it is made. */
export interface LeastDecision extends LogPlace {
  readonly timestamp: string;
  readonly principal: string;
  readonly kind: string;
  readonly id: string;
  readonly action: string;
  readonly effect: EffectName;
  /** Facts of which none can be left out; undefined if that is not known, as with actors. */
  readonly facts?: readonly DecidingFact[];
}

export interface Outcome {
  readonly effect: EffectName;
  /** The policy that decided; empty if none did. */
  readonly policy: string;
}
