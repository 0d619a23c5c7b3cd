/**
 * A value as JSON can be made of it, with whatever looks like a token, and whatever is named like a secret, taken out.
 */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return isToken(value) ? REDACTED : value;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > DEEPEST) return REDACTED;
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1));
  const entries = value instanceof Map ? [...(value as ReadonlyMap<string, unknown>)] : Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, member]) => [name, isSecretName(name) ? REDACTED : redacted(member, depth + 1)]),
  );
}

const REDACTED = '[redacted]';
/** What is nested deeper is read by nobody, and would fill the stack. */
const DEEPEST = 200;

/** A JWT, alone or as a header has it. */
function isToken(text: string): boolean {
  return /^(?:bearer )?eyJ[\w-]*\.[\w-]*\.[\w-]*$/i.test(text);
}

function isSecretName(name: string): boolean {
  return /^(?:.*[-_.])?(?:token|password|secret|authorization|api[-_]?key)$/i.test(name);
}
