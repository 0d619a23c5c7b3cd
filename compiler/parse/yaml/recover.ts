import type { Diagnostics } from '../../diagnostics/diagnostic.js';
import type { Source } from '../../diagnostics/source.js';
import type { Place } from '../../diagnostics/span.js';
import { openBracketAbove, partsInBrackets } from './brackets.js';
import type { Mask } from './mask.js';
import type { Masked } from './masked.js';
import { isSuspect, masksOfPart, maskTogether, withComma, withoutCharacters } from './masks-of-brackets.js';
import { linesNear, masksOf, parentsOf } from './masks-of-lines.js';

/** A problem for which a text is not well-formed. */
export interface SyntaxProblem {
  readonly offset: number;
  /** Where the bracket or the quote opens that the offset is in; otherwise the offset. */
  readonly start: number;
  /** Problems with the same cause are reported as one. */
  readonly cause?: string;
  readonly place: Place;
  readonly reportTo: (report: Diagnostics, others: readonly Place[]) => void;
  /** The problem at another offset, where its cause is. */
  readonly movedTo: (offset: number) => SyntaxProblem;
}

/** A text that is not well-formed. */
export interface Malformed {
  /** The first problem, or several that do not depend on each other. */
  readonly problems: readonly SyntaxProblem[];
  /** How many errors the YAML package made, each of which takes as long as many characters. */
  readonly errors?: number;
  /** Whether nothing else can be read. */
  readonly isFatal?: boolean;
}

interface Recovered<Read> {
  readonly read: Read | Malformed;
  readonly problems: readonly SyntaxProblem[];
  readonly masks: readonly Mask[];
}

/** The maximum number of syntax errors of a file. */
const MOST_PROBLEMS = 20;
/** The maximum number of texts that are tried, and of their characters. An error counts as so many. */
const MOST_TRIES = 300;
const MOST_CHARACTERS = 1024 * 1024;
const CHARACTERS_PER_ERROR = 64;
/** The maximum number of parts in brackets that are tried because they are not closed. */
const MOST_SUSPECTS = 3;

/**
 * Reads a text without the parts that are not well-formed. For each problem, the smallest part is taken out without which
 * the text is well-formed as far as the end of that part: a value, an entry or an item, then those around them.
 */
export function recover<Read extends object>(
  { text: whole }: Source,
  read: (text: string) => Read | Malformed,
): Recovered<Read> {
  const problems: SyntaxProblem[] = [];
  const masks: Mask[] = [];
  let text = whole;
  let result = read(text);
  let tries = MOST_TRIES;
  let characters = MOST_CHARACTERS;
  while ('problems' in result) {
    const [first, ...others] = result.problems;
    const isLast = result.isFatal || first === undefined || problems.length + 1 >= MOST_PROBLEMS;
    const bracket = isLast ? undefined : openBracketAbove(text, first.offset);
    const found = isLast ? undefined : tryMasks(first, bracket);
    const causes = (found?.taken ?? []).flatMap(({ cause }) => cause ?? []);
    const reported =
      causes.length > 0 ? causes.flatMap((cause) => first?.movedTo(cause) ?? []) : result.problems.slice(0, 1);
    for (const problem of [...reported, ...others]) if (isNew(problem, bracket !== undefined)) problems.push(problem);
    if (found === undefined) break;
    masks.push(...found.taken.map(({ mask }) => mask));
    text = found.text;
    result = found.result;
  }
  return { read: result, problems, masks };

  /** A problem beside another one has the same cause. */
  function isNew({ offset, start }: SyntaxProblem, isInBrackets: boolean): boolean {
    const at = isInBrackets ? offset : start;
    const isBeside = masks.some(({ lines }) => lines.start <= at && at <= lines.end);
    return !isBeside && problems.every((known) => known.offset !== offset);
  }

  function tryMasks(problem: SyntaxProblem, bracket: number | undefined): Tried | undefined {
    const found = bracket === undefined ? undefined : tryBrackets(problem, bracket);
    return found ?? (bracket === text.search(/\S/) ? undefined : tryLines(problem));
  }

  /**
   * Finds, among the parts of brackets near a problem, the one without which the layout has the fewest brackets that
   * nothing closes, and the next problem is farthest; otherwise several that are not closed, or the first around the
   * problem without which there is none as far as its end.
   */
  function tryBrackets({ offset }: SyntaxProblem, bracket: number): Tried | undefined {
    const parts = partsInBrackets(text, bracket);
    const around = parts
      .filter(({ start, end }) => start <= offset && offset <= end)
      .sort((a, b) => b.depth - a.depth || b.start - a.start);
    const suspects = parts.filter(isSuspect);
    let best: Tried | undefined;
    let fewest = Math.max(0, suspects.length - 1);
    const first = suspects.slice(0, MOST_SUSPECTS);
    for (const masked of [
      ...withoutCharacters(text, offset, first),
      ...withComma(text, offset, around[0] ?? { start: offset, end: offset }),
      ...first.flatMap((part) => [...masksOfPart(text, part)]),
    ]) {
      const tried = tryMask(masked, 'offset');
      if (tried === undefined) return best;
      if (!goesOn(tried)) continue;
      const left = partsInBrackets(masked.text, bracket).filter(isSuspect).length;
      if (tried.reach === Number.POSITIVE_INFINITY && (left === 0 || !masked.opens)) return tried;
      if (masked.opens) continue;
      if (left > fewest || (left === fewest && tried.reach <= (best?.reach ?? 0))) continue;
      best = tried;
      fewest = left;
    }
    if (best !== undefined) return best;
    for (const masked of [
      ...(suspects.length > 1 ? [maskTogether(text, suspects.slice(0, MOST_PROBLEMS))] : []),
      ...around.flatMap((part) => [...masksOfPart(text, part)]),
    ]) {
      const tried = tryMask(masked, 'offset');
      if (tried === undefined || goesOn(tried)) return tried;
    }
    return undefined;

    function goesOn({ taken, reach }: Tried): boolean {
      return reach > Math.max(offset, ...taken.map(({ mask }) => mask.end));
    }
  }

  /**
   * Finds, among the parts near a problem, one without which there is no other problem; otherwise the first without
   * which there is none on its lines, or none in it. Then the first of these parts around them.
   */
  function tryLines(problem: SyntaxProblem): Tried | undefined {
    const near = linesNear(text, problem);
    let best: Tried | undefined;
    for (const line of near) {
      for (const masked of masksOf(text, line)) {
        const tried = tryMask(masked);
        if (tried === undefined || tried.reach === Number.POSITIVE_INFINITY) return tried ?? best;
        if (rank(tried) > (best === undefined ? 0 : rank(best))) best = tried;
      }
    }
    if (best !== undefined) return best;
    for (const line of parentsOf(text, Math.min(...near))) {
      for (const masked of masksOf(text, line)) {
        const tried = tryMask(masked);
        if (tried === undefined || rank(tried) > 0) return tried;
      }
    }
    return undefined;
  }

  /** Undefined if there were too many tries. */
  function tryMask(masked: Masked, at: 'start' | 'offset' = 'start'): Tried | undefined {
    if (tries <= 0 || characters < whole.length) return undefined;
    const next = read(masked.text);
    tries -= 1;
    characters -= whole.length + ('problems' in next ? CHARACTERS_PER_ERROR * (next.errors ?? 1) : 0);
    const offsets = 'problems' in next ? next.problems.map((problem) => problem[at]) : [];
    const reach = Math.min(Number.POSITIVE_INFINITY, ...offsets);
    return { ...masked, result: next, reach };
  }

  function rank({ taken: [first], reach }: Tried): 0 | 1 | 2 {
    if (first === undefined) return 0;
    const { mask } = first;
    return reach > mask.lines.end ? 2 : reach > mask.end ? 1 : 0;
  }

  interface Tried extends Masked {
    readonly result: Read | Malformed;
    /** The offset of the next problem. */
    readonly reach: number;
  }
}
