import type { PrincipalPolicy, RolePolicy, TracedBundle } from '../policy/index.js';
import type { Evaluation } from './evaluation.js';
import type { Outcome } from './outcome.js';
import type { PrincipalChain, Principals } from './principals.js';
import type { Roles, ScopeLimits } from './roles.js';
import type { RuleTable, SharedFacts } from './rule-table.js';

/** The parts of the engine that judge, where policies need them: bundles bring them. */
export interface Judges {
  /** Present with principal policies. */
  readonly principalJudge?: PrincipalJudge | undefined;
  /** Present with role policies. */
  readonly roleJudge?: RoleJudge | undefined;
  /**
   * Present where somebody can tell in what order, or how often, rules are asked: with outputs, and results that rules
   * share.
   */
  readonly visitRules?: VisitRules | undefined;
}

/** Judges by principal policies. */
export interface PrincipalJudge {
  readonly principalsOf: (
    policies: readonly PrincipalPolicy[],
    shared: SharedFacts,
    lenientScopeSearch: boolean,
  ) => Principals;
  /** What the policies of the principal come to; leaves who decided in the evaluation. */
  readonly judge: (evaluation: Evaluation, judges: Judges, chain: PrincipalChain, action: string) => Outcome;
}

/** Judges by role policies, which can only deny. */
export interface RoleJudge {
  readonly rolesOf: (policies: readonly RolePolicy[], traced: TracedBundle | undefined) => Roles;
  /** What the policies of the role being judged and its ancestors come to. */
  readonly judge: (evaluation: Evaluation, limits: ScopeLimits, hasRule: boolean, action: string) => Outcome;
}

/** Asks the rules of a table one by one. */
export type VisitRules = (evaluation: Evaluation, table: RuleTable, bits: number, action: string) => Outcome;

/** What a compiled bundle exports as `traced`: in strict evaluation every rule is visited. */
export interface CompiledTraces extends TracedBundle {
  readonly visitRules?: VisitRules;
}
