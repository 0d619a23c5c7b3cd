import { ALWAYS, allOf, anyOf, NEVER, type Sql } from './fragment.js';
import { Refusal } from './refusal.js';
import type { Scope } from './scope.js';
import type { SqlValue } from './value.js';
import { presence, variableValue } from './variables.js';

/** The attributes of a row as a whole. */
export const ATTRIBUTES = 'request.resource.attr';

/**
 * The fields of an object that has no column but is made of columns: all attributes, or `address` where `address.city`
 * has one.
 */
export function fieldsOf(variable: string, { table }: Scope): readonly string[] | undefined {
  const isOfAttributes = variable === ATTRIBUTES || variable.startsWith(`${ATTRIBUTES}.`);
  if (!isOfAttributes) return undefined;
  const path = variable === ATTRIBUTES ? [] : variable.slice(ATTRIBUTES.length + 1).split('.');
  if (path.some((_, length) => Object.hasOwn(table.columns, path.slice(0, length + 1).join('.')))) return undefined;
  const below = Object.keys(table.columns)
    .map((attribute) => attribute.split('.'))
    .filter((fields) => fields.length > path.length && path.every((name, position) => fields[position] === name));
  if (below.length === 0 && path.length > 0) return undefined;
  return [...new Set(below.map((fields) => fields[path.length] as string))];
}

/** A macro over the fields of such an object. */
export interface OverFields {
  readonly quantifier: 'exists' | 'all' | 'exists_one';
  readonly variable: string;
  readonly fields: readonly string[];
  /** One, the name, or two with the value. */
  readonly variables: number;
  readonly body: (values: readonly SqlValue[], outcome: boolean) => Sql;
}

/** Where a macro over the names of its fields, or over both names and values, is true; or where it is false. */
export function overFields(scope: Scope, macro: OverFields, outcome: boolean): Sql {
  const { quantifier, variable, fields, variables, body } = macro;
  if (quantifier === 'exists_one') throw new Refusal(quantifier, 'over the attributes of a row');
  const each = fields.map(
    (name): { readonly isThere: (wanted: boolean) => Sql; readonly holds: (wanted: boolean) => Sql } => {
      const field = `${variable}.${name}`;
      const key: SqlValue = { kind: 'constant', value: name };
      return {
        isThere: (wanted) => fieldPresence(field, wanted, scope),
        holds: (wanted) => body(variables === 1 ? [key] : [key, variableValue(field, scope)], wanted),
      };
    },
  );
  if ((quantifier === 'all') === outcome)
    return allOf(...each.map(({ isThere, holds }) => anyOf(isThere(false), holds(outcome))));
  return anyOf(...each.map(({ isThere, holds }) => allOf(isThere(true), holds(outcome))));
}

/** Check is always told such an object, be it an empty one. */
export function fieldPresence(variable: string, outcome: boolean, scope: Scope): Sql {
  if (fieldsOf(variable, scope) !== undefined) return outcome ? ALWAYS : NEVER;
  return presence({ variable }, outcome, scope);
}
