import { nearestName } from '../../runtime/policy/nearest-name.js';
import type { Note } from './diagnostic.js';
import type { Suggestion } from './fix.js';

/** At most one note, ``did you mean `owner`?``: the known name that the written one is a typo of. */
export function didYouMean(written: string, known: Iterable<string>): readonly Note[] {
  const near = nearestName(written, known);
  return near === undefined ? [] : [suggestionOf(written, near)];
}

/** The note that suggests a name for the written one. */
export function suggestionOf(written: string, nearest: string, details: Pick<Suggestion, 'isSafe'> = {}): Note {
  return { message: `did you mean \`${nearest}\`?`, suggestion: { written, nearest, ...details } };
}
