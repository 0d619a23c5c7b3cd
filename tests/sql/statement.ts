/**
 * A value that a statement is given beside its text, so that no text of a policy or a principal is ever part of the
 * SQL.
 */
export type Parameter = string | number;

/** A statement while it is written: the parameters it is given, and the names of its subqueries. */
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

/**
 * What cannot be said in SQL as the filter means it. Thrown on the way down, and an answer of the renderer: never a
 * near miss.
 */
export class Refusal extends Error {
  constructor(
    readonly operator: string,
    readonly reason: string,
  ) {
    super(`${operator}: ${reason}`);
  }
}
