import type { Output } from '../../ir/program.js';
import type { Value } from '../../ir/value.js';
import { quote } from '../quote.js';
import type { Kinds } from './kinds.js';

/** The types of the outputs of rules for a kind, by source, sorted: the types of JSON values. */
export function outputTypes(kinds: Kinds, kind: string): readonly (readonly [source: string, type: string])[] {
  const rules = [
    ...kinds.policiesOf(kind).flatMap((module) => module.rules.map((rule) => ({ module, rule }))),
    ...kinds.rulesAbout(kind),
  ];
  const found = rules.flatMap(({ module, rule: { name, output } }) =>
    output === undefined ? [] : [[`${module.key}#${name}`, outputType(output)] as const],
  );
  const bySource = new Map<string, Set<string>>();
  for (const [source, type] of found) bySource.set(source, (bySource.get(source) ?? new Set()).add(type));
  return [...bySource].sort(([a], [b]) => (a < b ? -1 : 1)).map(([source, types]) => [source, union([...types])]);
}

function outputType({ ruleActivated, conditionNotMet }: Output): string {
  return union([ruleActivated, conditionNotMet].flatMap((value) => (value === undefined ? [] : [typeOf(value)])));
}

/** Literals have literal types, everything else the type that CEL infers. */
function typeOf(value: Value): string {
  if (value.kind === 'literal' && value.literal === 'string') return quote(value.value);
  if (value.kind === 'literal' && value.literal === 'bool') return String(value.value);
  if (value.kind === 'map') return mapType(value);
  if (value.kind === 'list') return `readonly (${union(value.elements.map((element) => typeOf(element.value)))})[]`;
  if (value.kind === 'operator' && value.operator === 'conditional') return union(value.operands.slice(1).map(typeOf));
  switch (value.type.kind) {
    case 'bool':
      return 'boolean';
    case 'string':
    case 'timestamp':
      return 'string';
    case 'null':
      return 'null';
    default:
      return 'Json';
  }
}

function mapType({ entries }: Extract<Value, { readonly kind: 'map' }>): string {
  const members = entries.map(({ key, value, optional }) =>
    key.kind === 'literal' && key.literal === 'string'
      ? `readonly ${quote(key.value)}${optional ? `?: ${union([optionalType(value), 'undefined'])}` : `: ${typeOf(value)}`};`
      : undefined,
  );
  return members.includes(undefined) || members.length === 0 ? 'Json' : `{ ${members.join(' ')} }`;
}

/** The value of an optional entry is an optional; the map holds the value inside it. */
function optionalType({ type }: Value): string {
  return type.kind === 'optional' && type.value.kind === 'string' ? 'string' : 'Json';
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)].sort();
  if (different.includes('Json')) return different.includes('undefined') ? 'Json | undefined' : 'Json';
  return different.length === 0 ? 'never' : different.join(' | ');
}
