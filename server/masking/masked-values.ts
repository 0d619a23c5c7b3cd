import type { CheckOutput, EvaluationError, PlanOutput } from '../../proto/gen/audit-messages.js';
import type { PlanOperand } from '../../proto/gen/messages.js';
import { setOwn } from '../../packages/cel/runtime/own-property.js';
import type { MaskPath, MaskRoot } from '../config/mask-path.js';
import { MASKED } from '../config/mask.js';

/** One entry, or payload, being masked. */
export class Masking {
  /** Values that were masked. */
  readonly secrets: Secrets = new Set();
  /** Inputs share principal and claims: each is masked once. */
  readonly #done = new Map<unknown, unknown>();

  constructor(private readonly paths: readonly MaskPath[]) {}

  /** The masked form of those roots that are members of a part of the entry. */
  members<T extends object>(part: T, roots: readonly MaskRoot[]): Partial<T> {
    const masked: Record<string, unknown> = {};
    for (const root of roots) {
      const value = (part as Readonly<Record<string, unknown>>)[root];
      if (value !== undefined) masked[root] = this.#root(root, value);
    }
    return masked as Partial<T>;
  }

  #root(root: MaskRoot, value: unknown): unknown {
    const known = this.#done.get(value);
    if (known !== undefined) return known;
    let masked = value;
    for (const path of this.paths) {
      if (path.root === root) masked = this.#descend(masked, path, 0);
    }
    this.#done.set(value, masked);
    return masked;
  }

  #descend(value: unknown, path: MaskPath, depth: number): unknown {
    const step = path.steps[depth];
    if (step === undefined) return this.#mask(value, path.root, path.steps);
    if (Array.isArray(value)) {
      return value.map((item, index) =>
        step === '*' || step === String(index) ? this.#descend(item, path, depth + 1) : item,
      );
    }
    if (value === null || typeof value !== 'object') return value;
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value)) {
      setOwn(members, name, step === '*' || step === name ? this.#descend(member, path, depth + 1) : member);
    }
    return members;
  }

  #mask(value: unknown, root: MaskRoot, steps: readonly string[]): unknown {
    this.#remember(value);
    if (isFree(root, steps) || value === null || typeof value !== 'object') return MASKED;
    if (Array.isArray(value)) return [MASKED];
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(value))
      setOwn(members, name, this.#mask(member, root, [...steps, name]));
    return members;
  }

  #remember(value: unknown): void {
    const open = [value];
    while (open.length > 0) {
      const next = open.pop();
      if (typeof next === 'string' || typeof next === 'number') this.secrets.add(next);
      else if (next !== null && typeof next === 'object') for (const member of Object.values(next)) open.push(member);
    }
  }
}

/** Whether any JSON value may stand at a place. */
function isFree(root: MaskRoot, steps: readonly string[]): boolean {
  switch (root) {
    case 'principal':
    case 'resource':
      return steps[0] === 'attr' && steps.length > 1;
    case 'auxData':
      return steps.length > (steps[0] === 'jwt' ? 1 : 3);
    case 'requestContext':
      return steps.length > 1;
    case 'outputs':
      return steps.length > 1 && steps[1] === 'val';
    case 'metadata':
    case 'peer':
      return false;
  }
}

/** Scalars that were masked in the input of a decision. */
export type Secrets = Set<string | number>;

/** A shorter secret would be found in words that have nothing to do with it. */
const SHORTEST_IN_TEXT = 3;

/** Where a decision repeats values of its request. */
type CheckTexts = Partial<Pick<CheckOutput, 'outputs' | 'validationErrors' | 'evaluationErrors'>>;
type PlanTexts = Pick<PlanOutput, 'filter'> &
  Partial<Pick<PlanOutput, 'filterDebug' | 'validationErrors' | 'evaluationErrors'>>;

/** What the engine said of a resource, without the masked values it repeats. */
export function redactCheckOutput<O extends CheckTexts>(output: O, secrets: Secrets): O {
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
export function redactPlanOutput<O extends PlanTexts>(output: O, secrets: Secrets): O {
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
