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
import {
  asPathTest,
  type CountedElements,
  findCounted,
  isOfType,
  rewrittenForStores,
} from '../../runtime/residual/idioms/index.js';
import { expression, matchOperands } from '../../runtime/residual/operand.js';
import { findProblems } from '../../runtime/residual/problems.js';
import { Refusal } from '../../runtime/residual/sql/refusal.js';
import { UnsupportedPlanError } from '../../runtime/residual/sql/unsupported-plan.js';
import {
  apartComparison,
  calendarTest,
  loweredTest,
  MIRRORED,
  pieceTest,
  plainText,
  splitOf,
  timeComparison,
} from './computed-tests.js';
import { spellings } from './spellings.js';
import type { Bounds, Comparison, Outcomes, Scalar, Store, Wanted } from './store.js';

export * from './store.js';

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
  const problems = findProblems(filter, options.rules?.() ?? [], (part) => attempt(part, store, bounds));
  throw new UnsupportedPlanError(store.target, problems);
}

function attempt<Query, Field>(filter: Filter, store: Store<Query, Field>, bounds: Bounds): Query | Refusal {
  if (filter.kind !== 'KIND_CONDITIONAL') return filter.kind === 'KIND_ALWAYS_ALLOWED' ? store.always : store.never;
  try {
    const translation = new Translation(bounds.steps);
    const query = translation.where(filter.condition, { outcome: true, orFails: false }, store, new Map());
    if (measureDepth(query, bounds.depth) > bounds.depth)
      throw new Refusal('filter', `the query would be nested more than ${bounds.depth} levels`);
    return query;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** The depth of JSON, as far as it matters. */
function measureDepth(json: unknown, most: number): number {
  if (typeof json !== 'object' || json === null || most < 0) return 0;
  let deepest = 0;
  for (const part of Object.values(json)) deepest = Math.max(deepest, measureDepth(part, most - 1));
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
    const query = this.translateOperand(operand, wanted, store, bound);
    this.depth -= 1;
    return query;
  }

  private step(count: number): void {
    this.steps += count;
    if (this.steps > this.most) throw new Refusal('filter', `the query would have more than ${this.most} parts`);
  }

  private translateOperand<Query, Field>(
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
      case 'unread':
        if (store.isText === undefined) return store.never;
        throw new Refusal('value' in first ? String(first.value) : operator, 'of a value that may be a string');
      case 'not':
        return ask(first, { outcome: !outcome, orFails });
      case 'unless':
        return ask(first, { outcome: !outcome, orFails: outcome });
      case 'if':
        return this.chosen([first, second, third], wanted, store, ask);
      default: {
        const isQuantifier = operator === 'exists' || operator === 'all' || operator === 'exists_one';
        if (store.sameList !== undefined && isOfWholeList(operand.expression))
          return this.tested(operand, wanted, store, bound);
        const lifted = isQuantifier ? operand : withoutChoices(operand, () => this.step(1));
        const simple = lifted === operand ? simplified(operand, store, bound) : lifted;
        return simple === operand ? this.tested(operand, wanted, store, bound) : ask(simple, wanted);
      }
    }
  }

  /** `c ? a : b`. A part that cannot be chosen is not translated. */
  private chosen<Query, Field>(
    [condition, whenTrue, whenFalse]: readonly [Operand, Operand, Operand],
    wanted: Wanted,
    store: Store<Query, Field>,
    ask: (part: Operand, wanted: Wanted) => Query,
  ): Query {
    const { orFails } = wanted;
    const [isTrue, isFalse] = [true, false].map((outcome) => ask(condition, { outcome, orFails })) as [Query, Query];
    if (orFails)
      return store.allOf([
        isFalse === store.always ? store.always : store.anyOf([isFalse, ask(whenTrue, wanted)]),
        isTrue === store.always ? store.always : store.anyOf([isTrue, ask(whenFalse, wanted)]),
      ]);
    return store.anyOf([
      isTrue === store.never ? store.never : store.allOf([isTrue, ask(whenTrue, wanted)]),
      isFalse === store.never ? store.never : store.allOf([isFalse, ask(whenFalse, wanted)]),
    ]);
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
      const isTrue = store.compared(resolveField(operand, store, bound), 'eq', true);
      const isFalse = store.compared(resolveField(operand, store, bound), 'eq', false);
      if (!orFails) return (outcome ? isTrue : isFalse).is(true);
      // A value that is not a boolean fails as a condition.
      const opposite = outcome ? isFalse : isTrue;
      return opposite.isNot?.(true) ?? store.anyOf([opposite.is(false), opposite.fails()]);
    }
    if (!('expression' in operand)) throw new Refusal('value', 'a constant as a condition');
    const { operator, operands } = operand.expression;
    const [first, second] = operands as [Operand, Operand];
    const counted = operator === 'exists_one' ? exactlyOne(first, second) : findCounted(operand.expression);
    if (counted !== undefined) return this.counted(counted, wanted, store, bound);
    if (operator === 'exists' || operator === 'all') return this.quantified(operand.expression, wanted, store, bound);
    if (operator === 'ne')
      return this.where(expression('eq', first, second), { outcome: !outcome, orFails }, store, bound);
    const outcomes = this.translateTest(operator, first, second, store, bound);
    if (!orFails) return outcomes.is(outcome);
    return outcomes.isNot?.(!outcome) ?? store.anyOf([outcomes.is(outcome), outcomes.fails()]);
  }

  private translateTest<Query, Field>(
    operator: string,
    first: Operand,
    second: Operand,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Outcomes<Query> {
    const field = (operand: Operand): Field => resolveField(operand, store, bound);
    switch (operator) {
      case 'has':
        return store.presence(field(first));
      case 'eq':
      case 'lt':
      case 'le':
      case 'gt':
      case 'ge': {
        const timed =
          timeComparison(operator, first, second, store, field) ??
          apartComparison(operator, first, second, store, field);
        if (timed !== undefined) return timed;
        const lowered = operator === 'eq' ? loweredTest(operator, first, second, store, field) : undefined;
        if (lowered !== undefined) return lowered;
        if ('value' in first) return this.comparedWith(second, MIRRORED[operator], first.value, store, field);
        if ('value' in second) return this.comparedWith(first, operator, second.value, store, field);
        return comparedOperands(first, operator, second, store, field);
      }
      case 'in':
        if ('value' in second) return store.among(field(first), this.scalars(operator, second.value));
        if ('value' in first) return sharing(operator, field(second), this.scalars(operator, [first.value]), store);
        if (store.sharingField === undefined) throw new Refusal(operator, 'of two attributes');
        return store.sharingField(field(second), field(first));
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
        return (
          loweredTest(operator, first, second, store, field) ??
          store.text(field(first), operator, plainText(operator, second.value))
        );
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
    const [sized] = matchOperands(operand, 'size') ?? [];
    const split = sized && splitOf(sized, store, field);
    if (split !== undefined && store.pieces !== undefined && Number.isSafeInteger(constant))
      return store.pieces(split.field, split.separator, comparison, constant as number);
    const piece = comparison === 'eq' ? pieceTest(operand, constant, store, field) : undefined;
    if (piece !== undefined) return piece;
    const ofCalendar = calendarTest(operand, comparison, constant, store, field);
    if (ofCalendar !== undefined) return ofCalendar;
    if (sized !== undefined) {
      if (store.size === undefined) throw new Refusal('size', 'cannot be translated exactly');
      if (typeof constant !== 'number') throw new Refusal('size', 'compared with something that is not a number');
      return store.size(field(sized), comparison, constant);
    }
    if (comparison === 'eq' && Array.isArray(constant) && store.sameList !== undefined)
      return store.sameList(field(operand), this.scalars(comparison, constant));
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

  private counted<Query, Field>(
    { range, lambda, comparison, count }: CountedElements,
    { outcome, orFails }: Wanted,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Query {
    const elements = 'value' in range ? undefined : store.elements?.(resolveField(range, store, bound));
    const [body, variable] = matchOperands(lambda, 'lambda') ?? [];
    if (elements?.count === undefined || body === undefined || variable === undefined || !('variable' in variable))
      throw new Refusal('filter', 'of which the elements are counted');
    const inner = new Map([...bound, [variable.variable, elements.element]]);
    const bodyIs = (part: boolean, mayFail: boolean) => (): Query =>
      this.where(body, { outcome: part, orFails: mayFail }, store, inner);
    const isEvaluated = (): Query => store.anyOf([bodyIs(true, false)(), bodyIs(false, false)()]);
    const fails = (): Query => store.allOf([bodyIs(true, true)(), bodyIs(false, true)()]);
    const opposites = { eq: 'ne', ne: 'eq', lt: 'ge', le: 'gt', gt: 'le', ge: 'lt' } as const;
    const compared = outcome ? comparison : opposites[comparison];
    const isCount = (one: Comparison): Query => elements.count?.(bodyIs(true, false), one, count) as Query;
    const holds = store.allOf([
      elements.every(isEvaluated, fails),
      compared === 'ne' ? store.anyOf([isCount('lt'), isCount('gt')]) : isCount(compared),
    ]);
    return orFails ? store.anyOf([holds, elements.some(fails), elements.fails()]) : holds;
  }

  private quantified<Query, Field>(
    { operator, operands }: Expression,
    wanted: Wanted,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Query {
    const { outcome, orFails } = wanted;
    const [range, lambda] = operands as [Operand, Operand];
    const [body, ...variables] = matchOperands(lambda, 'lambda') ?? [];
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
    const list = resolveField(range, store, bound);
    const sought =
      soughtElements(operator, body, name) ??
      (store.spellsElements?.(list) === true ? soughtSpellings(operator, body, name) : undefined);
    if (sought !== undefined && store.sharing !== undefined) {
      const isShared = store.sharing(list, this.scalars(operator, sought));
      const shared = operator === 'exists' ? outcome : !outcome;
      if (!orFails) return isShared.is(shared);
      return isShared.isNot?.(!shared) ?? store.anyOf([isShared.is(shared), isShared.fails()]);
    }
    if (store.spellsElements?.(list) === true && isOfAnyString(body, name)) {
      if (operator === 'all') return outcome ? store.always : store.never;
      if (store.size !== undefined) return store.size(list, 'gt', 0).is(outcome);
    }
    const among = soughtField(operator, body, name);
    if (among !== undefined && store.sharingField !== undefined && store.size !== undefined) {
      const isShared = store.sharingField(list, resolveField(among, store, bound));
      const isEmpty = store.size(list, 'eq', 0);
      const shared = operator === 'exists' ? outcome : !outcome;
      const is = shared ? isShared.is(true) : store.anyOf([isShared.is(false), isEmpty.is(true)]);
      return orFails ? store.anyOf([is, store.allOf([isShared.fails(), isEmpty.is(false)])]) : is;
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

/** `exists_one` as a count. */
function exactlyOne(range: Operand, lambda: Operand): CountedElements | undefined {
  const size = expression('size', expression('filter', range, lambda));
  return findCounted({ operator: 'eq', operands: [size, { value: 1 }] });
}

/** `R.attr.tags == ["red"]`. */
function isOfWholeList({ operator, operands: [first, second] }: Expression): boolean {
  if (operator !== 'eq' && operator !== 'ne') return false;
  const [read, list] = first !== undefined && 'value' in first ? [second, first] : [first, second];
  if (read === undefined || list === undefined || !('value' in list) || !isSelection(read)) return false;
  return Array.isArray(list.value) && list.value.length > 0 && list.value.every(isScalar);
}

function isScalar(value: JsonValue): boolean {
  return value !== null && typeof value !== 'object';
}

/** An operand in terms of tests that stores have. */
function simplified<Query, Field>(
  operand: Operand,
  store: Store<Query, Field>,
  bound: ReadonlyMap<string, Field>,
): Operand {
  const onPath = asPathTest(operand);
  if (onPath === undefined) return rewrittenForStores(operand);
  const { path, test } = onPath;
  if (store.isText?.(resolveField(path, store, bound)) === true) return test;
  return expression('if', isOfType(path, 'list'), UNREAD, test);
}

/** What is neither true nor false, nor fails: it selects nothing. */
const UNREAD: Operand = expression('unread', { value: 'hierarchy' });

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
  const [typed] = matchOperands(first, 'type') ?? [];
  if (typed !== undefined && comparison === 'eq' && 'variable' in second && TYPES.has(second.variable)) {
    if (store.typed === undefined) throw new Refusal('type', 'cannot be translated exactly');
    return store.typed(field(typed), second.variable);
  }
  if (store.comparedFields === undefined) throw new Refusal(comparison, 'of two attributes');
  return store.comparedFields(field(first), comparison, field(second));
}

/** The types of attributes. */
const TYPES: ReadonlySet<string> = new Set(['string', 'double', 'bool', 'null_type', 'list', 'map']);

const ATTRIBUTES = 'request.resource.attr';

/** An attribute, or a field of one. */
function isSelection(operand: Operand): boolean {
  return (
    'variable' in operand ||
    matchOperands(operand, 'get-field') !== undefined ||
    matchOperands(operand, 'index') !== undefined
  );
}

/** What an operand reads. */
function resolveField<Query, Field>(
  operand: Operand,
  store: Store<Query, Field>,
  bound: ReadonlyMap<string, Field>,
): Field {
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
  return store.below(resolveField(object, store, bound), name);
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

/** The strings that `exists(t, t.lowerAscii() == c)` looks for. */
function soughtSpellings(quantifier: string, body: Operand, name: string): readonly JsonValue[] | undefined {
  const [first, second] = matchOperands(body, quantifier === 'exists' ? 'eq' : 'ne') ?? [];
  const [lowered, constant] = first !== undefined && 'value' in first ? [second, first] : [first, second];
  if (lowered === undefined || constant === undefined || !isLowered(lowered, name)) return undefined;
  if (!('value' in constant) || typeof constant.value !== 'string') return undefined;
  return /[A-Z]/.test(constant.value) ? undefined : spellings(constant.value);
}

function isLowered(operand: Operand, name: string): boolean {
  const [text] = matchOperands(operand, 'lowerAscii') ?? [];
  return text !== undefined && 'variable' in text && text.variable === name;
}

/** `t.lowerAscii() == t.lowerAscii() || t.lowerAscii() != t.lowerAscii()`, by which rewritings say that it can be evaluated. */
function isOfAnyString(body: Operand, name: string): boolean {
  const tests = matchOperands(body, 'or') ?? [];
  return (
    tests.length === 2 &&
    tests.every((test, index) => matchOperands(test, index === 0 ? 'eq' : 'ne')?.every((part) => isLowered(part, name)))
  );
}

/** The field of the row that `exists(t, t == f)` looks for. */
function soughtField(quantifier: string, body: Operand, name: string): Operand | undefined {
  const [first, second] = matchOperands(body, quantifier === 'exists' ? 'eq' : 'ne') ?? [];
  if (first === undefined || second === undefined) return undefined;
  const isElement = (operand: Operand): boolean => 'variable' in operand && operand.variable === name;
  const isOfRow = (operand: Operand): boolean => 'variable' in operand && operand.variable.startsWith(`${ATTRIBUTES}.`);
  if (isElement(first) && isOfRow(second)) return second;
  return isElement(second) && isOfRow(first) ? first : undefined;
}
