/**
 * An expression that SQL cannot represent exactly. Thrown by parts of the renderer and returned as its result: an
 * approximation is never returned.
 */
export class Refusal extends Error {
  constructor(
    readonly operator: string,
    readonly reason: string,
  ) {
    super(`${operator}: ${reason}`);
  }
}
