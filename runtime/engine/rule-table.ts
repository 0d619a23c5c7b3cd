import type { ActionTable, AttemptedCondition, Effect, Rule, TracedBundle, TracedCondition } from '../policy/index.js';
import { isUnconditional, type RoleNames, type TableShape, type TableShapes } from './rule-shape.js';

/**
 * The bit every role has and no rule but one for everyone: roles of a policy are bits 0 to 29, and -1 has all bits. So
 * one test, `(rule.roles & bits) !== 0`, serves both.
 */
export const EVERYONE = 1 << 30;

/** A rule as the engine visits it. All have one shape, whatever optional parts the rule has. */
export interface RuleEntry {
  readonly roles: number;
  readonly unconditional: boolean;
  readonly effect: Effect;
  /** Undefined: the list it is in says so already. */
  readonly reaches: Rule['reaches'];
  readonly rule: Rule;
  /** What a check remembers its first result by (docs/spec/policy-language.md#rules-that-share-a-name). */
  readonly identity: Rule | string;
  /** Strict evaluation only; undefined there means unconditional. */
  readonly traced: TracedCondition | undefined;
  readonly tracedDerivedRole: TracedCondition | undefined;
  /** The same for plans; undefined there means unconditional, but for bundles that have none. */
  readonly attempt: AttemptedCondition | undefined;
  readonly attemptDerivedRole: AttemptedCondition | undefined;
}

/** Entries by action. */
export interface ActionLists {
  readonly named: ReadonlyMap<string, readonly RuleEntry[]>;
  readonly other: readonly RuleEntry[];
}

/** The rules of one policy (of a principal policy: about one kind), in the two forms they are walked in. */
export interface RuleTable {
  /** Whom to ask, and in which order, when only the decision counts. */
  readonly shape: TableShape;
  /** By the places that the shape names. */
  readonly conditions: readonly Rule['when'][];
  /** The key of the policy. */
  readonly key: string;
  /** In the order of the policy: how rules are visited one by one, and how they are planned. */
  readonly ordered: ActionLists;
}

/** What tables of one registry have in common. */
export interface SharedFacts {
  readonly shapes: TableShapes;
  readonly traced: TracedBundle | undefined;
}

/** What a table needs to know of its policy. */
export interface TableFacts extends SharedFacts {
  readonly key: string;
  readonly names: RoleNames;
  readonly hasOutputs: boolean;
  readonly isLast: boolean;
  /**
   * Whether a later action of the same check could see a result change: rules of principal policies that read `runtime`
   * (docs/spec/policy-language.md#how-derived-roles-are-used, docs/spec/policy-language.md#rules-that-share-a-name).
   */
  readonly remembersAll: boolean;
}

/** The table of a policy's rules, made when the policy is first asked. */
export function ruleTable(table: ActionTable, facts: TableFacts): RuleTable {
  const rules = [...new Set([...table.actions.values(), table.otherActions].flat())];
  const { key, names, hasOutputs, isLast } = facts;
  const crowded = rules.some(({ among }) => among !== undefined);
  // Results that rules share depend on who is asked first; an exact set of roles needs more than bits.
  const alwaysVisited =
    facts.traced !== undefined || facts.remembersAll || crowded || rules.some(({ memo }) => memo !== undefined);
  return {
    shape: facts.shapes.of(table, rules, {
      roles: names.roles,
      roleGlobs: names.roleGlobs,
      hasOutputs,
      isLast,
      alwaysVisited,
      crowded,
    }),
    conditions: rules.map(({ when }) => when),
    key,
    ordered: orderedLists(table, rules, facts),
  };
}

function orderedLists({ actions, otherActions }: ActionTable, rules: readonly Rule[], facts: TableFacts): ActionLists {
  const entries = new Map(rules.map((rule) => [rule, ruleEntry(rule, undefined, facts)]));
  return {
    named: new Map(
      [...actions].map(([action, listed]) => [action, listed.map((rule) => entries.get(rule) as RuleEntry)]),
    ),
    other: otherActions.map((rule) => ruleEntry(rule, rule.reaches, facts)),
  };
}

function ruleEntry(rule: Rule, reaches: RuleEntry['reaches'], facts: TableFacts): RuleEntry {
  const through = rule.derivedRole === undefined ? '' : `@${rule.derivedRole.name}`;
  const key = rule.traced ?? `${facts.key}#${rule.name}${through}`;
  const { conditions, attempts } = facts.traced ?? NOT_TRACED;
  return {
    roles: rule.roles,
    unconditional: isUnconditional(rule),
    effect: rule.effect,
    reaches,
    rule,
    identity: rule.memo ?? rule,
    traced: conditions.get(key),
    tracedDerivedRole: rule.derivedRole === undefined ? undefined : conditions.get(rule.derivedRole.key),
    attempt: attempts?.get(key),
    attemptDerivedRole: rule.derivedRole === undefined ? undefined : attempts?.get(rule.derivedRole.key),
  };
}

const NOT_TRACED: TracedBundle = { conditions: new Map() };
