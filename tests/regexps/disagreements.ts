import { literalPattern, matchesPattern } from '../../packages/cel/runtime/matches.js';
import { automatonOf, safeRegExp } from '../support/safe-matchers.js';
import type { Question } from './corpus.js';

/** The matcher under test: native RegExp, the automaton, or what decisions use, which verifies native RegExp first. */
export type Asked = 'native' | 'automaton' | 'verified';

/**
 * The differences between the host and the corpus, one line each. Each string is matched twice, the second time in
 * another order: engines first interpret a pattern and later compile it, once per string width.
 */
export function disagreementsOf(corpus: readonly Question[], asked: Asked): readonly string[] {
  return corpus.flatMap(({ pattern, texts, matches }) => {
    const answer = answerer(pattern, asked);
    const indices = [...texts.keys()];
    const wrong = [...indices, ...indices.reverse()].filter(
      (index) => answer(texts[index] as string) !== matches[index],
    );
    return [...new Set(wrong)].map(
      (index) => `${JSON.stringify(pattern)} on ${JSON.stringify(texts[index])}: RE2 answers ${matches[index]}`,
    );
  });
}

function answerer(pattern: string, asked: Asked): (text: string) => boolean | string {
  if (asked === 'verified') {
    const literal = literalPattern(pattern);
    return (text) => matchesPattern(text, literal);
  }
  if (asked === 'automaton') {
    const automaton = automatonOf(pattern);
    return (text) => automaton?.test(text) ?? 'no automaton';
  }
  return (text) => {
    try {
      return safeRegExp(pattern)?.test(text) ?? 'not native';
    } catch (error) {
      return String(error);
    }
  };
}
