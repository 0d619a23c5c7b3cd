import { findExtent, standsAt } from './origins.js';
import type { Match } from './program.js';
import type { Value } from './value.js';

/** The values directly inside a value, in source order. */
export function parts(value: Value): readonly Value[] {
  switch (value.kind) {
    case 'literal':
    case 'field':
    case 'part':
    case 'variable':
    case 'constant':
    case 'global':
    case 'local':
    case 'is-set':
    case 'bindings':
    case 'type-name':
      return NONE;
    case 'select':
    case 'has':
    case 'optional-select':
      return [value.operand];
    case 'index':
    case 'optional-index':
      return [value.operand, value.index];
    case 'operator':
      return value.operands;
    case 'call':
      return value.args;
    case 'list':
      return value.elements.map((element) => element.value);
    case 'map':
      return value.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'macro':
      return value.predicate === undefined ? [value.range, value.body] : [value.range, value.predicate, value.body];
  }
}

const NONE: readonly Value[] = [];

/** Whether a value or a value inside it satisfies a test. */
export function some(value: Value, test: (value: Value) => boolean): boolean {
  if (test(value)) return true;
  const inner = parts(value);
  for (let index = 0; index < inner.length; index++) if (some(inner[index] as Value, test)) return true;
  return false;
}

/** Returns the value with each direct part replaced, or the same object if none changes. */
export function mapParts(value: Value, replace: (part: Value) => Value): Value {
  const before = parts(value);
  if (before.length === 0) return value;
  const after = before.map(replace);
  let isSame = true;
  for (let index = 0; index < after.length; index++) isSame &&= after[index] === before[index];
  if (isSame) return value;
  let next = 0;
  return standsAt(
    withParts(value, () => after[next++] as Value),
    findExtent(value),
  );
}

/** @param replace called for each part in the order of `parts`. */
function withParts(value: Value, replace: (part: Value) => Value): Value {
  switch (value.kind) {
    case 'literal':
    case 'field':
    case 'part':
    case 'variable':
    case 'constant':
    case 'global':
    case 'local':
    case 'is-set':
    case 'bindings':
    case 'type-name':
      return value;
    case 'select':
    case 'has':
    case 'optional-select':
      return { ...value, operand: replace(value.operand) };
    case 'index':
    case 'optional-index':
      return { ...value, operand: replace(value.operand), index: replace(value.index) };
    case 'operator':
      return { ...value, operands: value.operands.map(replace) };
    case 'call':
      return { ...value, args: value.args.map(replace) };
    case 'list':
      return { ...value, elements: value.elements.map((element) => ({ ...element, value: replace(element.value) })) };
    case 'map':
      return {
        ...value,
        entries: value.entries.map((entry) => ({ ...entry, key: replace(entry.key), value: replace(entry.value) })),
      };
    case 'macro':
      return {
        ...value,
        range: replace(value.range),
        predicate: value.predicate && replace(value.predicate),
        body: replace(value.body),
      };
  }
}

/** The names of one kind that occur in the values. */
export function namesIn(values: readonly Value[], kind: Named): ReadonlySet<string> {
  return new Set(mentionsIn(values, kind));
}

/** The names of one kind that occur in the values more than once. */
export function repeatedIn(values: readonly Value[], kind: Named): ReadonlySet<string> {
  const once = new Set<string>();
  return new Set(mentionsIn(values, kind).filter((name) => once.size === once.add(name).size));
}

type Named = 'variable' | 'constant' | 'global';

function mentionsIn(values: readonly Value[], kind: Named): readonly string[] {
  const names: string[] = [];
  const pending = [...values];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (value.kind === kind || (value.kind === 'is-set' && value.binding === kind)) names.push(value.name);
    const inner = parts(value);
    for (let index = 0; index < inner.length; index++) pending.push(inner[index] as Value);
  }
  return names;
}

/** An expression of a condition. */
export type Leaf = Extract<Match, { readonly kind: 'expr' }>;

/** The expressions of a condition, in source order. */
export function listLeaves(match: Match): readonly Leaf[] {
  return match.kind === 'expr' ? [match] : match.of.flatMap(listLeaves);
}

/** The values of the expressions of a condition, in source order. */
export function listValues(match: Match | undefined): readonly Value[] {
  return match === undefined ? [] : listLeaves(match).map(({ value }) => value);
}

/** Whether a value depends on a variable: one that it names, or all of them as a whole. */
export function readsVariables(value: Value): boolean {
  return some(
    value,
    (part) =>
      part.kind === 'variable' ||
      (part.kind === 'is-set' && part.binding === 'variable') ||
      (part.kind === 'bindings' && part.of === 'variables'),
  );
}
