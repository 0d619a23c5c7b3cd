import type { Macro, Value } from '../../../compiler/ir/value.js';
import { parts, some } from '../../../compiler/ir/visit.js';

/** Whether an expression is a literal or a constant of a policy. */
export function isWritten({ kind }: Value): boolean {
  return kind === 'literal' || kind === 'constant';
}

/** Whether a macro calls a function whose result is another one each time, such as `now()`. */
export function readsTime(macro: Macro): boolean {
  return [macro.body, ...(macro.predicate ? [macro.predicate] : [])].some((part) =>
    some(part, (inner) => inner.kind === 'call' && !inner.pure),
  );
}

/**
 * The texts that the body of `exists` or `all` compares its variable with, if it does nothing else with it: then all
 * other elements are alike.
 */
export function textsSought({ runtime, variables: [local = '', ...more], body }: Macro): readonly string[] | undefined {
  if ((runtime !== 'exists' && runtime !== 'all') || more.length > 0) return undefined;
  const found = new Set<string>();
  const isLocal = (value: Value | undefined): boolean => value?.kind === 'local' && value.name === local;
  const onlyCompares = (value: Value): boolean => {
    if (isLocal(value) || (value.kind === 'macro' && value.variables.includes(local))) return false;
    const texts = value.kind === 'operator' && value.operands.some(isLocal) ? textsBeside(value, isLocal) : [];
    for (const text of texts ?? []) found.add(text);
    return texts !== undefined && (texts.length > 0 || parts(value).every(onlyCompares));
  };
  return onlyCompares(body) ? [...found].sort() : undefined;
}

/** The texts that an operator compares a value with; undefined if it does anything else. */
function textsBeside(
  { operator, operands }: Value & { readonly kind: 'operator' },
  isOther: (value: Value | undefined) => boolean,
): readonly string[] | undefined {
  const [one, other] = operands;
  if (operator === 'inCollection')
    return isOther(one) && other?.kind === 'list' ? readTexts(other.elements.map(({ value }) => value)) : undefined;
  if (operator !== 'equals' && operator !== 'notEquals') return undefined;
  return readTexts(operands.filter((operand) => !isOther(operand)));
}

/** Undefined if one of them is not a literal text. */
function readTexts(values: readonly Value[]): readonly string[] | undefined {
  const texts = values.map((value) =>
    value.kind === 'literal' && value.literal === 'string' ? value.value : undefined,
  );
  return texts.length === 0 || texts.includes(undefined) ? undefined : (texts as string[]);
}

/** The name of the token whose claims a value is. */
export function namedToken(value: Value): string | undefined {
  if (value.kind !== 'select' || value.name !== 'claims') return undefined;
  const { operand } = value;
  const [tokens, name] =
    operand.kind === 'select'
      ? [operand.operand, operand.name]
      : operand.kind === 'index' && operand.index.kind === 'literal' && operand.index.literal === 'string'
        ? [operand.operand, operand.index.value]
        : [];
  return tokens?.kind === 'field' && tokens.of === 'auxData' && tokens.name === 'jwts' ? name : undefined;
}

/** Whether an expression itself, apart from its operands, reads the request, or what may depend on it. */
export function dependsOnRequest(value: Value): boolean {
  switch (value.kind) {
    case 'field':
    case 'part':
    case 'variable':
    case 'constant':
    case 'global':
    case 'local':
    case 'is-set':
    case 'bindings':
    case 'macro':
      return true;
    case 'call':
      return !value.pure;
    default:
      return false;
  }
}
