import { RE2JS } from 're2js';
import { safeRegExp } from '../../runtime/cel/safe-regexp.js';
import type { Random } from '../support/oracle/random.js';
import { randomPattern } from './random-patterns.js';

/** A pattern, and the strings in which RE2 finds a match. */
export interface Question {
  readonly pattern: string;
  readonly texts: readonly string[];
  readonly matches: readonly boolean[];
}

/** Random patterns for native RegExp, with RE2's answers. */
export function randomCorpus(random: Random, patterns: number, texts: number): readonly Question[] {
  const corpus: Question[] = [];
  while (corpus.length < patterns) {
    const question = randomPattern(random, texts);
    if (safeRegExp(question.pattern) === undefined) continue;
    const re2 = RE2JS.compile(question.pattern);
    corpus.push({ ...question, matches: question.texts.map((text) => re2.test(text)) });
  }
  return corpus;
}
