import { type ActionTable, ALLOW, always, DENY, type Effect, type Request, type Rule, type TracedBundle, type TracedCondition } from '../policy/index.js';

/**
 * The bit every role has and no rule but one for everyone: roles of a policy are bits 0 to 29, and -1 has all bits. So one test,
 * `(rule.roles & bits) !== 0`, serves both.
 */
export const EVERYONE = 1 << 30;

/** A rule as the engine walks it. All have one shape, whatever optional parts the rule has, so the hot loop stays monomorphic. */
export interface RuleEntry {
  readonly roles: number;
  readonly unconditional: boolean;
  readonly effect: Effect;
  readonly when: (request: Request) => boolean;
  /** Undefined: the list it is in says so already. */
  readonly reaches: ((action: string, kind: string) => boolean) | undefined;
  readonly rule: Rule;
  /** What a check remembers its first result by (policy-language.md 8.10-D3). */
  readonly identity: Rule | string;
  /** Strict evaluation only; undefined there means unconditional. */
  readonly traced: TracedCondition | undefined;
  readonly tracedDerivedRole: TracedCondition | undefined;
}

/** Entries by action. */
export interface ActionLists {
  readonly named: ReadonlyMap<string, readonly RuleEntry[]>;
  readonly other: readonly RuleEntry[];
}

/** The rules of one policy (of a principal policy: about one kind), in the two forms they are walked in. */
export interface RuleTable {
  /** The key of the policy. */
  readonly key: string;
  /** The DENY rules first, then the ALLOW rules; the other way round where `isLast`. Empty where `alwaysVisited`. Not nested: hot. */
  readonly named: ActionLists['named'];
  readonly other: ActionLists['other'];
  /** In the order of the policy: how rules are visited one by one, and how they are planned. */
  readonly ordered: ActionLists;
  readonly hasOutputs: boolean;
  /** Whether nobody is asked beside this table, so that nobody can tell a DENY of it from no decision. */
  readonly isLast: boolean;
  /** Whether every rule has to be visited in order even where outputs are not wanted. */
  readonly alwaysVisited: boolean;
}

/** What a table needs to know of its policy. */
export interface TableFacts {
  readonly key: string;
  readonly hasOutputs: boolean;
  readonly isLast: boolean;
  /** Whether a later action of the same check could see a result change: rules of principal policies that read `runtime` (7.2, 8.10-D3). */
  readonly remembersAll: boolean;
  readonly traced: TracedBundle | undefined;
}

/** The table of a policy's rules, made when the policy is first asked. */
export function ruleTable(table: ActionTable, facts: TableFacts): RuleTable {
  const entries = new Map<Rule, RuleEntry>();
  const entryOf = (rule: Rule): RuleEntry => {
    const entry = entries.get(rule) ?? ruleEntry(rule, undefined, facts);
    entries.set(rule, entry);
    return entry;
  };
  const lists: ActionLists = {
    named: new Map([...table.actions].map(([action, rules]) => [action, rules.map(entryOf)])),
    other: table.otherActions.map((rule) => ruleEntry(rule, rule.reaches, facts)),
  };

  const alwaysVisited = facts.traced !== undefined || facts.remembersAll || someEntry(lists, needsVisit);
  return {
    key: facts.key,
    ...(alwaysVisited ? NO_LISTS : decisiveLists(lists, facts.isLast ? ALLOW : DENY)),
    ordered: lists,
    hasOutputs: facts.hasOutputs,
    isLast: facts.isLast,
    alwaysVisited,
  };
}

const NO_LISTS: ActionLists = { named: new Map(), other: [] };

function ruleEntry(rule: Rule, reaches: RuleEntry['reaches'], facts: TableFacts): RuleEntry {
  const through = rule.derivedRole === undefined ? '' : `@${rule.derivedRole.name}`;
  return {
    roles: rule.roles,
    unconditional: rule.when === always,
    effect: rule.effect,
    when: rule.when,
    reaches,
    rule,
    identity: rule.memo ?? rule,
    traced: facts.traced?.conditions.get(`${facts.key}#${rule.name}${through}`),
    tracedDerivedRole: rule.derivedRole === undefined ? undefined : facts.traced?.conditions.get(rule.derivedRole.key),
  };
}

/** Results that rules share depend on who is asked first; an exact set of roles needs more than bits. */
function needsVisit(entry: RuleEntry): boolean {
  return entry.rule.memo !== undefined || entry.rule.among !== undefined;
}

function someEntry(lists: ActionLists, test: (entry: RuleEntry) => boolean): boolean {
  return lists.other.some(test) || [...lists.named.values()].some((entries) => entries.some(test));
}

function decisiveLists(lists: ActionLists, first: Effect): ActionLists {
  return { named: new Map([...lists.named].map(([action, entries]) => [action, sorted(entries, first)])), other: sorted(lists.other, first) };
}

function sorted(entries: readonly RuleEntry[], first: Effect): readonly RuleEntry[] {
  return [...entries.filter(({ effect }) => effect === first), ...entries.filter(({ effect }) => effect !== first)];
}
