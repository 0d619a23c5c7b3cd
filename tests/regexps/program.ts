import { minifiedProgram } from '../../scripts/minified-program.js';
import type { Question } from './corpus.js';
import type { Asked } from './disagreements.js';

/** A module for any host whose `answers()` returns the disagreements with the corpus, one per line. */
export function disagreementProgram(corpus: readonly Question[], asked: Asked): Promise<string> {
  return minifiedProgram(`
    import { disagreementsOf } from './tests/regexps/disagreements.ts';
    export const answers = () => disagreementsOf(${JSON.stringify(corpus)}, '${asked}').join('\\n');`);
}
