/** The longest delay of a timer of the platform, in milliseconds. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Returns how long to wait after so many failures in a row: `first` after one, then twice as long each, up to `longest`. */
export function backOff(first: number, failures: number, longest: number): number {
  return failures === 0 ? 0 : Math.min(longest, first * 2 ** Math.min(failures - 1, 30));
}

/** Returns half of a wait, and a random part of the other half: processes that fail together do not retry together. */
export function spread(wait: number, random: number = Math.random()): number {
  return wait * (0.5 + random / 2);
}
