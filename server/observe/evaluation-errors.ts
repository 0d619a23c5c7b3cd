/** A condition that could not be evaluated, and so did not hold (policy-language.md 8.9). */
export interface EvaluationError {
  readonly expression: string;
  readonly message: string;
}

/** The conditions that failed while something was decided or planned. */
export function evaluationErrorsOf(result: object | undefined): readonly EvaluationError[] {
  return (result as { readonly evaluationErrors?: readonly EvaluationError[] } | undefined)?.evaluationErrors ?? NONE;
}

const NONE: readonly EvaluationError[] = [];
