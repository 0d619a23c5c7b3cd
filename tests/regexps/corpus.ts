import { RE2JS } from 're2js';
import type { Random } from '../support/oracle/random.js';
import { type automatonOf, safeRegExp } from '../support/safe-matchers.js';
import { randomPattern } from './random-patterns.js';

/** A pattern, and the strings in which RE2 finds a match. */
export interface Question {
  readonly pattern: string;
  readonly texts: readonly string[];
  readonly matches: readonly boolean[];
}

/** Random patterns that a matcher supports, with RE2's answers. */
export function randomCorpus(
  random: Random,
  patterns: number,
  texts: number,
  matcherOf: typeof safeRegExp | typeof automatonOf = safeRegExp,
): readonly Question[] {
  const corpus: Question[] = [];
  while (corpus.length < patterns) {
    const question = randomPattern(random, texts);
    if (matcherOf(question.pattern) === undefined) continue;
    const re2 = RE2JS.compile(question.pattern);
    corpus.push({ ...question, matches: question.texts.map((text) => re2.test(text)) });
  }
  return corpus;
}
