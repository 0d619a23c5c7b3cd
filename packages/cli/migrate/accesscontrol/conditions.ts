/** What makes a condition of `accesscontrol` impossible to translate. */
export class UntranslatableError extends Error {}

/** A `match` of a condition in a policy. */
export type Match =
  | { readonly expr: string }
  | { readonly all: { readonly of: readonly Match[] } }
  | { readonly any: { readonly of: readonly Match[] } }
  | { readonly none: { readonly of: readonly Match[] } };

/**
 * Translates a condition, in the JSON form that `getGrants()` returns. Paths below the resource (`$.order.value`) and the
 * user (`$.user.id`) become attributes; all others depend on the program that asks.
 *
 * @throws UntranslatableError
 */
export function translateCondition(condition: unknown, resource: string): Match {
  if (Array.isArray(condition)) return leaf(condition, resource);
  if (typeof condition !== 'object' || condition === null) throw new UntranslatableError('a condition in text form');
  const { and, or, not, fn } = condition as { readonly [key: string]: unknown };
  if (fn !== undefined) throw new UntranslatableError(`the function \`${String(fn)}\``);
  if (Array.isArray(and)) return { all: { of: and.map((part) => translateCondition(part, resource)) } };
  if (Array.isArray(or)) return { any: { of: or.map((part) => translateCondition(part, resource)) } };
  if (not !== undefined) return { none: { of: [translateCondition(not, resource)] } };
  throw new UntranslatableError('an unknown form');
}

function leaf([left, operator, right]: readonly unknown[], resource: string): Match {
  const [a, b] = [operand(left, resource), operand(right, resource)];
  switch (operator) {
    case '==':
      return { expr: `${a} == ${b}` };
    // Absent attributes differ from every value there, as they do in `none`.
    case '!=':
      return { none: { of: [{ expr: `${a} == ${b}` }] } };
    case '<':
    case '<=':
    case '>':
    case '>=':
      if (typeof left !== 'number' && typeof right !== 'number')
        throw new UntranslatableError(`\`${operator}\` of values that need not be numbers`);
      return { expr: `${a} ${operator} ${b}` };
    case 'in':
      return { expr: `${a} in ${b}` };
    case 'startsWith':
    case 'endsWith':
      return { expr: `${a}.${operator}(${b})` };
    default:
      throw new UntranslatableError(`the operator \`${String(operator)}\``);
  }
}

function operand(value: unknown, resource: string): string {
  if (typeof value === 'string' && value.startsWith('$.')) return translatePath(value, resource);
  if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
    return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => operand(item, resource)).join(', ')}]`;
  throw new UntranslatableError(`the value \`${JSON.stringify(value) ?? 'undefined'}\``);
}

function translatePath(path: string, resource: string): string {
  const [root = '', ...keys] = path.slice(2).split('.');
  if (keys.length === 0 || keys.some((key) => !/^[A-Za-z_]\w*$/.test(key)))
    throw new UntranslatableError(`the path \`${path}\``);
  if (root === 'user') return keys.join('.') === 'id' ? 'P.id' : `P.attr.${keys.join('.')}`;
  if (root === resource) return keys.join('.') === 'id' ? 'R.id' : `R.attr.${keys.join('.')}`;
  throw new UntranslatableError(`the path \`${path}\``);
}
