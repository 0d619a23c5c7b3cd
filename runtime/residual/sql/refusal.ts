/**
 * What SQL cannot say as the filter means it. Thrown on the way down, and an answer of the renderer: never a near miss.
 */
export class Refusal extends Error {
  constructor(
    readonly operator: string,
    readonly reason: string,
  ) {
    super(`${operator}: ${reason}`);
  }
}
