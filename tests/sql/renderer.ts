import type { Expression, Filter, JsonValue, Operand } from '../../runtime/residual/index.js';
import { equal, intersection, membership, ordered, subset } from './comparisons.js';
import { add, arithmetic, contains, endsWith, inCase, size, startsWith } from './functions.js';
import { isQuantifier, quantified } from './quantifiers.js';
import { type Parameter, Refusal, Statement } from './statement.js';
import { asBoolean, constant, element, field, ofBoolean, part, type SqlValue, valueOf } from './value.js';

/**
 * A filter as an SQLite condition on a table `resource` with the columns `id` and `attr`, a JSON document; or the
 * operator that it cannot express exactly.
 */
export type Rendering =
  | { readonly kind: 'sql'; readonly sql: string; readonly parameters: readonly Parameter[] }
  | { readonly kind: 'refused'; readonly operator: string; readonly reason: string };

/**
 * Renders the filter as SQL. The condition is 1 exactly for the rows that `selects` selects, 0 where the filter is
 * false, and NULL where its evaluation fails, so that SQL's AND, OR and NOT behave like CEL's. Attributes that the
 * plan's request listed must be in the rows.
 */
export function render(filter: Filter): Rendering {
  if (filter.kind !== 'KIND_CONDITIONAL')
    return { kind: 'sql', sql: filter.kind === 'KIND_ALWAYS_ALLOWED' ? '1' : '0', parameters: [] };
  const statement = new Statement();
  try {
    const sql = condition(filter.condition, { statement, bound: new Map() });
    if (sql.length > LONGEST) throw new Refusal('filter', 'the statement is too long');
    return { kind: 'sql', sql, parameters: statement.parameters };
  } catch (error) {
    if (error instanceof Refusal) return { kind: 'refused', operator: error.operator, reason: error.reason };
    throw error;
  }
}

/** SQLite's own limit is a million bytes. */
const LONGEST = 500_000;

interface Scope {
  readonly statement: Statement;
  /** The variables of enclosing lambdas. */
  readonly bound: ReadonlyMap<string, SqlValue>;
}

/** An operand as 1, 0, or NULL where it fails or is not a boolean. */
function condition(operand: Operand, scope: Scope): string {
  return ('expression' in operand ? truth(operand.expression, scope) : undefined) ?? asBoolean(value(operand, scope));
}

function value(operand: Operand, scope: Scope): SqlValue {
  if ('value' in operand) return constant(scope.statement, operand.value);
  if ('variable' in operand) return variable(operand.variable, scope);
  const known = truth(operand.expression, scope);
  return known === undefined ? computed(operand.expression, scope) : ofBoolean(known);
}

/** Operators with a boolean result; undefined for the others. */
function truth({ operator, operands }: Expression, scope: Scope): string | undefined {
  const { statement } = scope;
  const [first, second] = operands as [Operand, Operand];
  const a = (): SqlValue => value(first, scope);
  const b = (): SqlValue => value(second, scope);
  if (isQuantifier(operator)) return overLambda(operator, a(), second, scope);
  switch (operator) {
    case 'and':
    case 'or':
      return joined(
        operator === 'and' ? 'AND' : 'OR',
        operands.map((part) => condition(part, scope)),
      );
    case 'not':
      return `NOT (${condition(first, scope)})`;
    case 'unless':
      return `(${condition(first, scope)}) IS NOT 1`;
    case 'has':
      return presence(first, scope);
    case 'eq':
      return equal(a(), b());
    case 'ne':
      return `NOT (${equal(a(), b())})`;
    case 'lt':
      return ordered(a(), '<', b());
    case 'le':
      return ordered(a(), '<=', b());
    case 'gt':
      return ordered(a(), '>', b());
    case 'ge':
      return ordered(a(), '>=', b());
    case 'in':
      return membership(statement, a(), b());
    case 'startsWith':
      return startsWith(a(), b());
    case 'endsWith':
      return endsWith(a(), b());
    case 'contains':
      return contains(a(), b());
    case 'hasIntersection':
    case 'has_intersection':
    case 'sets.intersects':
      return intersection(statement, a(), b());
    case 'isSubset':
    case 'is_subset':
      return subset(statement, a(), b());
    case 'sets.contains':
      return subset(statement, b(), a());
    default:
      return undefined;
  }
}

/** Operators with any result. */
function computed({ operator, operands }: Expression, scope: Scope): SqlValue {
  const { statement } = scope;
  const [first, second, third] = operands as [Operand, Operand, Operand];
  const a = (): SqlValue => value(first, scope);
  const b = (): SqlValue => value(second, scope);
  switch (operator) {
    case 'if':
      return either(condition(first, scope), b(), value(third, scope));
    case 'get-field':
    case 'index':
      return selected(operator, a(), second, scope);
    case 'list':
    case 'struct': {
      const json = literal({ expression: { operator, operands } });
      if (json === undefined) throw new Refusal(operator, 'of parts that are not constants');
      return constant(statement, json);
    }
    case 'size':
      return size(a());
    case 'lowerAscii':
      return inCase('lower', a());
    case 'upperAscii':
      return inCase('upper', a());
    case 'add':
      return add(a(), b());
    case 'sub':
      return arithmetic(operator, a(), '-', b());
    case 'mult':
      return arithmetic(operator, a(), '*', b());
    case 'div':
      // Division by zero is infinite in CEL and NULL in SQL.
      if (!('value' in second) || typeof second.value !== 'number' || second.value === 0)
        throw new Refusal(operator, 'a divisor that may be zero');
      return arithmetic(operator, a(), '/', b());
    default:
      throw new Refusal(operator, 'cannot be translated exactly');
  }
}

/** The JSON of a list or map literal; undefined where a part is not a constant. */
function literal(operand: Operand): JsonValue | undefined {
  if ('value' in operand) return operand.value;
  if ('variable' in operand) return undefined;
  const { operator, operands } = operand.expression;
  if (operator === 'list') {
    const parts = operands.map(literal);
    return parts.some((part_) => part_ === undefined) ? undefined : (parts as JsonValue[]);
  }
  if (operator !== 'struct') return undefined;
  const entries = operands.map((entry) => ('expression' in entry ? entry.expression.operands.map(literal) : []));
  return entries.every(([key, content]) => typeof key === 'string' && content !== undefined)
    ? Object.fromEntries(entries as [string, JsonValue][])
    : undefined;
}

function variable(name: string, { statement, bound }: Scope): SqlValue {
  const [root, ...fields] = name.split('.') as [string, ...string[]];
  const known = bound.get(root);
  if (known !== undefined) return fields.reduce((object, field_) => field(statement, object, field_), known);
  if (name === 'request.resource.id') return valueOf("'text'", 'resource.id', ['text']);
  const [resource, attr, ...below] = fields;
  if (root !== 'request' || resource !== 'resource' || attr !== 'attr')
    throw new Refusal('variable', `there is no column for ${name}`);
  return below.reduce((object, field_) => field(statement, object, field_), part(statement, 'resource.attr', '$'));
}

/** `has(object.name)`: fails for a list, and is false for a scalar. */
function presence(tested: Operand, scope: Scope): string {
  if ('value' in tested) return '1';
  const [object, name] =
    'variable' in tested ? splitAtEnd(tested.variable) : (tested.expression.operands as [Operand, Operand]);
  const of = value(object, scope);
  const { type } = selected('has', of, name, scope);
  return `CASE WHEN ${of.type} <> 'array' THEN ${type} IS NOT NULL END`;
}

function splitAtEnd(name: string): readonly [Operand, Operand] {
  const end = name.lastIndexOf('.');
  return [{ variable: name.slice(0, end) }, { variable: name.slice(end + 1) }];
}

function selected(operator: string, object: SqlValue, by: Operand, { statement }: Scope): SqlValue {
  if (operator !== 'index' && 'variable' in by) return field(statement, object, by.variable);
  if ('value' in by && typeof by.value === 'string') return field(statement, object, by.value);
  if (operator === 'index' && 'value' in by && isPosition(by.value)) return element(statement, object, by.value);
  throw new Refusal(operator, 'by something that is not a known name or position');
}

function isPosition(position: unknown): position is number {
  return typeof position === 'number' && Number.isInteger(position) && position >= 0 && position < 2 ** 31;
}

function overLambda(
  operator: 'exists' | 'all' | 'exists_one',
  range: SqlValue,
  lambda: Operand,
  { statement, bound }: Scope,
): string {
  const [body, ...variables] =
    'expression' in lambda && lambda.expression.operator === 'lambda' ? lambda.expression.operands : [];
  const names = variables.flatMap((operand) =>
    'variable' in operand && !operand.variable.includes('.') ? [operand.variable] : [],
  );
  // With a lambda variable of that name in scope, a variable cannot be distinguished from a body
  // (docs/spec/plans.md#operands).
  const isClear =
    names.length === variables.length && (names.length === 1 || (names.length === 2 && !bound.has(names[0] as string)));
  if (body === undefined || !isClear) throw new Refusal(operator, 'over a lambda with ambiguous variables');
  return quantified(statement, operator, range, names.length, (values) => {
    return condition(body, {
      statement,
      bound: new Map([...bound, ...names.map((name, index) => [name, values[index] as SqlValue] as const)]),
    });
  });
}

function either(test: string, whenTrue: SqlValue, whenFalse: SqlValue): SqlValue {
  const choice = (a: string, b: string): string => `CASE (${test}) WHEN 1 THEN ${a} WHEN 0 THEN ${b} END`;
  const types = [...new Set([...whenTrue.types, ...whenFalse.types])];
  return valueOf(
    choice(whenTrue.type, whenFalse.type),
    choice(whenTrue.value, whenFalse.value),
    types,
    whenTrue.mayBeInt || whenFalse.mayBeInt,
  );
}

/** As a balanced tree: SQLite limits the depth of an expression. */
function joined(operator: 'AND' | 'OR', conditions: readonly string[]): string {
  const [only] = conditions;
  if (conditions.length <= 1) return only ?? (operator === 'AND' ? '1' : '0');
  const half = conditions.length >> 1;
  return `(${joined(operator, conditions.slice(0, half))}) ${operator} (${joined(operator, conditions.slice(half))})`;
}
