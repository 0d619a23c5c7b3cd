import { nearestName } from '../nearest-name.js';

/** The name that is probably meant. */
export interface Suggestion {
  readonly written: string;
  readonly nearest: string;
  /** Whether nothing else can be meant. */
  readonly isSafe?: boolean;
}

/** Advice to the author of an expression, with the name to write instead, if it is known. */
export interface Hint {
  readonly message: string;
  /** Set for tools that can replace the written name. */
  readonly suggestion?: Suggestion;
}

/** Suggests at most one note, ``did you mean `owner`?``: the known name that the written one is a typo of. */
export function didYouMean(written: string, known: Iterable<string>): readonly Hint[] {
  const near = nearestName(written, known);
  return near === undefined ? [] : [suggestName(written, near)];
}

/** The note that suggests a name for the written one. */
export function suggestName(written: string, nearest: string, details: Pick<Suggestion, 'isSafe'> = {}): Hint {
  return { message: `did you mean \`${nearest}\`?`, suggestion: { written, nearest, ...details } };
}

/** Suggests a known name, or lists the known ones where none is like the written one. */
export function adviseNames(written: string, known: Iterable<string>): readonly Hint[] {
  const near = didYouMean(written, known);
  const names = [...known].slice(0, MOST_NAMES).map((name) => `\`${name}\``);
  return near.length > 0 || names.length === 0 ? near : [{ message: `known names: ${names.join(', ')}` }];
}

const MOST_NAMES = 8;
