/**
 * What the adapters of stores without SQL share: where an operand of a filter is true, false, or cannot be evaluated,
 * made of the tests that a store has.
 */
import { withoutChoices } from '../../runtime/residual/choices.js';
import {
  type Expression,
  type Filter,
  type JsonValue,
  type Operand,
  type RuleFilter,
  selects,
} from '../../runtime/residual/filters.js';
import { expression, operandsOf } from '../../runtime/residual/operand.js';
import { problemsOf } from '../../runtime/residual/problems.js';
import { Refusal } from '../../runtime/residual/sql/refusal.js';
import { UnsupportedPlanError } from './unsupported-plan.js';

export { Refusal, UnsupportedPlanError };

/** A plan, as `engine.plan` returns it. */
export interface PlannedFilter {
  readonly filter: Filter;
}

/** How a filter is written for one query. */
export interface FilterOptions {
  /** The filter of each rule of the plan, as `ruleFilters` returns them; a refusal then names its rule. */
  readonly rules?: () => readonly RuleFilter[];
}

/**
 * Which outcomes of an operand select a row. An operand is true, false, or cannot be evaluated; what is selected is
 * `outcome`, with `orFails` also where it cannot be evaluated.
 */
export interface Wanted {
  readonly outcome: boolean;
  readonly orFails: boolean;
}

/** The queries of a test: each selects exactly the rows where it has this outcome. */
export interface Outcomes<Query> {
  is(outcome: boolean): Query;
  /** Where it cannot be evaluated. */
  fails(): Query;
  /** Where it is not `outcome`, if the store says this in fewer words than both other outcomes. */
  isNot?(outcome: boolean): Query;
}

export type Comparison = 'eq' | 'lt' | 'le' | 'gt' | 'ge';
export type TextTest = 'startsWith' | 'endsWith' | 'contains';

/**
 * A store: its queries, and the tests of its fields. A method throws a `Refusal` for what the store cannot say exactly;
 * a test that is absent is one that it never can.
 */
export interface Store<Query, Field> {
  /** `the model `Note``, for errors. */
  readonly target: string;
  readonly always: Query;
  readonly never: Query;
  allOf(queries: readonly Query[]): Query;
  anyOf(queries: readonly Query[]): Query;
  id(): Field;
  attribute(path: readonly string[]): Field;
  /** A field of an object. */
  below(object: Field, name: string): Field;
  /** `field == constant`, and the order of both; the constant is a string, a number, a boolean or null. */
  compared(field: Field, comparison: Comparison, constant: Scalar): Outcomes<Query>;
  /** `field in constants`; there is at least one. */
  among(field: Field, constants: readonly Scalar[]): Outcomes<Query>;
  /** `has(field)`. */
  presence(field: Field): Outcomes<Query>;
  text(field: Field, test: TextTest, constant: string): Outcomes<Query>;
  /** Whether a list has one of the constants. There is at least one. */
  sharing?(list: Field, constants: readonly Scalar[]): Outcomes<Query>;
  size?(field: Field, comparison: Comparison, size: number): Outcomes<Query>;
  typed?(field: Field, type: string): Outcomes<Query>;
  comparedFields?(left: Field, comparison: Comparison, right: Field): Outcomes<Query>;
  /** The elements of a list. */
  elements?(list: Field): Elements<Query, Field>;
  /** Another way to say a test that is refused. */
  otherwise?(test: Operand, wanted: Wanted, translation: Translation): Query;
}

export type Scalar = string | number | boolean | null;

export interface Elements<Query, Field> {
  /** An element, in the queries about it. */
  readonly element: Field;
  some(isWanted: () => Query): Query;
  /** Where the value is a list, and every element is wanted; the store says it in one of both ways. */
  every(isWanted: () => Query, isUnwanted: () => Query): Query;
  /** Where the value is not a list. */
  fails(): Query;
}

/** What a filter may cost in a store. */
export interface Bounds {
  /** The number of tests and of constants together. */
  readonly steps: number;
  /** How deep a query is nested, as JSON. */
  readonly depth: number;
}

/**
 * The query that selects exactly the rows that check allows.
 * @throws {UnsupportedPlanError} if there is none.
 */
export function translated<Query, Field>(
  { filter }: PlannedFilter,
  store: Store<Query, Field>,
  bounds: Bounds,
  options: FilterOptions = {},
): Query {
  const outcome = attempt(filter, store, bounds);
  if (!(outcome instanceof Refusal)) return outcome;
  const problems = problemsOf(filter, options.rules?.() ?? [], (part) => attempt(part, store, bounds));
  throw new UnsupportedPlanError(store.target, problems);
}

function attempt<Query, Field>(filter: Filter, store: Store<Query, Field>, bounds: Bounds): Query | Refusal {
  if (filter.kind !== 'KIND_CONDITIONAL') return filter.kind === 'KIND_ALWAYS_ALLOWED' ? store.always : store.never;
  try {
    const translation = new Translation(bounds.steps);
    const query = translation.where(filter.condition, { outcome: true, orFails: false }, store, new Map());
    if (depthOf(query, bounds.depth) > bounds.depth)
      throw new Refusal('filter', `the query would be nested more than ${bounds.depth} levels`);
    return query;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The depth of JSON, as far as it matters. */
function depthOf(json: unknown, most: number): number {
  if (typeof json !== 'object' || json === null || most < 0) return 0;
  let deepest = 0;
  for (const part of Object.values(json)) deepest = Math.max(deepest, depthOf(part, most - 1));
  return deepest + 1;
}

const MOST_CONSTANT_ELEMENTS = 100;
const DEEPEST = 500;

/** One translation, whose cost is bounded: each `? :` repeats its condition, so a short filter may have a long query. */
export class Translation {
  private steps = 0;
  private depth = 0;

  constructor(private readonly most: number) {}

  /** Where an operand has a wanted outcome. */
  where<Query, Field>(
    operand: Operand,
    wanted: Wanted,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Query {
    this.step(1);
    this.depth += 1;
    if (this.depth > DEEPEST) throw new Refusal('filter', 'the condition is nested too deeply');
    const query = this.whereOf(operand, wanted, store, bound);
    this.depth -= 1;
    return query;
  }

  private step(count: number): void {
    this.steps += count;
    if (this.steps > this.most) throw new Refusal('filter', `the query would have more than ${this.most} parts`);
  }

  private whereOf<Query, Field>(
    operand: Operand,
    wanted: Wanted,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Query {
    const { outcome, orFails } = wanted;
    if (!('expression' in operand)) return this.tested(operand, wanted, store, bound);
    const { operator, operands } = operand.expression;
    const [first, second, third] = operands as [Operand, Operand, Operand];
    const ask = (part: Operand, partWanted: Wanted): Query => this.where(part, partWanted, store, bound);
    switch (operator) {
      case 'and':
      case 'or': {
        const parts = operands.map((part) => ask(part, wanted));
        return (operator === 'and') === outcome ? store.allOf(parts) : store.anyOf(parts);
      }
      case 'not':
        return ask(first, { outcome: !outcome, orFails });
      case 'unless':
        return ask(first, { outcome: !outcome, orFails: outcome });
      case 'if':
        if (orFails)
          return store.allOf([
            store.anyOf([ask(first, { outcome: false, orFails }), ask(second, wanted)]),
            store.anyOf([ask(first, { outcome: true, orFails }), ask(third, wanted)]),
          ]);
        return store.anyOf([
          store.allOf([ask(first, { outcome: true, orFails }), ask(second, wanted)]),
          store.allOf([ask(first, { outcome: false, orFails }), ask(third, wanted)]),
        ]);
      case 'exists':
      case 'all':
        return this.tested(operand, wanted, store, bound);
      default: {
        const lifted = withoutChoices(operand, () => this.step(1));
        return lifted === operand ? this.tested(operand, wanted, store, bound) : ask(lifted, wanted);
      }
    }
  }

  private tested<Query, Field>(
    operand: Operand,
    wanted: Wanted,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Query {
    if (isKnown(operand)) return hasOutcome(operand, wanted) ? store.always : store.never;
    const { depth } = this;
    try {
      return this.test(operand, wanted, store, bound);
    } catch (error) {
      if (!(error instanceof Refusal) || store.otherwise === undefined) throw error;
      this.depth = depth;
      return store.otherwise(operand, wanted, this);
    }
  }

  private test<Query, Field>(
    operand: Operand,
    wanted: Wanted,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Query {
    const { outcome, orFails } = wanted;
    if (isSelection(operand)) {
      const isTrue = store.compared(fieldOf(operand, store, bound), 'eq', true);
      const isFalse = store.compared(fieldOf(operand, store, bound), 'eq', false);
      if (!orFails) return (outcome ? isTrue : isFalse).is(true);
      // A value that is not a boolean fails as a condition.
      const opposite = outcome ? isFalse : isTrue;
      return opposite.isNot?.(true) ?? store.anyOf([opposite.is(false), opposite.fails()]);
    }
    if (!('expression' in operand)) throw new Refusal('value', 'a constant as a condition');
    const { operator, operands } = operand.expression;
    const [first, second] = operands as [Operand, Operand];
    if (operator === 'exists' || operator === 'all') return this.quantified(operand.expression, wanted, store, bound);
    if (operator === 'ne')
      return this.where(expression('eq', first, second), { outcome: !outcome, orFails }, store, bound);
    const outcomes = this.outcomesOf(operator, first, second, store, bound);
    if (!orFails) return outcomes.is(outcome);
    return outcomes.isNot?.(!outcome) ?? store.anyOf([outcomes.is(outcome), outcomes.fails()]);
  }

  private outcomesOf<Query, Field>(
    operator: string,
    first: Operand,
    second: Operand,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Outcomes<Query> {
    const field = (operand: Operand): Field => fieldOf(operand, store, bound);
    switch (operator) {
      case 'has':
        return store.presence(field(first));
      case 'eq':
      case 'lt':
      case 'le':
      case 'gt':
      case 'ge':
        if ('value' in first) return this.comparedWith(second, MIRRORED[operator], first.value, store, field);
        if ('value' in second) return this.comparedWith(first, operator, second.value, store, field);
        return comparedOperands(first, operator, second, store, field);
      case 'in':
        if ('value' in second) return store.among(field(first), this.scalars(operator, second.value));
        if ('value' in first) return sharing(operator, field(second), this.scalars(operator, [first.value]), store);
        throw new Refusal(operator, 'of two attributes');
      case 'hasIntersection':
      case 'has_intersection':
      case 'sets.intersects': {
        const [list, constants] = 'value' in first ? [second, first] : [first, second];
        if (!('value' in constants)) throw new Refusal(operator, 'of two attributes');
        return sharing(operator, field(list), this.scalars(operator, constants.value), store);
      }
      case 'startsWith':
      case 'endsWith':
      case 'contains':
        if (!('value' in second) || typeof second.value !== 'string')
          throw new Refusal(operator, 'of anything but a constant string');
        return store.text(field(first), operator, plainText(operator, second.value));
      default:
        throw new Refusal(operator, 'cannot be translated exactly');
    }
  }

  private comparedWith<Query, Field>(
    operand: Operand,
    comparison: Comparison,
    constant: JsonValue,
    store: Store<Query, Field>,
    field: (operand: Operand) => Field,
  ): Outcomes<Query> {
    const [sized] = operandsOf(operand, 'size') ?? [];
    if (sized !== undefined) {
      if (store.size === undefined) throw new Refusal('size', 'cannot be translated exactly');
      if (typeof constant !== 'number') throw new Refusal('size', 'compared with something that is not a number');
      return store.size(field(sized), comparison, constant);
    }
    const [value] = this.scalars(comparison, [constant]) as [Scalar];
    if (comparison !== 'eq' && typeof value !== 'string' && typeof value !== 'number')
      throw new Refusal(comparison, 'the order of something that is neither a string nor a number');
    return store.compared(field(operand), comparison, value);
  }

  /** The constants of a list. */
  private scalars(operator: string, list: JsonValue): readonly Scalar[] {
    if (!Array.isArray(list)) throw new Refusal(operator, 'of something that is not a list');
    this.step(list.length);
    if (list.length === 0) throw new Refusal(operator, 'of an empty list');
    return list.map((value: JsonValue) => {
      if (typeof value === 'string') return plainText(operator, value);
      if (value === null || typeof value !== 'object') return value;
      throw new Refusal(operator, 'a comparison with a list or a map');
    });
  }

  private quantified<Query, Field>(
    { operator, operands }: Expression,
    wanted: Wanted,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Query {
    const { outcome, orFails } = wanted;
    const [range, lambda] = operands as [Operand, Operand];
    const [body, ...variables] = operandsOf(lambda, 'lambda') ?? [];
    const [variable] = variables;
    if (body === undefined || variables.length !== 1 || variable === undefined || !('variable' in variable))
      throw new Refusal(operator, 'over a lambda that has not one variable');
    const name = variable.variable;
    const isSome = (operator === 'exists') === outcome;
    if ('value' in range) {
      const each = constantElements(operator, range.value).map((value) =>
        this.where(replaced(body, name, value), wanted, store, bound),
      );
      return isSome ? store.anyOf(each) : store.allOf(each);
    }
    const list = fieldOf(range, store, bound);
    const sought = soughtElements(operator, body, name);
    if (sought !== undefined && store.sharing !== undefined) {
      const isShared = store.sharing(list, this.scalars(operator, sought));
      const shared = operator === 'exists' ? outcome : !outcome;
      if (!orFails) return isShared.is(shared);
      return isShared.isNot?.(!shared) ?? store.anyOf([isShared.is(shared), isShared.fails()]);
    }
    if (store.elements === undefined) throw new Refusal(operator, 'over the elements of a list');
    const { element, some, every, fails } = store.elements(list);
    const inner = new Map([...bound, [name, element]]);
    const bodyIs = (part: Wanted) => (): Query => this.where(body, part, store, inner);
    const unwanted = { outcome: !outcome, orFails: !orFails };
    const found = isSome ? some(bodyIs(wanted)) : every(bodyIs(wanted), bodyIs(unwanted));
    return orFails ? store.anyOf([found, fails()]) : found;
  }
}

const MIRRORED: { readonly [comparison in Comparison]: Comparison } = {
  eq: 'eq',
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
};

function sharing<Query, Field>(
  operator: string,
  list: Field,
  constants: readonly Scalar[],
  store: Store<Query, Field>,
): Outcomes<Query> {
  if (store.sharing === undefined) throw new Refusal(operator, 'of a list that is stored');
  return store.sharing(list, constants);
}

function comparedOperands<Query, Field>(
  first: Operand,
  comparison: Comparison,
  second: Operand,
  store: Store<Query, Field>,
  field: (operand: Operand) => Field,
): Outcomes<Query> {
  const [typed] = operandsOf(first, 'type') ?? [];
  if (typed !== undefined && comparison === 'eq' && 'variable' in second && TYPES.has(second.variable)) {
    if (store.typed === undefined) throw new Refusal('type', 'cannot be translated exactly');
    return store.typed(field(typed), second.variable);
  }
  if (store.comparedFields === undefined) throw new Refusal(comparison, 'of two attributes');
  return store.comparedFields(field(first), comparison, field(second));
}

/** The types of attributes. */
const TYPES: ReadonlySet<string> = new Set(['string', 'double', 'bool', 'null_type', 'list', 'map']);

/** Stores keep strings as UTF-8, which has no unpaired surrogates, and not all of them keep NUL. */
function plainText(operator: string, text: string): string {
  if (/\p{Surrogate}|\0/u.test(text)) throw new Refusal(operator, 'a string with NUL or an unpaired surrogate');
  return text;
}

const ATTRIBUTES = 'request.resource.attr';

/** An attribute, or a field of one. */
function isSelection(operand: Operand): boolean {
  return (
    'variable' in operand ||
    operandsOf(operand, 'get-field') !== undefined ||
    operandsOf(operand, 'index') !== undefined
  );
}

/** What an operand reads. */
function fieldOf<Query, Field>(operand: Operand, store: Store<Query, Field>, bound: ReadonlyMap<string, Field>): Field {
  if ('value' in operand) throw new Refusal('value', 'a constant in the position of an attribute');
  if ('variable' in operand) {
    const { variable } = operand;
    const [root, ...fields] = variable.split('.') as [string, ...string[]];
    const element = bound.get(root);
    if (element !== undefined) return fields.reduce<Field>((object, name) => store.below(object, name), element);
    if (variable === 'request.resource.id') return store.id();
    if (variable.startsWith(`${ATTRIBUTES}.`)) return store.attribute(fields.slice(2));
    throw new Refusal('variable', `nothing is mapped for ${variable}`);
  }
  const { operator, operands } = operand.expression;
  const [object, key] = operands as [Operand, Operand];
  if (operator !== 'get-field' && operator !== 'index') throw new Refusal(operator, 'cannot be translated exactly');
  const name = 'variable' in key && operator === 'get-field' ? key.variable : 'value' in key ? key.value : undefined;
  if (typeof name !== 'string') throw new Refusal(operator, 'by something that is not a known name');
  if ('variable' in object && object.variable === ATTRIBUTES) return store.attribute([name]);
  return store.below(fieldOf(object, store, bound), name);
}

/** Whether an operand reads nothing of a row. */
function isKnown(operand: Operand): boolean {
  if ('value' in operand) return true;
  if ('variable' in operand) return false;
  const { operator, operands } = operand.expression;
  return operator !== 'timeSince' && operands.every(isKnown);
}

function hasOutcome(condition: Operand, { outcome, orFails }: Wanted): boolean {
  const isTrue = (operand: Operand): boolean => selects({ kind: 'KIND_CONDITIONAL', condition: operand }, { attr: {} });
  return orFails
    ? !isTrue(outcome ? expression('not', condition) : condition)
    : isTrue(outcome ? condition : expression('not', condition));
}

function constantElements(operator: string, range: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(range)) throw new Refusal(operator, 'over a constant that is not a list');
  if (range.length > MOST_CONSTANT_ELEMENTS) throw new Refusal(operator, 'over a constant list that is too long');
  return range as readonly JsonValue[];
}

/** A body with a constant in the place of its variable. */
function replaced(operand: Operand, name: string, value: JsonValue): Operand {
  if ('value' in operand) return operand;
  if ('variable' in operand) {
    const [root, ...fields] = operand.variable.split('.');
    if (root !== name) return operand;
    const constant: Operand = { value };
    return fields.reduce<Operand>((object, field) => expression('get-field', object, { value: field }), constant);
  }
  const { operator, operands } = operand.expression;
  const variables = operator === 'lambda' ? operands.slice(1) : [];
  if (variables.some((variable) => 'variable' in variable && variable.variable === name)) return operand;
  return expression(operator, ...operands.map((part) => replaced(part, name, value)));
}

/** The constants that `exists(t, t == c)`, `exists(t, t in cs)` and `all(t, t != c)` look for. */
function soughtElements(quantifier: string, body: Operand, name: string): readonly JsonValue[] | undefined {
  if (!('expression' in body)) return undefined;
  const { operator, operands } = body.expression;
  const [first, second] = operands as [Operand, Operand];
  const isElement = (operand: Operand): boolean => 'variable' in operand && operand.variable === name;
  if (operator === 'in' && quantifier === 'exists')
    return isElement(first) && 'value' in second && Array.isArray(second.value)
      ? (second.value as readonly JsonValue[])
      : undefined;
  if (operator !== (quantifier === 'exists' ? 'eq' : 'ne')) return undefined;
  const constant = isElement(first) ? second : isElement(second) ? first : undefined;
  return constant !== undefined && 'value' in constant ? [constant.value] : undefined;
}
