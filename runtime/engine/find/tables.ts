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
 * What tables that differ only in their conditions share: names, effects, and the order of rules. Thousands of policies
 * have few shapes, which stay in the CPU cache, so that a decision about a policy that is rarely used only loads its
 * conditions (bench/check.bench.ts, "Out of 10,000 policies").
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
  /** Whether nothing is asked after the table, so that a DENY of it and no outcome come to the same. */
  readonly isLast: boolean;
  /** Whether every rule has to be visited in order, even if outputs are not requested. */
  readonly alwaysVisited: boolean;
  /** Whether roles share bits, so that rules also name their roles. */
  readonly crowded: boolean;
}

/** A rule without its condition. */
export interface RuleShape {
  readonly roles: number;
  readonly effect: Effect;
  /** Undefined if the list it is in implies it. */
  readonly reaches: Rule['reaches'];
  /** The index of its condition in its table, or `UNCONDITIONAL`. */
  readonly condition: number;
}

/** The index of no condition. */
export const UNCONDITIONAL = -1;

/** What determines the shape of a table besides its rules. */
export type ShapeFacts = Omit<TableShape, 'named' | 'other'>;

/** The shapes of a registry, each built once. */
export class TableShapes {
  private readonly shapes = new Map<string, TableShape>();
  private readonly numbers = new Map<unknown, number>();

  /** The shape of a table; `rules` are all its rules, in the order of its conditions. */
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

  /** Functions are compared by identity. */
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
 * The bit that every role has, and of rules only those for everyone. Roles of a policy are bits 0 to 29, and -1 has all
 * bits, so one test, `(rule.roles & bits) !== 0`, serves both.
 */
export const EVERYONE = 1 << 30;

/** A rule as the engine visits it. All entries have one hidden class, whatever optional parts the rule has. */
export interface RuleEntry {
  readonly roles: number;
  readonly effect: Effect;
  /** Undefined if the list it is in implies it. */
  readonly reaches: Rule['reaches'];
  readonly rule: Rule;
  /** As in the rule, whose hidden class differs with its optional parts. */
  readonly when: Rule['when'];
  readonly output: Rule['output'];
  readonly rows: Rule['rows'];
  /** The key of its first result in a check (docs/spec/policy-language.md#rules-that-share-a-name). */
  readonly identity: Rule | string;
  /** Only in strict evaluation, where undefined means unconditional. */
  readonly traced: TracedCondition | undefined;
  readonly tracedDerivedRole: TracedCondition | undefined;
  /** The same for plans; undefined means unconditional, except in bundles without any. */
  readonly attempt: AttemptedCondition | undefined;
  readonly attemptDerivedRole: AttemptedCondition | undefined;
}

/** Entries by action. */
export interface ActionLists {
  readonly named: ReadonlyMap<string, readonly RuleEntry[]>;
  readonly other: readonly RuleEntry[];
}

/** The rules of one policy (of a principal policy: for one kind), in the two forms in which they are walked. */
export interface RuleTable {
  /** Which rules to evaluate, and in which order, if only the decision counts. */
  readonly shape: TableShape;
  /** By index of the shape's rules; undefined at an index that the shape does not name. */
  readonly conditions: readonly Rule['when'][];
  /** The key of the policy. */
  readonly key: string;
  /** In the order of the policy, to visit rules one by one and to plan them. */
  readonly ordered: ActionLists;
}

/** The rules that may reach an action, in the order of the policy. */
export function entriesFor({ ordered }: RuleTable, action: string): readonly RuleEntry[] {
  return ordered.named.get(action) ?? ordered.other;
}

/**
 * Whether a rule of `entriesFor` reaches the action and a role; `bits` and `lineage` are of the role and its ancestors.
 */
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

/** What the tables of one registry share. */
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
   * Whether a result could change in a later action of the same check: rules of principal policies that read `runtime`
   * (docs/spec/policy-language.md#how-derived-roles-are-used, docs/spec/policy-language.md#rules-that-share-a-name).
   */
  readonly remembersAll: boolean;
}

/** Builds the table of a policy, when it is first used. */
export function ruleTable(table: ActionTable, facts: TableFacts): RuleTable {
  const rules = [...new Set([...table.actions.values(), table.otherActions].flat())];
  const { key, names, hasOutputs, isLast } = facts;
  const crowded = rules.some(({ among }) => among !== undefined);
  // Shared results depend on which rule is evaluated first; roles that share bits need `among`.
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
    when: rule.when,
    output: rule.output,
    rows: rule.rows,
    identity: rule.memo ?? rule,
    traced: conditions.get(key),
    tracedDerivedRole: rule.derivedRole === undefined ? undefined : conditions.get(rule.derivedRole.key),
    attempt: attempts?.get(key),
    attemptDerivedRole: rule.derivedRole === undefined ? undefined : attempts?.get(rule.derivedRole.key),
  };
}

const NOT_TRACED: TracedBundle = { conditions: new Map() };

/**
 * The bits of roles. Remembers the last result, as one role is mostly followed by itself, with policies that name the
 * same roles.
 */
export class RoleBits {
  private names: RoleNames | undefined = undefined;
  private role = '';
  private bits = 0;

  /** Of a role without its ancestors. */
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

/** The value of a key; makes and adds it if there is none. */
export function entryOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
