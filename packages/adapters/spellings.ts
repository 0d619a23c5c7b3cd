/** Strings in either case, for stores that compare bytes. */

/** A string that has at most this many letters is compared with each of its spellings. */
const MOST_LETTERS = 8;

/** All strings that differ in the case of letters of ASCII alone; undefined if there are too many. */
export function spellings(lowered: string): readonly string[] | undefined {
  if ((lowered.match(/[a-z]/g)?.length ?? 0) > MOST_LETTERS) return undefined;
  return [...lowered].reduce<readonly string[]>(
    (starts, character) =>
      starts.flatMap((start) =>
        /[a-z]/.test(character) ? [start + character, start + character.toUpperCase()] : [start + character],
      ),
    [''],
  );
}
