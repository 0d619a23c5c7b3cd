import { setOwn } from '../../proto/wire/json-shape.js';
import type { CheckOutput, EvaluationError, PlanOutput } from '../../proto/codec/audit-messages.js';
import type { PlanOperand } from '../../proto/messages.js';

/** What stands for a masked value. */
export const MASKED = '***';

/** Scalars that were masked in the input of a decision. */
export type Secrets = Set<string | number>;

/** A shorter secret would be found in words that have nothing to do with it. */
const SHORTEST_IN_TEXT = 3;

/** What the engine said of a resource, without the masked values it repeats. */
export function redactCheckOutput(output: CheckOutput, secrets: Secrets): CheckOutput {
  if (secrets.size === 0) return output;
  const { outputs, validationErrors, evaluationErrors } = output;
  return {
    ...output,
    ...(validationErrors === undefined ? {} : { validationErrors: withoutIn(validationErrors, secrets) }),
    ...(outputs === undefined
      ? {}
      : {
          outputs: outputs.map((entry) => ({
            ...entry,
            ...('val' in entry ? { val: valueWithout(entry.val, secrets) } : {}),
            ...(entry.error === undefined ? {} : { error: textWithout(entry.error, secrets) }),
          })),
        }),
    ...errorsWithout(evaluationErrors, secrets),
  };
}

/**
 * What the planner said, without the masked values it repeats. The text of a conditional filter goes as a whole: it
 * spells values in its own way.
 */
export function redactPlanOutput(output: PlanOutput, secrets: Secrets): PlanOutput {
  if (secrets.size === 0) return output;
  const { filter, filterDebug, validationErrors, evaluationErrors } = output;
  const { condition } = filter;
  return {
    ...output,
    filter: condition === undefined ? filter : { ...filter, condition: operandWithout(condition, secrets) },
    ...(condition === undefined || filterDebug === undefined ? {} : { filterDebug: MASKED }),
    ...(validationErrors === undefined ? {} : { validationErrors: withoutIn(validationErrors, secrets) }),
    ...errorsWithout(evaluationErrors, secrets),
  };
}

function withoutIn<T extends { readonly message: string }>(errors: readonly T[], secrets: Secrets): readonly T[] {
  return errors.map((error) => ({ ...error, message: textWithout(error.message, secrets) }));
}

function errorsWithout(
  errors: readonly EvaluationError[] | undefined,
  secrets: Secrets,
): { readonly evaluationErrors?: readonly EvaluationError[] } {
  if (errors === undefined) return {};
  return {
    evaluationErrors: errors.map(({ celError }) => ({
      celError: { ...celError, message: textWithout(celError.message, secrets) },
    })),
  };
}

function operandWithout(operand: PlanOperand, secrets: Secrets): PlanOperand {
  if ('value' in operand) return { value: valueWithout(operand.value, secrets) };
  if ('variable' in operand) return operand;
  const { operator, operands } = operand.expression;
  return { expression: { operator, operands: operands.map((inner) => operandWithout(inner, secrets)) } };
}

function valueWithout(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'number') return secrets.has(value) ? MASKED : value;
  if (typeof value === 'string') return secrets.has(value) ? MASKED : textWithout(value, secrets);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => valueWithout(item, secrets));
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) setOwn(members, name, valueWithout(member, secrets));
  return members;
}

function textWithout(text: string, secrets: Secrets): string {
  let redacted = text;
  for (const secret of secrets) {
    const word = String(secret);
    if (word.length >= SHORTEST_IN_TEXT) redacted = redacted.replaceAll(word, MASKED);
  }
  return redacted;
}
