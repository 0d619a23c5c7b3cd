/**
 * Numbers from 0 to 1 by a linear congruential generator: a sample has to be the same everywhere, not unpredictable.
 */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    // Numerical Recipes; the high bits are the good ones.
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
