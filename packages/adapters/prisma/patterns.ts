/**
 * Tests of strings by patterns. Prisma passes `startsWith`, `endsWith`, `contains` and `equals` without case to LIKE and
 * ILIKE of PostgreSQL as patterns, in which a backslash escapes `%`, `_` and itself.
 */
import { type Comparison, type Outcomes, Refusal, type TextTest } from '../translation.js';
import { isNotNull, test } from './column-tests.js';
import { ALWAYS, type NamedColumn, NEVER, type Where } from './mapping.js';

/** A pattern that a string alone matches. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, String.raw`\$&`);
}

/** The outcomes of a test that every string passes or does not, and that fails for NULL. */
export function textOutcomes(column: NamedColumn, where: (outcome: boolean) => Where): Outcomes<Where> {
  return { is: where, fails: () => (column.null === 'never' ? NEVER : { [column.field]: null }) };
}

/** Whether strings match a pattern. */
export function matchPattern(column: NamedColumn, where: TextTest, pattern: string): Outcomes<Where> {
  return textOutcomes(column, (outcome) =>
    test(column, outcome ? { [where]: pattern } : { not: { [where]: pattern } }),
  );
}

/** Letters beyond ASCII that collations such as C.UTF-8 make letters of ASCII: the sign of kelvin, and I with a dot. */
const LOWERED_TO_ASCII = ['\u212a', '\u0130'];

/**
 * Whether strings match a pattern of ASCII, with its letters in either case. ILIKE matches more than check does where a
 * string has such a letter: then an equality is false, and another test selects nothing.
 */
export function loweredPattern(
  column: NamedColumn,
  where: 'eq' | TextTest,
  pattern: string,
  { allOf, anyOf }: { allOf(parts: readonly Where[]): Where; anyOf(parts: readonly Where[]): Where },
): Outcomes<Where> {
  const filter = { [where === 'eq' ? 'equals' : where]: pattern };
  const isAlike = test(column, { ...filter, mode: 'insensitive' });
  const isOther = test(column, { not: filter, mode: 'insensitive' });
  const hasSuch = LOWERED_TO_ASCII.map((letter) => test(column, { contains: letter }));
  const hasNone = LOWERED_TO_ASCII.map((letter) => test(column, { not: { contains: letter } }));
  return textOutcomes(column, (outcome) => {
    if (outcome) return allOf([isAlike, ...hasNone]);
    return where === 'eq' ? anyOf([isOther, ...hasSuch]) : isOther;
  });
}

/** PostgreSQL finds longer patterns slowly. */
const LONGEST = 1_000;

/** The number of characters of a string. */
export function sizeOfText(column: NamedColumn, comparison: Comparison, size: number): Outcomes<Where> {
  return counted(column, 'size', comparison, size, (least) =>
    least < 1 ? undefined : { startsWith: '_'.repeat(least) },
  );
}

/** The number of pieces of a string that is split. */
export function piecesOfText(
  column: NamedColumn,
  separator: string,
  comparison: Comparison,
  count: number,
): Outcomes<Where> {
  const between = escapePattern(separator);
  return counted(column, 'split', comparison, count, (least) =>
    least < 2 ? undefined : { contains: Array.from({ length: least - 1 }, () => between).join('%') },
  );
}

/** A number of parts, by the pattern of strings that have at least so many; undefined if each string has. */
function counted(
  column: NamedColumn,
  operator: string,
  comparison: Comparison,
  count: number,
  atLeast: (least: number) => { readonly [test in TextTest]?: string } | undefined,
): Outcomes<Where> {
  if (Math.abs(count) > LONGEST) throw new Refusal(operator, `of more than ${LONGEST} parts`);
  const isAtLeast = (least: number, outcome: boolean): Where => {
    const pattern = atLeast(least);
    if (pattern === undefined) return outcome ? isNotNull(column) : NEVER;
    return test(column, outcome ? pattern : { not: pattern });
  };
  const [least, more] = [Math.ceil(count), Math.floor(count) + 1];
  return textOutcomes(column, (outcome) => {
    switch (comparison) {
      case 'ge':
        return isAtLeast(least, outcome);
      case 'gt':
        return isAtLeast(more, outcome);
      case 'lt':
        return isAtLeast(least, !outcome);
      case 'le':
        return isAtLeast(more, !outcome);
      case 'eq': {
        if (least === more) return outcome ? NEVER : isNotNull(column);
        const [first, second] = [isAtLeast(least, outcome), isAtLeast(more, !outcome)];
        if (outcome) return first === NEVER || second === NEVER ? NEVER : { AND: parts(first, second) };
        return { OR: parts(first, second) };
      }
    }
  });
}

/** Prisma drops a part that is always true, and one that is never true has no form. */
function parts(...wheres: readonly Where[]): readonly Where[] {
  return wheres.filter((where) => where !== ALWAYS && where !== NEVER);
}
