import { expression, joined, type JsonValue, type Operand, matchOperands } from './operand.js';
import { ATTRIBUTES } from './term.js';

/**
 * A filter that says with null what is missing, for adapters that know neither `has` nor `unless`: where an attribute is
 * absent, its column is NULL (docs/spec/plans.md#missing-as-null). It has neither operator, and `not` only before calls
 * that have no opposite. What it cannot say does not select a row.
 *
 * @param operand written with `unless` (`nots: 'exact'`).
 */
export function withNulls(operand: Operand): Operand {
  return new NullForm(presentIn(operand)).is(operand, true);
}

/**
 * The forms of an operand. In CEL it is true, false, or cannot be evaluated: that it is one of these, and that it is not,
 * are different questions.
 */
class NullForm {
  /** @param present the names of attributes that every selected row has. */
  constructor(private readonly present: ReadonlySet<string>) {}

  /** True only where an operand is `outcome`. */
  is(operand: Operand, outcome: boolean): Operand {
    if ('value' in operand) return { value: operand.value === outcome };
    // Adapters know a variable as an operand, not as a condition.
    if ('variable' in operand) return expression('eq', operand, { value: outcome });
    const { operator, operands } = operand.expression;
    const [first, second, third] = operands as [Operand, Operand, Operand];
    switch (operator) {
      case 'and':
      case 'or': {
        const parts = operands.map((part) => this.is(part, outcome));
        return joined((operator === 'and') === outcome ? 'and' : 'or', parts, 'flat');
      }
      case 'not':
        return this.is(first, !outcome);
      case 'unless':
        return outcome ? this.isNot(first, true) : this.is(first, true);
      case 'if':
        return anyOf(
          allOf(this.is(first, true), this.is(second, outcome)),
          allOf(this.is(first, false), this.is(third, outcome)),
        );
      case 'has':
        if (outcome) return isPath(first) ? isPresent(first) : NEVER;
        // Below an attribute, presence cannot be tested if the attribute is absent.
        return isAttribute(first) ? isAbsent(first) : NEVER;
      case 'exists':
      case 'all': {
        const quantifier = (operator === 'exists') === outcome ? 'exists' : 'all';
        return quantified(quantifier, first, second, (body) => this.is(body, outcome));
      }
      default:
        return this.comparison(operand, outcome, false);
    }
  }

  /** True only where an operand is not `outcome`: it is the opposite, or cannot be evaluated. */
  private isNot(operand: Operand, outcome: boolean): Operand {
    if ('value' in operand) return { value: operand.value !== outcome };
    if ('variable' in operand) return anyOf(this.is(operand, !outcome), ...this.absentable(operand).map(isAbsent));
    const { operator, operands } = operand.expression;
    const [first, second, third] = operands as [Operand, Operand, Operand];
    switch (operator) {
      case 'and':
      case 'or': {
        const parts = operands.map((part) => this.isNot(part, outcome));
        return joined((operator === 'and') === outcome ? 'or' : 'and', parts, 'flat');
      }
      case 'not':
        return this.isNot(first, !outcome);
      case 'unless':
        return outcome ? this.is(first, true) : this.isNot(first, true);
      case 'if':
        return allOf(
          anyOf(this.isNot(first, true), this.isNot(second, outcome)),
          anyOf(this.isNot(first, false), this.isNot(third, outcome)),
        );
      case 'has':
        if (!isPath(first)) return NEVER;
        return outcome ? isAbsent(first) : isPresent(first);
      case 'exists':
      case 'all': {
        const quantifier = (operator === 'exists') === outcome ? 'all' : 'exists';
        return quantified(quantifier, first, second, (body) => this.isNot(body, outcome));
      }
      default:
        return this.comparison(operand, outcome, true);
    }
  }

  /**
   * A comparison, or another call: that it is `outcome`, or that it is not.
   * @param orFails whether it may also be impossible to evaluate, instead of being the opposite.
   */
  private comparison(operand: Operand, outcome: boolean, orFails: boolean): Operand {
    if (asksForPresence(operand)) return NEVER;
    const isSaid = outcome !== orFails;
    const { operator, path } = comparedWithNull(operand) ?? {};
    if (path !== undefined) {
      // No attribute is null: the column of one that is missing is.
      const isNull = (operator === 'eq') === isSaid;
      if (orFails) return isNull ? isAbsent(path) : ALWAYS;
      return isNull ? NEVER : isPresent(path);
    }
    const tested = typeTested(operand);
    if (tested !== undefined) return typeForm(tested, tested.isEqual === isSaid, orFails);
    const call = withoutNullElements(operand);
    const said = notEmpty(isSaid ? call : negate(call));
    if (orFails) return anyOf(said, ...this.absentable(operand).map(isAbsent));
    // Adapters differ in whether what does not equal something may be NULL.
    return isNegative(said) ? allOf(...this.absentable(operand, false).map(isPresent), said) : said;
  }

  /**
   * What an operand reads and a selected row may lack.
   * @param always whether only that without which the operand cannot be evaluated.
   */
  private absentable(operand: Operand, always = true): readonly Operand[] {
    return findReads(operand, always).filter((path) => !('variable' in path && this.present.has(path.variable)));
  }
}

const ALWAYS: Operand = { value: true };
const NEVER: Operand = { value: false };

function allOf(...operands: readonly Operand[]): Operand {
  return joined('and', operands, 'flat');
}

function anyOf(...operands: readonly Operand[]): Operand {
  return joined('or', operands, 'flat');
}

function isPresent(path: Operand): Operand {
  return expression('ne', path, { value: null });
}

function isAbsent(path: Operand): Operand {
  return expression('eq', path, { value: null });
}

/** A quantifier over a range, with another body. */
function quantified(
  quantifier: 'exists' | 'all',
  range: Operand,
  lambda: Operand,
  rewritten: (body: Operand) => Operand,
): Operand {
  const [body, ...variables] = matchOperands(lambda, 'lambda') as readonly [Operand, ...Operand[]];
  return expression(quantifier, range, expression('lambda', rewritten(body), ...variables));
}

const OPPOSITES: ReadonlyMap<string, string> = new Map([
  ['eq', 'ne'],
  ['ne', 'eq'],
  ['lt', 'ge'],
  ['ge', 'lt'],
  ['le', 'gt'],
  ['gt', 'le'],
]);

/** Where both can be evaluated, the opposite. */
function negate(operand: Operand): Operand {
  if (!('expression' in operand)) return expression('not', operand);
  const { operator, operands } = operand.expression;
  const opposite = OPPOSITES.get(operator);
  return opposite === undefined ? expression('not', operand) : expression(opposite, ...operands);
}

/** No size is negative, and adapters know `size(x) > 0` better than `size(x) != 0`. */
function notEmpty(operand: Operand): Operand {
  const [size, zero] = matchOperands(operand, 'ne') ?? [];
  const isTest = size !== undefined && matchOperands(size, 'size') !== undefined && zero !== undefined && isZero(zero);
  return isTest ? expression('gt', size, zero) : operand;
}

function isZero(operand: Operand): boolean {
  return 'value' in operand && operand.value === 0;
}

function isNegative(operand: Operand): boolean {
  return matchOperands(operand, 'ne') !== undefined || matchOperands(operand, 'not') !== undefined;
}

/** Whether the value of a call depends on presence, which only a condition can say with null. */
function asksForPresence(operand: Operand): boolean {
  if (!('expression' in operand)) return false;
  const { operator, operands } = operand.expression;
  return operator === 'has' || operator === 'unless' || operands.some(asksForPresence);
}

/** What a comparison with null compares, if it can be missing. */
function comparedWithNull(operand: Operand): { readonly operator: string; readonly path: Operand } | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const [left, right] = operands as [Operand, Operand];
  if (operator !== 'eq' && operator !== 'ne') return undefined;
  const path = isNull(right) ? left : isNull(left) ? right : undefined;
  return path !== undefined && isPath(path) ? { operator, path } : undefined;
}

/** A test of the type of a path. */
interface TypeTest {
  readonly isEqual: boolean;
  readonly path: Operand;
  readonly type: string;
}

function typeTested(operand: Operand): TypeTest | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const [left, right] = operands as [Operand, Operand];
  const [path] = matchOperands(left, 'type') ?? [];
  if ((operator !== 'eq' && operator !== 'ne') || path === undefined || !isPath(path) || !('variable' in right))
    return undefined;
  return { isEqual: operator === 'eq', path, type: right.variable };
}

/**
 * Adapters do not know types, so a type is tested by a comparison that only its values satisfy. That a value has another
 * type is not said.
 */
function typeForm({ path, type }: TypeTest, isOfType: boolean, orFails: boolean): Operand {
  const values = isOfType ? ofType(path, type) : NEVER;
  return orFails ? anyOf(values, isAbsent(path)) : values;
}

function ofType(path: Operand, type: string): Operand {
  switch (type) {
    case 'string':
      return expression('ge', path, { value: '' });
    case 'double':
      return anyOf(expression('lt', path, { value: 0 }), expression('ge', path, { value: 0 }));
    case 'bool':
      return expression('in', path, { value: [true, false] });
    case 'null_type':
      return NEVER;
    default:
      return expression('eq', expression('type', path), { variable: type });
  }
}

function isNull(operand: Operand): boolean {
  return 'value' in operand && operand.value === null;
}

/** No attribute is null, and adapters disagree on lists that contain it. */
function withoutNullElements(operand: Operand): Operand {
  const [element, list] = matchOperands(operand, 'in') ?? [];
  if (element === undefined || list === undefined || !('value' in list) || !Array.isArray(list.value)) return operand;
  const elements = (list.value as readonly JsonValue[]).filter((one) => one !== null);
  return elements.length === list.value.length ? operand : expression('in', element, { value: elements });
}

/** What a selected row must have, because a part of the filter asks for it or compares it. */
function presentIn(operand: Operand): ReadonlySet<string> {
  const parts = matchOperands(operand, 'and') ?? [operand];
  const paths = parts.flatMap((part) => {
    const presence = matchOperands(part, 'has');
    if (presence !== undefined) return presence.filter(isPath);
    return 'expression' in part && IMPLYING.has(part.expression.operator) ? findReads(part, true) : [];
  });
  return new Set(paths.flatMap((path) => ('variable' in path ? [path.variable] : [])));
}

/** What these compare is not NULL where they are true, whatever the adapter. */
const IMPLYING: ReadonlySet<string> = new Set(['eq', 'lt', 'le', 'gt', 'ge', 'in']);

/** An attribute, what is below one, or a field of an element of a list: a column that may be NULL. */
function isPath(operand: Operand): boolean {
  if ('value' in operand) return false;
  if ('variable' in operand)
    return operand.variable.startsWith('request.')
      ? operand.variable.startsWith(`${ATTRIBUTES}.`)
      : operand.variable.includes('.');
  const { operator, operands } = operand.expression;
  const [from, key] = operands as [Operand, Operand];
  if (operator === 'get-field') return isRoot(from) || isPath(from);
  return operator === 'index' && 'value' in key && (isRoot(from) || isPath(from));
}

/** The attributes as a whole, or an element of a list. */
function isRoot(operand: Operand): boolean {
  return 'variable' in operand && (operand.variable === ATTRIBUTES || !operand.variable.includes('.'));
}

function isAttribute(operand: Operand): boolean {
  return (
    'variable' in operand &&
    operand.variable.startsWith(`${ATTRIBUTES}.`) &&
    !operand.variable.includes('.', ATTRIBUTES.length + 1)
  );
}

/**
 * The paths that a call reads, each once; not those of the elements of its own macros.
 * @param always whether only those without which it cannot be evaluated.
 */
function findReads(operand: Operand, always: boolean): readonly Operand[] {
  const reads = new Map<string, Operand>();
  const visit = (part: Operand, own: ReadonlySet<string>): void => {
    if (isPath(part)) {
      if (!own.has(getRoot(part))) reads.set(JSON.stringify(part), part);
      return;
    }
    if (!('expression' in part)) return;
    const { operator, operands } = part.expression;
    const variables = operator === 'lambda' ? operands.slice(1).map(getRoot) : [];
    const inside = variables.length === 0 ? own : new Set([...own, ...variables]);
    const evaluated = always && SOMETIMES.has(operator) ? operands.slice(0, SOMETIMES.get(operator)) : operands;
    // Lists are there; to many adapters they are related rows, which cannot be compared with null.
    for (const inner of operator === 'in' ? evaluated.slice(0, 1) : evaluated) visit(inner, inside);
  };
  visit(operand, new Set());
  return [...reads.values()];
}

/** How many operands are always evaluated, of operators that do not always evaluate all. */
const SOMETIMES: ReadonlyMap<string, number> = new Map([
  ['and', 0],
  ['or', 0],
  ['if', 1],
  ['lambda', 0],
]);

/** The name that a path begins with. */
function getRoot(operand: Operand): string {
  if ('variable' in operand) return (operand.variable.split('.') as [string])[0];
  return 'expression' in operand ? getRoot(operand.expression.operands[0] as Operand) : '';
}
