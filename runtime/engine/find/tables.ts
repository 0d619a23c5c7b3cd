import {
  type ActionTable,
  ALLOW,
  type AttemptedCondition,
  DENY,
  type Effect,
  type ResourcePolicy,
  type Rule,
  type TracedBundle,
  type TracedCondition,
} from '../../policy/index.js';

/** The roles that rules name, a bit each. */
export type RoleNames = Pick<ResourcePolicy, 'roles' | 'roleGlobs'>;

/**
 * What rule tables share that differ in their conditions only: names, effects, and which rules to ask in which order.
 * Thousands of policies have few shapes, so these stay at hand, and a decision about a policy that nobody has asked for
 * long has only its conditions to fetch (bench/check.bench.ts, "Out of 10,000 policies").
 */
export interface TableShape extends RoleNames {
  /**
   * By action: the DENY rules first, then the ALLOW rules; the other way round where `isLast`. Empty where
   * `alwaysVisited`.
   */
  readonly named: ReadonlyMap<string, readonly RuleShape[]>;
  /** For any other action. */
  readonly other: readonly RuleShape[];
  readonly hasOutputs: boolean;
  /** Whether nobody is asked beside the table, so that nobody can tell a DENY of it from no decision. */
  readonly isLast: boolean;
  /** Whether every rule has to be visited in order even where outputs are not wanted. */
  readonly alwaysVisited: boolean;
  /** Whether roles share bits, so that rules name their roles as well. */
  readonly crowded: boolean;
}

/** A rule without its condition. */
export interface RuleShape {
  readonly roles: number;
  readonly effect: Effect;
  /** Undefined: the list it is in says so already. */
  readonly reaches: Rule['reaches'];
  /** The place of its condition among those of its table, or `UNCONDITIONAL`. */
  readonly condition: number;
}

/** In the place of a condition: there is none. */
export const UNCONDITIONAL = -1;

/** What decides the shape of a table beside its rules. */
export type ShapeFacts = Omit<TableShape, 'named' | 'other'>;

/** The shapes of a registry, each made once. */
export class TableShapes {
  private readonly shapes = new Map<string, TableShape>();
  private readonly numbers = new Map<unknown, number>();

  /** The shape of a table; the rules are all of it, in the order of its conditions. */
  of(table: ActionTable, rules: readonly Rule[], facts: ShapeFacts): TableShape {
    const shapes = new Map(rules.map((rule, index) => [rule, ruleShape(rule, index)]));
    const text = this.textOf(table, shapes, facts);
    const shape = this.shapes.get(text) ?? tableShape(table, shapes, facts);
    this.shapes.set(text, shape);
    return shape;
  }

  private textOf(
    { actions, otherActions }: ActionTable,
    shapes: ReadonlyMap<Rule, RuleShape>,
    { roles, roleGlobs, ...facts }: ShapeFacts,
  ): string {
    const places = new Map([...shapes.keys()].map((rule, index) => [rule, index]));
    const placesOf = (listed: readonly Rule[]): readonly (number | undefined)[] =>
      listed.map((rule) => places.get(rule));
    return JSON.stringify([
      facts,
      [...roles],
      roleGlobs.map(({ matches, bits }) => [this.numberOf(matches), bits]),
      [...shapes.values()],
      [...actions].map(([action, listed]) => [action, placesOf(listed)]),
      placesOf(otherActions),
      otherActions.map(({ reaches }) => this.numberOf(reaches)),
    ]);
  }

  /** Functions are the same when they are one. */
  private numberOf(matcher: unknown): number {
    const number = this.numbers.get(matcher) ?? this.numbers.size;
    this.numbers.set(matcher, number);
    return number;
  }
}

function tableShape(
  { actions, otherActions }: ActionTable,
  shapes: ReadonlyMap<Rule, RuleShape>,
  facts: ShapeFacts,
): TableShape {
  if (facts.alwaysVisited) return { ...facts, named: new Map(), other: [] };
  const first = facts.isLast ? ALLOW : DENY;
  const shapesOf = (listed: readonly Rule[]): readonly RuleShape[] =>
    sorted(listed, first).map((rule) => shapes.get(rule) as RuleShape);
  return {
    ...facts,
    named: new Map([...actions].map(([action, listed]) => [action, shapesOf(listed)])),
    other: sorted(otherActions, first).map((rule) => ({ ...(shapes.get(rule) as RuleShape), reaches: rule.reaches })),
  };
}

function ruleShape(rule: Rule, index: number): RuleShape {
  return {
    roles: rule.roles,
    effect: rule.effect,
    reaches: undefined,
    condition: rule.when === undefined ? UNCONDITIONAL : index,
  };
}

function sorted(rules: readonly Rule[], first: Effect): readonly Rule[] {
  return [...rules.filter(({ effect }) => effect === first), ...rules.filter(({ effect }) => effect !== first)];
}

/**
 * The bit every role has and no rule but one for everyone: roles of a policy are bits 0 to 29, and -1 has all bits. So
 * one test, `(rule.roles & bits) !== 0`, serves both.
 */
export const EVERYONE = 1 << 30;

/** A rule as the engine visits it. All have one shape, whatever optional parts the rule has. */
export interface RuleEntry {
  readonly roles: number;
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
  /** By the places that the shape names; undefined in places that it does not name. */
  readonly conditions: readonly Rule['when'][];
  /** The key of the policy. */
  readonly key: string;
  /** In the order of the policy: how rules are visited one by one, and how they are planned. */
  readonly ordered: ActionLists;
}

/** The rules that may reach an action, in the order of the policy. */
export function entriesFor({ ordered }: RuleTable, action: string): readonly RuleEntry[] {
  return ordered.named.get(action) ?? ordered.other;
}

/** Whether a rule of `entriesFor` reaches a role, told by the bits of it and its ancestors, and the action. */
export function isReached(
  { roles, reaches, rule: { among } }: RuleEntry,
  bits: number,
  lineage: readonly string[],
  action: string,
  kind: string,
): boolean {
  if ((roles & bits) === 0) return false;
  if (among !== undefined && !lineage.some((role) => among(role))) return false;
  return reaches === undefined || reaches(action, kind);
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

/**
 * The bits by which rules know roles. Remembers the last answer: one role asks policies that name the same roles about
 * action after action, resource after resource.
 */
export class RoleBits {
  private names: RoleNames | undefined = undefined;
  private role = '';
  private bits = 0;

  /** Of a role, ancestors aside. */
  ofRole(names: RoleNames, role: string): number {
    if (names === this.names && role === this.role) return this.bits;
    this.names = names;
    this.role = role;
    this.bits = EVERYONE | bitsOf(names, role);
    return this.bits;
  }
}

/** The bits of a role and its ancestors together. */
export function lineageBits(names: RoleNames, lineage: readonly string[]): number {
  let bits = EVERYONE;
  for (const role of lineage) bits |= bitsOf(names, role);
  return bits;
}

function bitsOf(names: RoleNames, role: string): number {
  return names.roles.get(role) ?? globBits(names, role);
}

function globBits(names: RoleNames, role: string): number {
  const globs = names.roleGlobs;
  let bits = 0;
  for (let i = 0; i < globs.length; i++) {
    const glob = globs[i] as (typeof globs)[number];
    if (glob.matches(role)) bits |= glob.bits;
  }
  return bits;
}

/** The value of a key, made and kept where there is none. */
export function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
