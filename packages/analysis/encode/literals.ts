import * as cel from '../../cel/runtime/index.js';
import type { Value } from '../../../compiler/ir/value.js';
import type { Expressions, QueryRecord } from './query-record.js';
import type { Scope } from './scope.js';
import { constant, list, map, type Term, unknown, unlessFailed } from './values.js';

/** A constant; one that has no image is known by name. */
export function encodeWritten(query: QueryRecord, value: cel.Value): Term {
  const name = `literal ${JSON.stringify(value, (_, part: unknown) => plain(part))}`;
  const image = constant(value, query.script);
  if (image !== undefined) return image;
  const isBytes = value instanceof Uint8Array;
  const text = query.script.uninterpreted(name, isBytes ? 'O' : 'V', '');
  return unknown(isBytes ? `(Oth ${text})` : text);
}

/** A list that an expression makes. */
export function encodeList(query: Expressions, { elements }: Value & { readonly kind: 'list' }, scope: Scope): Term {
  const terms = elements.map(({ value }) => query.term(value, scope));
  if (elements.every(({ optional: isOptional }) => !isOptional)) return list(terms, query.script);
  const shape = elements.map(({ optional: isOptional }) => (isOptional ? '?' : '.')).join('');
  return query.unexplained('[?]', `list ${shape}`, terms);
}

/** A map that an expression makes. */
export function encodeMap(query: Expressions, { entries }: Value & { readonly kind: 'map' }, scope: Scope): Term {
  const terms = entries.map(({ key, value }) => [query.term(key, scope), query.term(value, scope)] as const);
  const isPlain = entries.every(({ optional: isOptional }) => !isOptional);
  if (isPlain && terms.every(([key]) => typeof key.value === 'string')) {
    const named = terms.map(([key, value]) => [key.value as string, value] as const);
    const last = map(new Map(named), query.script);
    // An entry that another one replaces may fail, too.
    return {
      ...last,
      text: unlessFailed(
        terms.map(([, value]) => value),
        last.text,
      ),
    };
  }
  const shape = entries.map(({ optional: isOptional }) => (isOptional ? '?' : '.')).join('');
  query.uninterpreted.add('a map with keys that are no constant strings');
  const image = query.script.uninterpreted(
    `map ${shape}`,
    'V',
    terms.flatMap(() => ['V', 'V']).join(' '),
    ...terms.flatMap(([key, value]) => [key.text, value.text]),
  );
  return unknown(`(mapOf ${image})`);
}

/** A constant of a policy as JSON that differs where the constants do. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (typeof value === 'bigint') return { int: String(value) };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0)))
    return { double: Object.is(value, -0) ? '-0' : String(value) };
  if (value instanceof cel.Uint) return { uint: String(value.value) };
  return value;
}
