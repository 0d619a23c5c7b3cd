import type { Part } from './brackets.js';
import { blanked, endOfLine, type Masked, type Taken, withPlaceholder, writtenLineAt } from './masked.js';

export function isSuspect({ isStray, unclosed }: Part): boolean {
  return isStray === true || unclosed !== undefined;
}

/** The value of an entry in brackets, and all of it. */
export function* masksOfPart(text: string, { start, value, end, isStray, unclosed }: Part): Iterable<Masked> {
  if (isStray) {
    const { text: masked, taken } = blanked(text, start, end);
    yield { text: masked, taken: taken.map(({ mask }) => ({ mask, cause: start })) };
    return;
  }
  // The comma of what is not closed is in it.
  const hasComma = /^[ \t\r\n]*[,\]}]/.test(text.slice(end, end + 200));
  for (const from of value === undefined ? [start] : [value, start])
    for (const { text: masked, taken } of withPlaceholder(text, from, hasComma ? end : end - 1, 'x'))
      yield {
        text: hasComma ? masked : `${masked.slice(0, end - 1)},${masked.slice(end)}`,
        taken: taken.map(({ mask }) => ({
          mask: { ...mask, end, lines: { start: from, end: endOfLine(text, end) } },
          ...(unclosed !== undefined && { cause: unclosed }),
        })),
      };
}

/** The text with a comma before an offset, in place of a blank. */
export function* withComma(
  text: string,
  offset: number,
  { start, end }: Pick<Part, 'start' | 'end'>,
): Iterable<Masked> {
  const at = offset - 1;
  if (!/[ \t\n]/.test(text[at] ?? '')) return;
  const mask = { start: at, end: offset, lines: { start, end } };
  yield { text: `${text.slice(0, at)},${text.slice(offset)}`, taken: [{ mask }] };
}

/** The text without several parts, each of which causes the same problem. */
export function maskTogether(whole: string, parts: readonly Part[]): Masked {
  let text = whole;
  const taken: Taken[] = [];
  for (const part of parts) {
    const isInside = parts.some((other) => other !== part && other.start <= part.start && part.end <= other.end);
    const [masked] = isInside ? [] : masksOfPart(text, part);
    if (masked === undefined) continue;
    text = masked.text;
    taken.push(...masked.taken);
  }
  return { text, taken };
}

/**
 * The text without one character that may be there by mistake: at an offset, at the start of its line or of the one that
 * is outside of a bracket, a quote that nothing closes, or a bracket that closes nothing.
 */
export function* withoutCharacters(text: string, offset: number, suspects: readonly Part[]): Iterable<Masked> {
  const line = writtenLineAt(text, offset);
  const found = new Set([offset, line + text.slice(line).search(/\S/)]);
  for (const { start, isStray, unclosed, next } of suspects) {
    if (isStray) found.add(start);
    if (unclosed !== undefined && /["']/.test(text[unclosed] as string)) found.add(unclosed);
    if (next !== undefined) found.add(next);
  }
  for (const at of found) {
    if (!/[^\s\w]/.test(text[at] ?? '')) continue;
    const { text: masked, taken } = blanked(text, at, at + 1);
    const lines = { start: writtenLineAt(text, at), end: endOfLine(text, at) };
    yield {
      text: masked,
      taken: taken.map(({ mask }) => ({ mask: { ...mask, lines }, cause: at })),
      opens: /[[{]/.test(text[at] as string),
    };
  }
}
