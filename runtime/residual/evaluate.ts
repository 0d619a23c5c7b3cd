import * as cel from '../../packages/cel/runtime/index.js';
import type { Filter } from './filter.js';
import type { JsonValue, Operand } from './operand.js';

/** A resource to match against a filter: the one that check would decide about. */
export interface Row {
  readonly id?: string | undefined;
  /**
   * JSON, including the attributes that the plan's request listed. Other values are converted as clients send them: a
   * Date becomes a string.
   */
  readonly attr: { readonly [name: string]: unknown };
  readonly policyVersion?: string | undefined;
  /**
   * The time of the evaluation: for `timeSince`, whose time filters leave to their reader. Without it a filter that
   * reads the time selects nothing.
   */
  readonly now?: { readonly seconds: number; readonly nanos: number; readonly offset: number } | undefined;
}

/**
 * Whether a filter selects a row: exactly if it is true by check's own semantics, so a missing attribute is a failure,
 * which `and` and `or` may absorb (docs/spec/plans.md#evaluating-a-filter). Supports every operator of filters,
 * including `has` and `unless`.
 * @throws {TypeError} for a value that JSON cannot represent, if the filter reads it.
 * @throws {EvaluationLimitError} for a row that costs more than the limits of a check, or has values nested more than
 * 1,000 levels, as check does.
 */
export function selects(filter: Filter, row: Row): boolean {
  return selectsRow({ functions: cel, isComplete: true }, filter, row);
}

/** `selects`, with some functions of packages/cel/runtime: a bundle carries those that its policies call. */
export function selectsWith(functions: CelFunctions, filter: Filter, row: Row): boolean {
  return selectsRow({ functions, isComplete: false }, filter, row);
}

/** Functions of packages/cel/runtime by name: the namespace, or a part of it. */
export interface CelFunctions {
  readonly [name: string]: unknown;
}

interface Library {
  readonly functions: CelFunctions;
  /** Whether it has all functions: then the call of another one fails. Otherwise it throws. */
  readonly isComplete: boolean;
}

function selectsRow(library: Library, filter: Filter, row: Row): boolean {
  switch (filter.kind) {
    case 'KIND_ALWAYS_ALLOWED':
      return true;
    case 'KIND_ALWAYS_DENIED':
      return false;
    case 'KIND_CONDITIONAL': {
      const time = { isMissed: false };
      const environment = { library, row, bound: new Map(), time };
      return withinLimits(() => evaluate(filter.condition, environment) === true) && !time.isMissed;
    }
  }
}

/** Each row has the default limits of a check. */
function withinLimits(work: () => boolean): boolean {
  const isOutermost = cel.beginLimit(cel.DEFAULT_COST, cel.DEFAULT_MEMORY);
  try {
    return work();
  } catch (error) {
    // A stack overflow, or a string that is too long for the engine.
    throw error instanceof RangeError ? new cel.EvaluationLimitError('depth') : error;
  } finally {
    cel.endLimit(isOutermost);
  }
}

interface Environment {
  readonly library: Library;
  readonly row: Row;
  /** The variables of the enclosing lambdas. */
  readonly bound: ReadonlyMap<string, cel.Value>;
  /** Whether the time was read and is not known: then `unless` must not be true because of it. */
  readonly time: { isMissed: boolean };
}

/** Reading the tree takes longer than the work that conditions are usually charged for. */
const STEPS = 10;

function evaluate(operand: Operand, environment: Environment): cel.Result {
  cel.charge(STEPS);
  if ('value' in operand) return operand.value as cel.Value;
  if ('variable' in operand) return readVariable(operand.variable, environment);
  const { operator, operands } = operand.expression;
  const [first, second, third] = operands as [Operand, Operand, Operand];
  switch (operator) {
    case 'and':
      return evaluateAll(operands, environment).reduce(cel.and, true);
    case 'or':
      return evaluateAll(operands, environment).reduce(cel.or, false);
    case 'not':
      return cel.not(evaluate(first, environment));
    case 'unless':
      return evaluate(first, environment) !== true;
    case 'if':
      return cel.conditional(evaluate(first, environment), evaluate(second, environment), evaluate(third, environment));
    case 'has':
      return isThere(first, environment);
    case 'get-field':
      return cel.select(evaluate(first, environment), readName(second));
    case 'timeSince':
      return timeSince(evaluate(first, environment), environment);
    case 'list':
      return cel.listOf(evaluateAll(operands, environment));
    case 'struct':
      return cel.mapOf(operands.map((entry) => evaluateEntry(entry, environment)));
    default:
      return isMacro(second)
        ? overLambda(operator, evaluate(first, environment), second, environment)
        : called(operator, operands, evaluateAll(operands, environment), environment);
  }
}

function evaluateAll(operands: readonly Operand[], environment: Environment): readonly cel.Result[] {
  return operands.map((operand) => evaluate(operand, environment));
}

/** A name and the fields below it; a bare name that is not bound is a type. */
function readVariable(name: string, { row, bound }: Environment): cel.Result {
  if (bound.has(name)) return bound.get(name);
  const [root, ...fields] = name.split('.') as [string, ...string[]];
  if (bound.has(root)) return fields.reduce<cel.Result>(cel.select, bound.get(root));
  if (root !== 'request' || fields[0] !== 'resource') return cel.typeValue(name);
  const [, field, ...below] = fields;
  if (field === 'id') return textOf(row.id, 'id');
  if (field === 'policyVersion') return textOf(row.policyVersion, 'policyVersion');
  if (field !== 'attr') return below.reduce<cel.Result>(cel.select, undefined);
  const [first, ...deeper] = below;
  // A member is converted when it is read, as in a check.
  const attr = cel.isPlainObject(row.attr) ? row.attr : cel.plainAttributes(row.attr, 'attr');
  if (first === undefined) return cel.json(attr);
  return deeper.reduce<cel.Result>(cel.select, member(attr as cel.JsonMap, first));
}

function textOf(value: unknown, name: string): string {
  if (value !== undefined && typeof value !== 'string')
    throw new cel.NotJsonError(`${name} of the row is not a string`);
  return value ?? '';
}

function member(attr: cel.JsonMap, name: string): cel.Result {
  const value = cel.select(attr, name);
  return cel.isFailure(value) ? value : cel.json(value);
}

function timeSince(t: cel.Result, { row: { now }, time, library }: Environment): cel.Result {
  const run = findFunction('timeSince', library);
  if (now !== undefined) return run?.(t, { now } as never);
  time.isMissed = true;
  return cel.select({}, 'now');
}

function isThere(operand: Operand, environment: Environment): cel.Result {
  if ('variable' in operand) {
    const end = operand.variable.lastIndexOf('.');
    return cel.has(readVariable(operand.variable.slice(0, end), environment), operand.variable.slice(end + 1));
  }
  if ('value' in operand) return true;
  const [object, name] = operand.expression.operands as [Operand, Operand];
  return cel.has(evaluate(object, environment), readName(name));
}

function readName(operand: Operand): string {
  if ('variable' in operand) return operand.variable;
  return 'value' in operand ? String(operand.value) : '';
}

function evaluateEntry(entry: Operand, environment: Environment): readonly [cel.Result, cel.Result] {
  const [key, content] = 'expression' in entry ? (entry.expression.operands as [Operand, Operand]) : [entry, entry];
  const read = evaluate(key, environment);
  // A double is never a key.
  return [isWholeConstant(key) ? BigInt(read as number) : read, evaluate(content, environment)];
}

function isMacro(operand: Operand | undefined): operand is Operand & { readonly expression: object } {
  return operand !== undefined && 'expression' in operand && operand.expression.operator === 'lambda';
}

/**
 * A lambda of three operands has two variables if its middle one is a variable, and not a field or the variable of an
 * enclosing lambda (docs/spec/plans.md#operands).
 */
function overLambda(
  operator: string,
  range: cel.Result,
  lambda: Operand,
  { row, bound, time, library }: Environment,
): cel.Result {
  const operands = 'expression' in lambda ? lambda.expression.operands : [];
  const middle = operands[1];
  const isFiltered =
    operands.length === 4 ||
    (operands.length === 3 &&
      !(middle !== undefined && 'variable' in middle && !middle.variable.includes('.') && !bound.has(middle.variable)));
  const bodies = operands.slice(0, isFiltered ? 2 : 1);
  const variables = operands
    .slice(bodies.length)
    .flatMap((operand) => ('variable' in operand ? [operand.variable] : []));
  const functions = bodies.map((body) => (...items: readonly cel.Value[]): cel.Result => {
    const inner = new Map(bound);
    for (const [position, variable] of variables.entries()) inner.set(variable, items[position] as cel.Value);
    return evaluate(body, { row, bound: inner, time, library });
  });
  const name = macroNamed(operator, variables.length, isFiltered);
  const run = name === undefined ? undefined : (findFunction(name, library) as MacroFunction | undefined);
  return run === undefined ? cel.select({}, operator) : run(range, ...functions);
}

type MacroFunction = (
  range: cel.Result,
  ...bodies: readonly ((...items: readonly cel.Value[]) => cel.Result)[]
) => cel.Result;

function macroNamed(operator: string, variables: number, isFiltered: boolean): string | undefined {
  switch (operator) {
    case 'exists':
    case 'all':
      return variables === 2 ? `${operator}2` : operator;
    case 'exists_one':
      return variables === 2 ? 'existsOne2' : 'existsOne';
    case 'filter':
      return 'filter';
    case 'map':
      return 'mapEach';
    case 'transformList':
      return variables === 1 ? 'mapWhere' : where('transformList', isFiltered);
    case 'transformMap':
    case 'transformMapEntry':
      return where(operator, isFiltered);
    default:
      return undefined;
  }
}

function where(name: string, isFiltered: boolean): string {
  return isFiltered ? `${name}Where` : name;
}

/** The wire has one type of number: a whole constant is an int if a double has no overload. */
function called(
  operator: string,
  operands: readonly Operand[],
  values: readonly cel.Result[],
  { library }: Environment,
): cel.Result {
  const run = functionNamed(operator, library);
  if (run === undefined) return cel.select({}, operator);
  const result = run(...values);
  if (!cel.isFailure(result)) return result;
  const integers = values.map((value, position) =>
    isWholeConstant(operands[position] as Operand) ? BigInt(value as number) : value,
  );
  return integers.some((value) => typeof value === 'bigint') ? run(...integers) : result;
}

function isWholeConstant(operand: Operand): boolean {
  return 'value' in operand && isWhole(operand.value);
}

function isWhole(value: JsonValue): boolean {
  return typeof value === 'number' && Number.isInteger(value);
}

type Run = (...args: readonly cel.Result[]) => cel.Result;

/**
 * The function of packages/cel/runtime for an operator of a filter (docs/spec/plans.md#operator-names); undefined for an unknown
 * name.
 */
function functionNamed(operator: string, library: Library): Run | undefined {
  switch (operator) {
    case 'eq':
      return cel.equals;
    case 'ne':
      return cel.notEquals;
    case 'in':
      return cel.inCollection;
    case 'index':
      return cel.index;
    case 'ip':
      // Of a string, or of a network: one name for both.
      return (value) => findFunction(isNetwork(value) ? 'cidrIp' : 'toIp', library)?.(value);
    case 'matches':
      return findFunction(Object.hasOwn(library.functions, 'matches') ? 'matches' : 'matchesLiteral', library);
    default:
      return findFunction(NAMES.get(operator) ?? camelCase(operator), library);
  }
}

function findFunction(name: string, { functions, isComplete }: Library): Run | undefined {
  const run = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (typeof run === 'function') return run as Run;
  // A failure would be wrong below `unless`.
  if (!isComplete) throw new Error(`no policy of this bundle calls \`${name}\`: use selects of authz/residual`);
  return undefined;
}

function camelCase(operator: string): string {
  return operator.replace(/[._]([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase());
}

function isNetwork(value: cel.Result): boolean {
  return value instanceof cel.Opaque && value.typeName === 'net.CIDR';
}

/** Names that are not the operator's in camel case. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['lt', 'lessThan'],
  ['le', 'atMost'],
  ['gt', 'greaterThan'],
  ['ge', 'atLeast'],
  ['sub', 'subtract'],
  ['mult', 'multiply'],
  ['div', 'divide'],
  ['mod', 'modulo'],
  ['-_', 'negate'],
  ['int', 'toInt'],
  ['uint', 'toUint'],
  ['double', 'toDouble'],
  ['string', 'toText'],
  ['bool', 'toBool'],
  ['bytes', 'toBytes'],
  ['timestamp', 'toTimestamp'],
  ['duration', 'toDuration'],
  ['type', 'typeOf'],
  ['id', 'identity'],
  ['dyn', 'dynOf'],
  ['cidr', 'toCidr'],
  ['path', 'spiffePath'],
  ['name', 'spiffeName'],
  ['math.@max', 'mathGreatest'],
  ['math.@min', 'mathLeast'],
]);
