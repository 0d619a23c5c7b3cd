/** Lists up to this length are compared pair by pair: cheaper than a set. */
const SHORT_LIST = 8;

/** Whether no text is there twice. */
export function isUnique(texts: readonly string[]): boolean {
  if (texts.length > SHORT_LIST) return new Set(texts).size === texts.length;
  for (let index = 1; index < texts.length; index++) {
    for (let earlier = 0; earlier < index; earlier++) {
      if (texts[index] === texts[earlier]) return false;
    }
  }
  return true;
}

/** Whether a predicate holds for all items of a list. Hot: every check. */
export function allItems<T>(list: readonly T[], holds: (item: T) => boolean): boolean {
  for (let index = 0; index < list.length; index++) {
    if (!holds(list[index] as T)) return false;
  }
  return true;
}

/** Whether a predicate holds for all values of a map. */
export function allValues<T>(map: ReadonlyMap<string, T>, holds: (value: T) => boolean): boolean {
  if (map.size === 0) return true;
  for (const value of map.values()) if (!holds(value)) return false;
  return true;
}

/** The entries of a map in the order of their keys. */
export function byKey<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}
