/** Comparisons of two fields of one record, by the references of a client: `prisma.note.fields.owner`. */
import { type Comparison, FIRST_TIME, LAST_TIME, type Outcomes, Refusal } from '../translation.js';
import { isNotNull, LARGEST, test } from './column-tests.js';
import { type FieldReference, type NamedColumn, NEVER, type Where } from './mapping.js';

/** How parts of a `where` object are combined. */
interface Combines {
  allOf(parts: readonly Where[]): Where;
  anyOf(parts: readonly Where[]): Where;
}

const OPERATORS = { eq: 'equals', lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte' } as const;

/** `R.attr.owner == R.attr.assignee`. */
export function compareFields(
  left: NamedColumn,
  comparison: Comparison,
  right: NamedColumn,
  { allOf, anyOf }: Combines,
  isOrdered: (column: NamedColumn) => boolean,
): Outcomes<Where> {
  const { ref } = requireAlike(left, right, comparison);
  requireExact(left, comparison);
  if (comparison !== 'eq' && left.type === 'text' && !(isOrdered(left) && isOrdered(right)))
    throw new Refusal(comparison, 'the order of a text column, which is not declared to be that of bytes');
  const present = allOf([isFinite(left), isFinite(right)]);
  const both = (filter: Where, isTrue = true): Where => allOf([outcomeOf({ [left.field]: filter }, isTrue), present]);
  const [leftNull, rightNull] = [nullOf(left), nullOf(right)];
  if (comparison !== 'eq')
    return {
      is: (outcome) => both({ [OPERATORS[comparison]]: ref }, outcome),
      fails: () => anyOf([leftNull, rightNull]),
    };
  const [isNull, otherIsNull] = [left.null === 'null' ? leftNull : NEVER, right.null === 'null' ? rightNull : NEVER];
  return {
    is: (outcome) =>
      outcome
        ? anyOf([both({ equals: ref }), allOf([isNull, otherIsNull])])
        : anyOf([both({ equals: ref }, false), allOf([isNull, isFinite(right)]), allOf([isFinite(left), otherIsNull])]),
    fails: () => anyOf([isNull === leftNull ? NEVER : leftNull, otherIsNull === rightNull ? NEVER : rightNull]),
  };
}

/** `timestamp(R.attr.from) < timestamp(R.attr.until)`. */
export function compareTimes(
  left: NamedColumn,
  comparison: Comparison,
  right: NamedColumn,
  { allOf, anyOf }: Combines,
): Outcomes<Where> {
  const { ref } = requireAlike(left, right, 'timestamp');
  for (const column of [left, right])
    if (column.reference?.digits === undefined || column.reference.digits > 3)
      throw new Refusal(
        'timestamp',
        `\`${column.field}\` has more digits than milliseconds, which check receives: declare it with 3, such as \`@db.Timestamptz(3)\``,
      );
  const isTime = (column: NamedColumn): Where => test(column, { gte: new Date(FIRST_TIME), lte: new Date(LAST_TIME) });
  const both = (filter: Where, isTrue: boolean): Where =>
    allOf([outcomeOf({ [left.field]: filter }, isTrue), isTime(left), isTime(right)]);
  const isNone = (column: NamedColumn): Where =>
    anyOf([nullOf(column), test(column, { lt: new Date(FIRST_TIME) }), test(column, { gt: new Date(LAST_TIME) })]);
  return {
    is: (outcome) => both({ [OPERATORS[comparison]]: ref }, outcome),
    fails: () => anyOf([isNone(left), isNone(right)]),
  };
}

/** `R.attr.owner in R.attr.readers`. */
export function elementIn(list: NamedColumn, element: NamedColumn, { allOf, anyOf }: Combines): Outcomes<Where> {
  const { ref } = requireAlike(list, element, 'in');
  const isNull = { [list.field]: { equals: null } };
  const hasOne = { [list.field]: { has: ref } };
  const isPresent = isNotNull(element);
  return {
    is: (outcome) =>
      outcome
        ? allOf([hasOne, { NOT: isNull }, isPresent])
        : anyOf([
            allOf([{ NOT: hasOne }, isPresent]),
            allOf([isNull, isPresent]),
            element.null === 'null' ? nullOf(element) : NEVER,
          ]),
    fails: () => ((element.null ?? 'missing') === 'missing' ? nullOf(element) : NEVER),
  };
}

/** The reference of the second field. Prisma compares fields of one type, and one type of the database. */
function requireAlike(left: NamedColumn, right: NamedColumn, operator: string): FieldReference {
  const [one, other] = [left.reference, right.reference];
  if (one === undefined || other === undefined)
    throw new Refusal(operator, 'of two attributes, without the client: pass it to `prismaAdapter`');
  const isAlike = one.type === other.type && (left.type === 'list' || left.type === right.type);
  if (!isAlike || (left.type === 'timestamp' && one.native !== other.native))
    throw new Refusal(operator, 'of two fields of different types');
  // PostgreSQL refuses to compare columns of two collations.
  if (left.collation !== right.collation) throw new Refusal(operator, 'of two text columns with different collations');
  return other;
}

function requireExact({ type, bits }: NamedColumn, comparison: Comparison): void {
  if (type === 'integer' && bits === 64) throw new Refusal(comparison, 'of two integers of 64 bits as numbers');
  if (comparison === 'eq') return;
  if (type === 'integer-as-text') throw new Refusal(comparison, 'the order of integers as strings');
  if (type === 'uuid') throw new Refusal(comparison, 'the order of UUIDs');
  if (type === 'boolean') throw new Refusal(comparison, 'the order of something that is neither a string nor a number');
}

/** A test, or its opposite, where both fields are there: Prisma takes no reference in `not`. */
function outcomeOf(where: Where, isTrue: boolean): Where {
  return isTrue ? where : { NOT: where };
}

/** A value that JSON has. PostgreSQL has NaN and infinity in a column of numbers. */
function isFinite(column: NamedColumn): Where {
  return column.type === 'number' ? test(column, { gte: -LARGEST, lte: LARGEST }) : isNotNull(column);
}

function nullOf({ field, null: absence }: NamedColumn): Where {
  return absence === 'never' ? NEVER : { [field]: null };
}
