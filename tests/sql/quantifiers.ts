import type { Statement } from './statement.js';
import { item, type SqlValue, valueOf } from './value.js';

/**
 * The result of a macro from a body that is 1, 0 or NULL for each element, as in
 * docs/spec/conditions.md#comprehensions, failures included.
 */
export type Quantifier = 'exists' | 'all' | 'exists_one';

/** Whether a name is a macro with a boolean result. */
export function isQuantifier(operator: string): operator is Quantifier {
  return operator === 'exists' || operator === 'all' || operator === 'exists_one';
}

/** A macro over a list or the keys of a map. Anything else fails. `bodyOf` gets the values of the variables. */
export function quantified(
  statement: Statement,
  quantifier: Quantifier,
  range: SqlValue,
  variables: number,
  bodyOf: (values: readonly SqlValue[]) => string,
): string {
  if (!range.types.includes('array') && !range.types.includes('object')) return 'NULL';
  const alias = statement.alias();
  const body = bodyOf(variables === 2 ? [position(alias), item(alias)] : [elementOrKey(alias, range)]);
  const items = `FROM json_each(${range.value}) AS ${alias}`;
  return `CASE WHEN ${range.type} IN ('array', 'object') THEN (${selection(quantifier, body, items)}) END`;
}

// The body has its own column: an aggregate over only an outer query would belong to that query.
function selection(quantifier: Quantifier, body: string, items: string): string {
  const passing = `FROM (SELECT (${body}) AS passes ${items})`;
  switch (quantifier) {
    case 'exists':
      return `SELECT CASE WHEN max(passes) = 1 THEN 1 WHEN count(*) = count(passes) THEN 0 END ${passing}`;
    case 'all':
      return `SELECT CASE WHEN min(passes) = 0 THEN 0 WHEN count(*) = count(passes) THEN 1 END ${passing}`;
    case 'exists_one':
      return `SELECT CASE WHEN count(*) = count(passes) THEN count(nullif(passes, 0)) = 1 END ${passing}`;
  }
}

/** The keys of a list are integers, those of a map strings. */
function elementOrKey(alias: string, { types }: SqlValue): SqlValue {
  const element = item(alias);
  if (!types.includes('object')) return element;
  const isElement = `CASE typeof(${alias}.key) WHEN 'integer' THEN`;
  return valueOf(
    `${isElement} ${element.type} ELSE 'text' END`,
    `${isElement} ${element.value} ELSE ${alias}.key END`,
    element.types,
  );
}

function position(alias: string): SqlValue {
  return valueOf(
    `CASE typeof(${alias}.key) WHEN 'integer' THEN 'real' ELSE 'text' END`,
    `${alias}.key`,
    ['real', 'text'],
    true,
  );
}
