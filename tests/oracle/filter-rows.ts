/** An operand of a filter as it goes over the wire (planner.md 3.7). */
export type WireOperand =
  | { readonly value: unknown }
  | { readonly variable: string }
  | { readonly expression: { readonly operator: string; readonly operands: readonly WireOperand[] } };

export interface WireRow {
  readonly id: string;
  readonly attr: { readonly [name: string]: unknown };
}

/**
 * Whether the condition of a filter selects a row; undefined when it has an operator outside the common ones. Written apart from the product, for
 * comparison with it: it works on JSON and knows nothing of the runtime.
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
  if ((operator === 'exists' || operator === 'all') && lambda !== undefined && 'expression' in lambda && lambda.expression.operator === 'lambda') {
    return quantified(operator, evaluate(operands[0] as WireOperand, row, bound), lambda.expression.operands, row, bound);
  }
  if (operator === 'has') return hasField(operands[0] as WireOperand, row, bound);
  const values = operands.map((each) => evaluate(each, row, bound));
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
      return typeof second === 'object' && second !== null && typeof first === 'string' ? Object.hasOwn(second, first) : FAILED;
    case 'startsWith':
      return typeof first === 'string' && typeof second === 'string' ? first.startsWith(second) : FAILED;
    case 'list':
      return values;
    default:
      return UNSUPPORTED;
  }
}

function read(name: string, row: WireRow, bound: Bound): unknown {
  const [root, ...fields] = name.split('.') as [string, ...string[]];
  if (Object.hasOwn(bound, root)) return fields.reduce(field, bound[root]);
  if (root !== 'request' || fields[0] !== 'resource') return UNSUPPORTED;
  if (fields[1] === 'id') return row.id;
  return fields[1] === 'attr' ? fields.slice(2).reduce<unknown>(field, row.attr) : UNSUPPORTED;
}

function field(object: unknown, name: string): unknown {
  const isMap = typeof object === 'object' && object !== null && !Array.isArray(object);
  return isMap && Object.hasOwn(object, name) ? (object as { readonly [key: string]: unknown })[name] : FAILED;
}

function hasField(operand: WireOperand, row: WireRow, bound: Bound): unknown {
  if (!('variable' in operand)) return UNSUPPORTED;
  const dot = operand.variable.lastIndexOf('.');
  const object = read(operand.variable.slice(0, dot), row, bound);
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return object === UNSUPPORTED ? UNSUPPORTED : FAILED;
  return Object.hasOwn(object, operand.variable.slice(dot + 1));
}

/** CEL's `||` when the end is true, its `&&` when it is false: the end absorbs failures. */
function joined(values: readonly unknown[], end: boolean): unknown {
  if (values.includes(UNSUPPORTED)) return UNSUPPORTED;
  if (values.includes(end)) return end;
  return values.every((value) => value === !end) ? !end : FAILED;
}

function quantified(operator: string, range: unknown, [body, variable, other]: readonly WireOperand[], row: WireRow, bound: Bound): unknown {
  if (range === UNSUPPORTED || other !== undefined || variable === undefined || !('variable' in variable)) return UNSUPPORTED;
  if (!Array.isArray(range)) return typeof range === 'object' && range !== null ? UNSUPPORTED : FAILED;
  return joined(range.map((item) => evaluate(body as WireOperand, row, { ...bound, [variable.variable]: item })), operator === 'exists');
}

function ordered(operator: 'lt' | 'le' | 'gt' | 'ge', a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') return compared(operator, Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return typeof a === 'number' && typeof b === 'number' ? compared(operator, a - b) : FAILED;
}

function compared(operator: 'lt' | 'le' | 'gt' | 'ge', order: number): boolean {
  return { lt: order < 0, le: order <= 0, gt: order > 0, ge: order >= 0 }[operator];
}

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && isEqual(value, right.get(key)));
}
