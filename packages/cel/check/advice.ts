import type { Overload } from '../library/function.js';
import { type CelType, printType } from '../library/types.js';
import { type Hint, suggestName } from './did-you-mean.js';
import { functionAdvice } from './function-advice.js';
import type { WrittenParts } from './written-parts.js';

/** Advice for a name that expressions in other languages have. Empty if the name is not known to be one. */
export function adviseName(name: string, known: Iterable<string>): readonly Hint[] {
  const replacement = replacements.get(name) ?? replacements.get(name.toLowerCase());
  if (replacement !== undefined) return [replace(name, replacement)];
  const same = [...known].find((other) => other.toLowerCase() === name.toLowerCase());
  if (same !== undefined) return [suggestName(name, same)];
  const advice = nameAdvice.get(name.toLowerCase());
  return advice === undefined ? [] : [{ message: advice }];
}

/** Advice for a name that is similar to no other. */
export function adviseUnknownName(name: string): Hint {
  return {
    message: `a string needs quotes, \`"${name}"\`; attributes are \`R.attr.${name}\` and \`P.attr.${name}\`, variables \`V.${name}\``,
  };
}

/** Advice for a field that the request, the principal, the resource or another message does not have. */
export function adviseField(type: string, field: string): readonly Hint[] {
  const part = type.slice(type.lastIndexOf('.') + 1);
  const lower = field.toLowerCase();
  if (part === 'Request') {
    const replacement = requestFields.get(lower);
    if (replacement !== undefined) return [replace(field, replacement)];
    if (lower === 'attr' || attributeNames.has(lower))
      return [{ message: 'attributes are `R.attr.a` for the resource and `P.attr.a` for the principal' }];
    return [{ message: nameAdvice.get(lower) ?? REQUEST }];
  }
  if (part === 'Principal' || part === 'Resource') {
    if (attributeNames.has(lower)) return [replace(field, 'attr')];
    if (part === 'Resource' && (lower === 'type' || lower === 'kinds' || lower === 'resourcekind'))
      return [replace(field, 'kind')];
    if (part === 'Principal' && lower === 'role') return [replace(field, 'roles')];
    const owner = part === 'Principal' ? 'P' : 'R';
    const message = `attributes are below \`attr\`: write \`${owner}.attr.${field}\``;
    return [{ message, suggestion: { written: field, nearest: `attr.${field}` } }];
  }
  if (part === 'AuxData') return [{ message: `claims of a token are \`request.auxData.jwt.${field}\`` }];
  if (part === 'JWT') return [{ message: `claims of a named token are below \`claims\`: write \`.claims.${field}\`` }];
  if (part === 'Runtime') return [replace(field, 'effectiveDerivedRoles')];
  return [];
}

/**
 * Advice for a function of other languages: `includes`, `toLowerCase`, `len`.
 *
 * @param parts the parts of the call.
 */
export function adviseFunction(name: string, parts: WrittenParts = {}): readonly Hint[] {
  const short = name.replace(/^\./, '');
  const key = short.toLowerCase().replaceAll('_', '');
  const advice = functionAdvice.get(key) ?? functionAdvice.get(key.slice(key.lastIndexOf('.') + 1));
  return advice === undefined ? [] : [{ message: fillAdvice(advice, parts) }];
}

/** The advice of the table with the parts of a call. */
export function fillAdvice(advice: string, parts: WrittenParts): string {
  return advice.replace(PART, (_, part: keyof WrittenParts, otherwise: string) => parts[part] ?? otherwise);
}

const PART = /\{(subject|field|time|other):([^{}]*)\}/g;

/** Advice for operands or arguments of types that do not fit. */
export function adviseMismatch(
  name: string,
  form: 'global' | 'member',
  given: readonly CelType[],
  overloads: readonly Overload[],
): readonly Hint[] {
  const ofForm = overloads.filter((overload) => overload.form === form);
  const message =
    mismatchAdvice(name, form, given, ofForm.length === 0) ??
    (operators.has(name) || !/^\w/.test(name)
      ? 'the values on both sides must have the same type'
      : signatureAdvice(name, ofForm));
  return [{ message }];
}

/** How a function is called, by the types that it takes. */
function signatureAdvice(name: string, overloads: readonly Overload[]): string {
  const calls = overloads.map(({ form, parameters }) => {
    const types = parameters.map(printType);
    return form === 'member' ? `${types[0]}.${name}(${types.slice(1).join(', ')})` : `${name}(${types.join(', ')})`;
  });
  const shown = [...new Set(calls)].slice(0, MOST_SIGNATURES).map((call) => `\`${call}\``);
  return `the types of its values are ${shown.join(' or ')}`;
}

const MOST_SIGNATURES = 3;

/** Advice for a value where a condition is needed. */
export function adviseCondition(found: CelType): readonly Hint[] {
  if (found.kind === 'string')
    return [
      {
        message: 'a string is not a condition: compare each value, `x == "a" || x == "b"`, or write `x in ["a", "b"]`',
      },
    ];
  if (found.kind === 'list' || found.kind === 'map')
    return [{ message: 'write `size(x) > 0` for a list that is not empty, or `list.exists(x, condition)`' }];
  return [{ message: 'write a comparison, such as `x != 0`' }];
}

/** Advice for a field of a value that has none. */
export function adviseSelection(type: CelType, field: string): readonly Hint[] {
  if (/^(length|size|count|len)$/i.test(field)) return [{ message: 'write `size(x)` for the number of elements' }];
  if (type.kind === 'timestamp' || type.kind === 'duration') return adviseFunction(field);
  if (type.kind === 'list')
    return [
      { message: `write \`list.exists(x, x.${field} == "a")\` for any element, or \`list[0].${field}\` for one` },
    ];
  return [];
}

function replace(written: string, nearest: string): Hint {
  return { message: `write \`${nearest}\` instead of \`${written}\``, suggestion: { written, nearest } };
}

const REQUEST =
  'a condition reads `request.principal` (`P`), `request.resource` (`R`) and `request.auxData`: send other values as attributes';
const ACTION = 'a condition cannot read the action: name it under `actions` of the rule, one rule for each condition';
const ROLES =
  'roles of the principal are `P.roles`, derived roles `runtime.effectiveDerivedRoles`: write `"admin" in P.roles`';
const GLOBALS = 'values of the configuration of the server are `globals` (`G`); send values of a call as attributes';
const CLOCK = 'write `now()` for the time of the request, and `timestamp("2026-01-31T00:00:00Z")` for a fixed time';
const NAMESPACE = 'write `math.abs(x)`, `math.greatest(x, y)`, `math.least(x, y)`';

const replacements: ReadonlyMap<string, string> = new Map(
  rows([
    ['request', 'req'],
    ['R', 'resource object'],
    ['P', 'principal user subject actor caller usr'],
    ['R.attr', 'resource_attr resourceattr'],
    ['P.attr', 'principal_attr principalattr'],
    ['request.auxData', 'auxdata aux_data aux'],
    ['request.auxData.jwt', 'jwt token claims'],
    ['V', 'vars variable locals'],
    ['C', 'const consts constant'],
    ['G', 'global'],
    ['null', 'none nil undefined null void'],
    ['true', 'true yes'],
    ['false', 'false no'],
    ['P.roles', 'roles'],
    ['runtime.effectiveDerivedRoles', 'derivedroles derived_roles effectivederivedroles effective_derived_roles'],
  ]),
);

const nameAdvice: ReadonlyMap<string, string> = new Map(
  rows([
    [ACTION, 'action actions operation method verb'],
    [ROLES, 'role roles'],
    ['attributes are `R.attr.a` for the resource and `P.attr.a` for the principal', 'attr attrs attribute attributes'],
    [CLOCK, 'now today currenttime current_time time date datetime timestamp clock'],
    [REQUEST, 'input context ctx headers session ip self this data params body http'],
    [GLOBALS, 'env environment process config settings'],
    [NAMESPACE, 'maths'],
  ]),
);

const requestFields: ReadonlyMap<string, string> = new Map(
  rows([
    ['principal', 'user subject actor caller p'],
    ['resource', 'object res r'],
    ['auxData', 'aux auxdata'],
    ['auxData.jwt', 'jwt token claims auth'],
    ['principal.roles', 'roles role'],
  ]),
);

const attributeNames: ReadonlySet<string> = new Set(
  'attributes attrs attribute att properties props data metadata fields claims'.split(' '),
);

const operators: ReadonlyMap<string, string> = new Map([
  ['_==_', 'equality'],
  ['_!=_', 'equality'],
  ['_<_', 'order'],
  ['_<=_', 'order'],
  ['_>_', 'order'],
  ['_>=_', 'order'],
  ['_+_', 'sum'],
  ['_-_', 'sum'],
  ['_*_', 'sum'],
  ['_/_', 'sum'],
  ['_%_', 'sum'],
]);

function mismatchAdvice(
  name: string,
  form: 'global' | 'member',
  given: readonly CelType[],
  otherForm: boolean,
): string | undefined {
  const kinds = given.map(({ kind }) => kind);
  const [left] = kinds;
  if (name === '_%_' && kinds.includes('double')) return '`%` takes integers: write `int(x)`';
  if (operators.has(name)) return operandAdvice(operators.get(name) as string, kinds);
  if (name === '@in')
    return kinds[1] === 'string'
      ? 'write `text.contains("x")` for a part of a string: `in` needs a list or a map'
      : 'the right side of `in` is a list or a map of the same type as the left side';
  if (name === '_?_:_')
    return left === 'bool' || left === 'dyn'
      ? 'both results have the same type: write `string(x)`, or `dyn(x)` for any type'
      : 'write a comparison before the question mark, as in `x == 0 ? a : b`';
  if (name === '_[_]' && left === 'list') return 'the index of a list is an integer, as in `list[0]`: write `int(x)`';
  if (name === '-_') return '`-` needs a number: write `double(x)` or `int(x)` to read a string as a number';
  if (left === 'type' && form === 'member')
    return 'a name of a type is no value: write a string, a list or an attribute before the dot';
  if (name === 'size') return '`size` takes one value: a string, bytes, a list or a map';
  if (name === '!_') return 'write a comparison: `!` needs a condition, as in `!(x == 0)`';
  if (form === 'member' && (left === 'list' || left === 'map')) {
    if (name === 'contains') return 'write `"x" in list` for an element of a list or a key of a map';
    if (/^(startsWith|endsWith|matches|lowerAscii|upperAscii|trim)$/.test(name))
      return `write \`list.exists(x, x.${name}(…))\` for the elements of a list`;
  }
  if (otherForm)
    return form === 'global'
      ? `\`${name}\` is a method: write \`x.${name}(…)\``
      : `\`${name}\` is a function: write \`${name}(x)\``;
  return undefined;
}

function operandAdvice(operator: string, kinds: readonly string[]): string | undefined {
  const has = (kind: string): boolean => kinds.includes(kind);
  const numbers = kinds.filter((kind) => kind === 'int' || kind === 'uint' || kind === 'double').length;
  if (operator === 'order' && has('bool') && numbers > 0)
    return 'comparisons cannot be chained: write `1 < x && x < 5`';
  if (has('timestamp') && has('string')) return 'write `timestamp(x)` to read a string as a time';
  if (has('timestamp') && numbers > 0) return 'write `duration("24h")` for a span of time, or `int(x)` for seconds';
  if (has('duration') && (has('string') || numbers > 0)) return 'write `duration("24h")` for a span of time';
  if (has('null')) return 'write `x == null` or `has(R.attr.a)` to test a value that may be absent';
  if (has('list') && (has('string') || numbers > 0))
    return operator === 'equality'
      ? 'write `x in list` for an element of a list'
      : 'write `list + [x]`, or `size(list)`';
  if (has('double') && has('int'))
    return 'numbers of different types do not mix, and numbers in JSON are doubles: write `1.0` for `1`, `double(x)` or `int(x)`';
  if (numbers === 2) return 'numbers of different types do not mix: write `double(x)` or `int(x)`';
  if (has('string') && numbers > 0)
    return 'write `string(x)` to read a number as a string, or `int(x)` for the reverse';
  if (has('string') && has('bool')) return 'write `true` and `false` without quotes, and strings with quotes';
  return undefined;
}

function rows(table: readonly (readonly [value: string, names: string])[]): readonly (readonly [string, string])[] {
  return table.flatMap(([value, names]) => names.split(' ').map((name) => [name, value] as const));
}
