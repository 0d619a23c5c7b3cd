import type { ResourceInput } from '../../../runtime/engine/index.js';
import type { Filter, Operand, SqlColumn, SqlTable, SqlType } from '../../../runtime/residual/filters.js';

const ATTRIBUTE = 'request.resource.attr.';

/** A table without relations, which a filter does not show. */
interface GuessedTable extends SqlTable {
  readonly columns: { readonly [attributePath: string]: SqlColumn };
}

/**
 * A table for a filter whose author has not declared one: a column for each attribute that the filter reads. Its type is
 * guessed from what the filter compares it with, otherwise from the attribute of the resource, and is otherwise `text`.
 */
export function guessedTable(filter: Filter, { kind, attr = {} }: ResourceInput): GuessedTable {
  const guesses = new Map<string, SqlType | undefined>();
  if (filter.kind === 'KIND_CONDITIONAL') guess(filter.condition, undefined, guesses);
  const columns = [...guesses]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, type]): readonly [string, SqlColumn] => [
      path,
      { column: path.replaceAll('.', '_'), type: type ?? typeOf(valueAt(attr, path)) ?? 'text' },
    ]);
  return {
    name: `${kind.replace(/\W+/g, '_')}s`,
    id: { column: 'id', type: 'text' },
    columns: Object.fromEntries(columns),
  };
}

/** @param type what the operator around the operand tells of it. */
function guess(operand: Operand, type: SqlType | undefined, guesses: Map<string, SqlType | undefined>): void {
  if ('variable' in operand) {
    const { variable } = operand;
    if (!variable.startsWith(ATTRIBUTE)) return;
    const path = variable.slice(ATTRIBUTE.length);
    guesses.set(path, guesses.get(path) ?? type);
  } else if ('expression' in operand) {
    const { operator, operands } = operand.expression;
    const known = operands
      .map((part) => ('value' in part ? typeOf(part.value) : undefined))
      .find((part) => part !== undefined);
    operands.forEach((part, index) => {
      const own = LISTS.has(operator) && index === (operator === 'in' ? 1 : 0) ? 'list' : undefined;
      guess(part, own ?? BY_OPERATOR[operator] ?? (LOGIC.has(operator) ? undefined : toScalar(known)), guesses);
    });
  }
}

/** Operators over a list: its second operand for `in`, its first for the others. */
const LISTS: ReadonlySet<string> = new Set([
  'in',
  'hasIntersection',
  'isSubset',
  'exists',
  'exists_one',
  'all',
  'filter',
  'map',
]);
const LOGIC: ReadonlySet<string> = new Set(['and', 'or', 'not', 'unless', 'if', 'lambda']);
const BY_OPERATOR: { readonly [operator: string]: SqlType | undefined } = { timestamp: 'timestamp' };

function typeOf(value: unknown): SqlType | undefined {
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'text';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'object':
      return value === null ? undefined : 'json';
    default:
      return undefined;
  }
}

/** `x in ["a"]`: the type of the elements is not looked at, they are mostly strings. */
function toScalar(type: SqlType | undefined): SqlType | undefined {
  return type === 'list' ? 'text' : type;
}

function valueAt(attr: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as { readonly [name: string]: unknown })[name];
  }, attr);
}
