/**
 * What failed in a condition or a variable on the way to a decision (docs/spec/conditions.md#evaluation-errors). It is
 * no part of the answer: a condition that cannot be evaluated does not hold, and the caller learns the decision; the
 * audit log and the log of the server tell the rest.
 */
export interface EvaluationError {
  /** Whose condition it is: `resource.album.vdefault`, `derived_roles.album_roles`. */
  readonly policy: string;
  /** As outputs name it; of a derived role its name, of a role policy's rule its place, from 0. */
  readonly rule: string;
  /** As the author wrote it. */
  readonly expression: string;
  /** Why, in the words of docs/spec/conditions.md#error-messages. */
  readonly message: string;
}
