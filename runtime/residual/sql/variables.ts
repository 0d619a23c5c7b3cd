import * as cel from '../../../packages/cel/runtime/index.js';
import type { Expression, JsonValue, Operand } from '../operand.js';
import { presenceOf, readable } from './comparisons.js';
import { ALWAYS, allOf, NEVER, sql, type Sql } from './fragment.js';
import { Refusal } from './refusal.js';
import { attributeValue, fieldOfRow, fieldPresence as fieldOfRowPresence, relationPresence } from './relations.js';
import { columnName, columnValue, rootOf, type Scope } from './scope.js';
import { isRelation } from './table.js';
import { FAILED, type SqlValue } from './value.js';

/** A variable of a filter, and the fields below it. */
export function variableValue(name: string, scope: Scope): SqlValue {
  const [root, ...fields] = name.split('.') as [string, ...string[]];
  const bound = scope.bound.get(root);
  if (bound !== undefined)
    return fields.reduce((object, field) => fieldNamed('get-field', object, field, scope), bound);
  const known = scope.session?.(name);
  if (known !== undefined) return known;
  const own = rootOf(scope);
  if (name === `${own}.id` && scope.table.id !== undefined) return idValue(scope, scope.table.id);
  const { users } = scope;
  if (name === 'request.principal.roles' && users !== undefined) return rolesValue(scope, users.roles);
  if (name === 'request.principal.scope' && users?.scope !== undefined) return columnValue(scope, users.scope);
  const attributes = `${own}.attr.`;
  if (!name.startsWith(attributes)) throw new Refusal('variable', `no column is mapped for ${name}`);
  const path = name.slice(attributes.length).split('.');
  // An attribute may have a column, or each of its fields.
  for (let length = path.length; length > 0; length -= 1) {
    const attribute = path.slice(0, length).join('.');
    if (!Object.hasOwn(scope.table.columns, attribute)) continue;
    const column = attributeValue(scope, scope.table.columns[attribute] as Stored, undefined);
    return path.slice(length).reduce((object, field) => fieldNamed('get-field', object, field, scope), column);
  }
  throw new Refusal('variable', `no column is mapped for ${name}`);
}

function rolesValue(scope: Scope, roles: Stored): SqlValue {
  const { textList } = scope.dialect;
  return textList !== undefined && !isRelation(roles) && roles.type === 'list'
    ? textList(columnName(scope, roles.column, undefined))
    : attributeValue(scope, roles, undefined);
}

/** `object.name`, `object["name"]`, `object[0]`. */
export function selectField(operator: string, object: SqlValue, by: Operand, scope: Scope): SqlValue {
  if (operator === 'get-field' && 'variable' in by) return fieldNamed(operator, object, by.variable, scope);
  if ('value' in by && typeof by.value === 'string') return fieldNamed(operator, object, by.value, scope);
  if (operator === 'index' && 'value' in by && isPosition(by.value)) return elementAt(object, by.value, scope);
  throw new Refusal(operator, 'by something that is not a known name or position');
}

/** Where an attribute or a field is present, or where the object that would contain it is present without it. */
export function presence(tested: Operand, outcome: boolean, scope: Scope): Sql {
  if ('value' in tested) return outcome ? ALWAYS : NEVER;
  if ('variable' in tested) {
    const known = scope.session?.(tested.variable);
    if (known !== undefined && (known.kind === 'scalar' || isAlwaysThere(known)))
      return columnPresence(scope, known, outcome);
  }
  const own = rootOf(scope);
  if ('variable' in tested && tested.variable === `${own}.id` && scope.table.id !== undefined)
    return columnPresence(scope, idValue(scope, scope.table.id), outcome);
  const attributes = `${own}.attr.`;
  if ('variable' in tested && tested.variable.startsWith(attributes)) {
    const attribute = tested.variable.slice(attributes.length);
    if (Object.hasOwn(scope.table.columns, attribute)) {
      const stored = scope.table.columns[attribute] as Stored;
      return isRelation(stored)
        ? relationPresence(scope, stored, undefined, outcome)
        : columnPresence(scope, columnValue(scope, stored), outcome);
    }
    if (!attribute.includes('.')) return columnPresence(scope, variableValue(tested.variable, scope), outcome);
  }
  const object = 'variable' in tested ? readParent(tested.variable, scope) : fieldParent(tested.expression, scope);
  const name =
    'variable' in tested ? tested.variable.slice(tested.variable.lastIndexOf('.') + 1) : readName(tested.expression);
  return fieldPresence(object, name, outcome, scope);
}

function isAlwaysThere(value: SqlValue): boolean {
  return value.kind === 'json' && value.isThere === true;
}

type Stored = Scope['table']['columns'][string];

function idValue(scope: Scope, column: NonNullable<Scope['table']['id']>): SqlValue {
  if (column.type !== 'text' && column.type !== 'uuid' && column.type !== 'integer-as-text')
    throw new Refusal('variable', 'the id of a resource is a string, but its column is not a text column');
  return columnValue(scope, column);
}

function fieldNamed(operator: string, object: SqlValue, name: string, scope: Scope): SqlValue {
  const { dialect } = scope;
  switch (object.kind) {
    case 'json':
      return object.list !== undefined ? FAILED : (dialect.field(object, name) ?? FAILED);
    case 'constant': {
      const value = cel.select(object.value as cel.Result, name);
      return cel.isFailure(value) ? FAILED : { kind: 'constant', value: value as JsonValue };
    }
    case 'row':
      return fieldOfRow(scope, operator, object, name);
    case 'moment':
    case 'shifted':
    case 'rows':
    case 'failed':
      return FAILED;
    case 'scalar':
      if (object.isUnread === true) throw new Refusal(operator, 'a field of a timestamp');
      return FAILED;
  }
}

function elementAt(object: SqlValue, position: number, { dialect }: Scope): SqlValue {
  if (object.kind === 'json') return dialect.element(object, position);
  if (object.kind === 'constant') throw new Refusal('index', 'of a constant');
  if (object.kind === 'rows') throw new Refusal('index', 'of related rows, which have no order');
  return FAILED;
}

function isPosition(position: unknown): position is number {
  return typeof position === 'number' && Number.isInteger(position) && position >= 0 && position < 2 ** 31;
}

function columnPresence(scope: Scope, column: SqlValue, outcome: boolean): Sql {
  const there = readable(scope, column);
  if (outcome) return there;
  if (there === ALWAYS) return NEVER;
  if (column.kind === 'scalar') return sql`${column.sql} IS NULL`;
  return column.kind === 'json' ? sql`${presenceOf(column)} IS NULL` : NEVER;
}

function readParent(name: string, scope: Scope): SqlValue {
  return variableValue(name.slice(0, name.lastIndexOf('.')), scope);
}

function fieldParent(tested: Expression, scope: Scope): SqlValue {
  const [object] = tested.operands as [Operand];
  if ('variable' in object) return variableValue(object.variable, scope);
  if ('value' in object) return { kind: 'constant', value: object.value };
  const { operator, operands } = object.expression;
  if (operator !== 'get-field' && operator !== 'index')
    throw new Refusal('has', `a field of the result of ${operator}`);
  const [inner, by] = operands as [Operand, Operand];
  return selectField(
    operator,
    'variable' in inner ? variableValue(inner.variable, scope) : fieldParent(object.expression, scope),
    by,
    scope,
  );
}

function readName(tested: Expression): string {
  const name = tested.operands[1] as Operand;
  if ('variable' in name) return name.variable;
  if ('value' in name && typeof name.value === 'string') return name.value;
  throw new Refusal('has', 'by something that is not a known name');
}

/** A list has no fields, and any other value has none that are present. */
function fieldPresence(object: SqlValue, name: string, outcome: boolean, scope: Scope): Sql {
  const { dialect } = scope;
  if (object.kind === 'constant') return cel.has(object.value as cel.Result, name) === outcome ? ALWAYS : NEVER;
  if (object.kind === 'json') {
    if (object.list !== undefined) return NEVER;
    const field = dialect.field(object, name);
    if (field === undefined) return outcome ? NEVER : dialect.isOtherThan(object, 'array');
    return outcome
      ? sql`${field.type} IS NOT NULL`
      : allOf(dialect.isOtherThan(object, 'array'), sql`${field.type} IS NULL`);
  }
  if (object.kind === 'row')
    return fieldOfRowPresence(scope, object, name, outcome, (column) => columnPresence(scope, column, outcome));
  if (object.kind === 'rows') return NEVER;
  return outcome ? NEVER : readable(scope, object);
}
