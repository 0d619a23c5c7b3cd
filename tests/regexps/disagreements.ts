import { literalPattern, matchesPattern } from '../../runtime/cel/matches.js';
import { safeRegExp } from '../../runtime/cel/safe-regexp.js';
import type { Question } from './corpus.js';

/** Who is asked: the native RegExp alone, or what decisions ask, which verifies it first. */
export type Asked = 'native' | 'verified';

/**
 * Where the host answers otherwise than the corpus, one line each. Each string is asked about twice, the second time in
 * another order: engines interpret a pattern at first and compile it later, once for each width of strings.
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
  return (text) => {
    try {
      return safeRegExp(pattern)?.test(text) ?? 'not native';
    } catch (error) {
      return String(error);
    }
  };
}
