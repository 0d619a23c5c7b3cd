/** An operand of a filter as it goes over the wire (docs/spec/plans.md#operands). */
export type WireOperand =
  | { readonly value: unknown }
  | { readonly variable: string }
  | { readonly expression: { readonly operator: string; readonly operands: readonly WireOperand[] } };

export interface WireRow {
  readonly id: string;
  readonly attr: { readonly [name: string]: unknown };
}

/**
 * Whether the condition of a filter selects a row; undefined when it has an operator outside the common ones. Written
 * apart from the product, for comparison with it: it works on JSON and knows nothing of the runtime.
 */
export function selectsRow(condition: WireOperand, row: WireRow): boolean | undefined {
  const outcome = evaluate(condition, row, {});
  return outcome === UNSUPPORTED ? undefined : outcome === true;
}

/** An evaluation that failed, as where an attribute is missing. */
const FAILED = Symbol('failed');
/** An operator that is not known here makes the whole outcome unknown. */
const UNSUPPORTED = Symbol('unsupported');

type Bound = { readonly [variable: string]: unknown };

function evaluate(operand: WireOperand, row: WireRow, bound: Bound): unknown {
  if ('value' in operand) return operand.value;
  if ('variable' in operand) return read(operand.variable, row, bound);
  const { operator, operands } = operand.expression;
  const [, lambda] = operands;
  if (
    QUANTIFIERS.has(operator) &&
    lambda !== undefined &&
    'expression' in lambda &&
    lambda.expression.operator === 'lambda'
  ) {
    return quantified(
      operator,
      evaluate(operands[0] as WireOperand, row, bound),
      lambda.expression.operands,
      row,
      bound,
    );
  }
  if (operator === 'has') return hasField(operands[0] as WireOperand, row, bound);
  const values = operands.map((each, position) =>
    operator === 'get-field' && position === 1 ? nameOf(each) : evaluate(each, row, bound),
  );
  if (values.includes(UNSUPPORTED)) return UNSUPPORTED;
  const [first, second, third] = values;
  switch (operator) {
    case 'and':
      return joined(values, false);
    case 'or':
      return joined(values, true);
    case 'unless':
      return first !== true;
    case 'if':
      return typeof first === 'boolean' ? (first ? second : third) : FAILED;
  }
  if (values.includes(FAILED)) return FAILED;
  switch (operator) {
    case 'not':
      return typeof first === 'boolean' ? !first : FAILED;
    case 'eq':
      return isEqual(first, second);
    case 'ne':
      return !isEqual(first, second);
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return ordered(operator, first, second);
    case 'in':
      if (Array.isArray(second)) return second.some((item) => isEqual(item, first));
      return typeof second === 'object' && second !== null && typeof first === 'string'
        ? Object.hasOwn(second, first)
        : FAILED;
    case 'startsWith':
    case 'endsWith':
      return typeof first === 'string' && typeof second === 'string' ? first[operator](second) : FAILED;
    case 'contains':
      return typeof first === 'string' && typeof second === 'string' ? first.includes(second) : FAILED;
    case 'matches':
      return typeof first === 'string' && typeof second === 'string' ? new RegExp(second, 'u').test(first) : FAILED;
    case 'type':
      return typeOf(first);
    case 'size':
      return sizeOf(first);
    case 'sub':
      return typeof first === 'number' && typeof second === 'number' ? first - second : FAILED;
    case 'math.floor':
      return typeof first === 'number' ? Math.floor(first) : FAILED;
    case 'distinct':
      return Array.isArray(first)
        ? first.filter((item, position) => !first.slice(0, position).some((earlier) => isEqual(earlier, item)))
        : FAILED;
    case 'timestamp':
      return first instanceof Moment ? first : typeof first === 'string' ? momentOf(first) : FAILED;
    case 'get-field':
      return field(first, second as string);
    case 'index':
      if (Array.isArray(first))
        return typeof second === 'number' && Object.hasOwn(first, second) ? first[second] : FAILED;
      return typeof second === 'string' ? field(first, second) : FAILED;
    case 'list':
      return values;
    default:
      return UNSUPPORTED;
  }
}

function read(name: string, row: WireRow, bound: Bound): unknown {
  const [root, ...fields] = name.split('.') as [string, ...string[]];
  if (Object.hasOwn(bound, root)) return fields.reduce(field, bound[root]);
  if (TYPES.has(root) && fields.length === 0) return Symbol.for(root);
  if (root !== 'request' || fields[0] !== 'resource') return UNSUPPORTED;
  if (fields[1] === 'id') return row.id;
  return fields[1] === 'attr' ? fields.slice(2).reduce<unknown>(field, row.attr) : UNSUPPORTED;
}

function field(object: unknown, name: string): unknown {
  if (object === UNSUPPORTED) return UNSUPPORTED;
  return isMap(object) && Object.hasOwn(object, name) ? object[name] : FAILED;
}

function hasField(operand: WireOperand, row: WireRow, bound: Bound): unknown {
  if ('value' in operand) return UNSUPPORTED;
  const [object, name] =
    'variable' in operand ? partsOf(operand.variable, row, bound) : ofExpression(operand.expression, row, bound);
  if (object === UNSUPPORTED || object === FAILED) return object;
  return isMap(object) && Object.hasOwn(object, name);
}

function partsOf(variable: string, row: WireRow, bound: Bound): readonly [object: unknown, name: string] {
  const dot = variable.lastIndexOf('.');
  return [read(variable.slice(0, dot), row, bound), variable.slice(dot + 1)];
}

function ofExpression(
  { operator, operands }: { readonly operator: string; readonly operands: readonly WireOperand[] },
  row: WireRow,
  bound: Bound,
): readonly [object: unknown, name: string] {
  if (operator !== 'get-field' && operator !== 'index') return [UNSUPPORTED, ''];
  return [evaluate(operands[0] as WireOperand, row, bound), nameOf(operands[1] as WireOperand)];
}

function nameOf(operand: WireOperand): string {
  return 'variable' in operand ? operand.variable : 'value' in operand ? String(operand.value) : '';
}

function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Moment);
}

/** CEL's `||` when the end is true, its `&&` when it is false: the end absorbs failures. */
function joined(values: readonly unknown[], end: boolean): unknown {
  if (values.includes(UNSUPPORTED)) return UNSUPPORTED;
  if (values.includes(end)) return end;
  return values.every((value) => value === !end) ? !end : FAILED;
}

function quantified(
  operator: string,
  range: unknown,
  [body, variable, other]: readonly WireOperand[],
  row: WireRow,
  bound: Bound,
): unknown {
  if (
    range === UNSUPPORTED ||
    variable === undefined ||
    !('variable' in variable) ||
    (other !== undefined && !('variable' in other))
  )
    return UNSUPPORTED;
  if (!Array.isArray(range) && !isMap(range)) return FAILED;
  // One variable is the item of a list or the key of a map.
  const outcomes = (Array.isArray(range) ? [...range.entries()] : Object.entries(range)).map(([key, item]) => {
    const first = other === undefined && Array.isArray(range) ? item : key;
    return evaluate(body as WireOperand, row, {
      ...bound,
      [variable.variable]: first,
      ...(other !== undefined && { [other.variable]: item }),
    });
  });
  if (operator !== 'exists_one') return joined(outcomes, operator === 'exists');
  if (outcomes.includes(UNSUPPORTED)) return UNSUPPORTED;
  return outcomes.every((outcome) => typeof outcome === 'boolean')
    ? outcomes.filter((outcome) => outcome === true).length === 1
    : FAILED;
}

const QUANTIFIERS: ReadonlySet<string> = new Set(['exists', 'all', 'exists_one']);
const TYPES: ReadonlySet<string> = new Set(['string', 'double', 'bool', 'null_type', 'list', 'map']);

function typeOf(value: unknown): unknown {
  if (value instanceof Moment || typeof value === 'symbol') return UNSUPPORTED;
  if (value === null) return Symbol.for('null_type');
  if (typeof value === 'object') return Symbol.for(Array.isArray(value) ? 'list' : 'map');
  return Symbol.for(
    { string: 'string', number: 'double', boolean: 'bool' }[typeof value as 'string' | 'number' | 'boolean'],
  );
}

function sizeOf(value: unknown): unknown {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  return isMap(value) ? Object.keys(value).length : FAILED;
}

/** A moment of the years 1 to 9999, in nanoseconds since 1970. */
class Moment {
  constructor(readonly nanoseconds: bigint) {}
}

function momentOf(text: string): unknown {
  const [, date, time, fraction = '', sign, hours = '0', minutes = '0'] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text) ?? [];
  const milliseconds = Date.parse(`${date}T${time}Z`);
  // A day that the month does not have, or the hour 24.
  if (
    Number.isNaN(milliseconds) ||
    !new Date(milliseconds).toISOString().startsWith(`${date}T${time}`) ||
    Number(hours) > 23 ||
    Number(minutes) > 59
  )
    return FAILED;
  const offset = (sign === '-' ? -60_000 : 60_000) * (60 * Number(hours) + Number(minutes));
  const utc = milliseconds - offset;
  if (utc < FIRST || utc > LAST) return FAILED;
  return new Moment(BigInt(utc) * 1_000_000n + BigInt(fraction.padEnd(9, '0')));
}

const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59Z');

function ordered(operator: 'lt' | 'le' | 'gt' | 'ge', a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string')
    return compared(operator, Buffer.compare(Buffer.from(a), Buffer.from(b)));
  if (typeof a === 'boolean' && typeof b === 'boolean') return compared(operator, Number(a) - Number(b));
  if (a instanceof Moment && b instanceof Moment)
    return compared(operator, a.nanoseconds < b.nanoseconds ? -1 : Number(a.nanoseconds > b.nanoseconds));
  return typeof a === 'number' && typeof b === 'number' ? compared(operator, a < b ? -1 : Number(a > b)) : FAILED;
}

function compared(operator: 'lt' | 'le' | 'gt' | 'ge', order: number): boolean {
  return { lt: order < 0, le: order <= 0, gt: order > 0, ge: order >= 0 }[operator];
}

function isEqual(a: unknown, b: unknown): boolean {
  if (a instanceof Moment || b instanceof Moment)
    return a instanceof Moment && b instanceof Moment && a.nanoseconds === b.nanoseconds;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && isEqual(value, right.get(key)));
}
