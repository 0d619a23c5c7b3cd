import type { SqlParameter } from './condition-result.js';

/** A piece of SQL. Its text consists of text in this folder and of checked identifiers; values are separate. */
export interface Sql {
  readonly parts: readonly Part[];
  /** Its operator with the lowest precedence. */
  readonly top: 'term' | 'and' | 'or';
  /** Whether it is TRUE or FALSE, and never NULL. */
  readonly isSettled?: boolean;
  /** The alias of the related table that a column is of, or OF_RESOURCE. */
  readonly columnOf?: string;
  /** What is TRUE exactly where it is FALSE or NULL, in words for which an index can be used. */
  readonly complement?: () => Sql;
}

/** A piece within another stays whole, so that nesting does not copy what is nested. */
type Part = string | Given | Sql;

/** A parameter of the statement, and its cast. */
export interface Given {
  readonly value: SqlParameter;
  readonly cast: string;
}

/** A piece of SQL made of others; a string operand is an identifier or an operator, and never a value. */
export function sql(texts: TemplateStringsArray, ...operands: readonly (Sql | string)[]): Sql {
  return term(
    texts.flatMap((text, position) => {
      const operand = operands[position];
      return operand === undefined ? [text] : [text, operand];
    }),
  );
}

/** A value as a bound parameter. */
export function given(value: SqlParameter, cast = ''): Sql {
  return term([{ value, cast }]);
}

/** The table of the resource, among the aliases of tables whose columns are read. */
export const OF_RESOURCE = '';

/** Always TRUE. */
export const ALWAYS: Sql = { parts: ['1 = 1'], top: 'term' };

/** Never TRUE. */
export const NEVER: Sql = { parts: ['1 = 0'], top: 'term' };

/** TRUE where all are TRUE. */
export function allOf(...conditions: readonly Sql[]): Sql {
  return joined('and', conditions, ALWAYS, NEVER);
}

/** TRUE where any is TRUE; ALWAYS if one of them is `x IS NULL` and another `x IS NOT NULL`. */
export function anyOf(...conditions: readonly Sql[]): Sql {
  const present = conditions.flatMap((condition) => textOf(condition, ' IS NOT NULL') ?? []);
  if (present.length > 0 && conditions.some((condition) => present.includes(textOf(condition, ' IS NULL') ?? '')))
    return ALWAYS;
  return joined('or', conditions, NEVER, ALWAYS);
}

/** The text before an ending; undefined for a piece with values, or made of others. */
function textOf({ parts, top }: Sql, ending: string): string | undefined {
  if (top !== 'term' || parts.at(-1) !== ending) return undefined;
  const before = flatParts(parts.slice(0, -1));
  return before.every((part) => typeof part === 'string') ? before.join('') : undefined;
}

/** The texts and values of a piece and of those within it, in their order. */
export function flatParts(parts: readonly Part[]): readonly (string | Given)[] {
  const flat: (string | Given)[] = [];
  visitParts(parts, (part) => flat.push(part));
  return flat;
}

/** Visits the texts and values of a piece and of those within it, in their order. */
export function visitParts(parts: readonly Part[], visit: (part: string | Given) => void): void {
  for (const part of parts) {
    if (typeof part === 'object' && 'parts' in part) visitParts(part.parts, visit);
    else visit(part);
  }
}

/** Visits the tables whose columns a piece reads. */
export function visitTables({ parts, columnOf }: Sql, visit: (alias: string) => void): void {
  if (columnOf !== undefined) visit(columnOf);
  for (const part of parts) if (typeof part === 'object' && 'parts' in part) visitTables(part, visit);
}

/** A column compared with a constant, in the total order of the database. */
export function compared(column: Sql, operator: Comparison, constant: Sql, mayBeNull: boolean): Sql {
  const opposite = (): Sql => sql`${column} ${OPPOSITES[operator]} ${constant}`;
  return {
    ...sql`${column} ${operator} ${constant}`,
    complement: () => (mayBeNull ? anyOf(opposite(), sql`${column} IS NULL`) : opposite()),
  };
}

export type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'IN' | 'NOT IN';

const OPPOSITES: { readonly [operator in Comparison]: Comparison } = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  IN: 'NOT IN',
  'NOT IN': 'IN',
};

/** TRUE where a condition is FALSE or NULL. */
export function unless(condition: Sql): Sql {
  if (condition === ALWAYS) return NEVER;
  if (condition === NEVER) return ALWAYS;
  if (condition.complement !== undefined) return condition.complement();
  return condition.isSettled === true ? sql`NOT ${condition}` : sql`(${condition}) IS NOT TRUE`;
}

/** Whether a table has rows for which a condition is TRUE. */
export function exists(from: Sql, where: Sql): Sql {
  return { ...sql`EXISTS (SELECT 1 FROM ${from} WHERE ${where})`, isSettled: true };
}

/** `a, b, c`. */
export function listed(operands: readonly Sql[]): Sql {
  return term(separated(operands, ', '));
}

/** SQLite limits the depth of an expression; a chain is as deep as it is long. */
const LONGEST_CHAIN = 200;

function joined(top: 'and' | 'or', conditions: readonly Sql[], neutral: Sql, absorbing: Sql): Sql {
  if (conditions.includes(absorbing)) return absorbing;
  const left = conditions.filter((condition) => condition !== neutral);
  const [only] = left;
  if (only === undefined) return neutral;
  if (left.length === 1) return only;
  if (left.length > LONGEST_CHAIN) {
    const half = left.length >> 1;
    return chain(top, [
      enclosed(joined(top, left.slice(0, half), neutral, absorbing)),
      enclosed(joined(top, left.slice(half), neutral, absorbing)),
    ]);
  }
  return chain(
    top,
    left.map((condition) => (condition.top === 'term' || condition.top === top ? condition : enclosed(condition))),
  );
}

function chain(top: 'and' | 'or', operands: readonly Sql[]): Sql {
  const condition: Sql = { parts: separated(operands, top === 'and' ? ' AND ' : ' OR '), top };
  if (!operands.every(({ complement, isSettled }) => complement !== undefined || isSettled === true)) return condition;
  return { ...condition, complement: () => (top === 'and' ? anyOf : allOf)(...operands.map(unless)) };
}

function separated(operands: readonly Sql[], separator: string): readonly Part[] {
  return operands.flatMap((operand, position) => (position === 0 ? [operand] : [separator, operand]));
}

function enclosed(condition: Sql): Sql {
  const { complement } = condition;
  return complement === undefined ? sql`(${condition})` : { ...sql`(${condition})`, complement };
}

function term(parts: readonly Part[]): Sql {
  return { parts, top: 'term' };
}
