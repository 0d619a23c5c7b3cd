/**
 * A value that is passed separately from the text of a statement, so that no text of a policy or a principal becomes
 * part of the SQL.
 */
export type Parameter = string | number;

/** A statement under construction: its parameters and the names of its subqueries. */
export class Statement {
  readonly #parameters: Parameter[] = [];
  #aliases = 0;

  /** The values of `?1`, `?2` and so on. */
  get parameters(): readonly Parameter[] {
    return this.#parameters;
  }

  /** `?1`; the same value has the same number. */
  given(value: Parameter): string {
    const known = this.#parameters.findIndex((parameter) => Object.is(parameter, value));
    return `?${known >= 0 ? known + 1 : this.#parameters.push(value)}`;
  }

  /** A name that no other subquery has. */
  alias(): string {
    this.#aliases += 1;
    return `e${this.#aliases}`;
  }
}

/** A filter that SQL cannot express exactly. Thrown by the renderer instead of approximating. */
export class Refusal extends Error {
  constructor(
    readonly operator: string,
    readonly reason: string,
  ) {
    super(`${operator}: ${reason}`);
  }
}
