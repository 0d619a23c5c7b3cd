import { type ActionTable, ALLOW, always, DENY, type Effect, type ResourcePolicy, type Rule } from '../policy/index.js';

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

/**
 * Whether a rule has no condition. A bundle brings an `always` of its own, known by this: it decides and plans alike,
 * and looks at nothing.
 */
export function isUnconditional({ when, where }: Rule): boolean {
  return when === always || (when === where && when.length === 0 && (when as () => boolean)());
}

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
    condition: isUnconditional(rule) ? UNCONDITIONAL : index,
  };
}

function sorted(rules: readonly Rule[], first: Effect): readonly Rule[] {
  return [...rules.filter(({ effect }) => effect === first), ...rules.filter(({ effect }) => effect !== first)];
}
