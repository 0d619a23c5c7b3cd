import type { Match, Module, Program } from '../ir/program.js';
import type { SchemaTerm } from '../ir/schema.js';
import type { Value } from '../ir/value.js';
import { some, listValues } from '../ir/visit.js';
import { runtimeFunction } from './values.js';

/**
 * The functions of packages/cel/runtime that an evaluation of the filters of a program can call, sorted. `selectsWith` has those
 * that every filter can call.
 */
export function filterFunctions({ modules, schemas }: Pick<Program, 'modules' | 'schemas'>): readonly string[] {
  const names = new Set(schemas.length > 0 ? OF_SCHEMAS : []);
  if (schemas.some(({ definitions }) => definitions.some(({ schema }) => usesRe2(schema)))) names.add('matches');
  for (const value of modules.flatMap(filteredValues)) {
    some(value, (part) => {
      const name = findName(part);
      if (name !== undefined) names.add(name);
      for (const other of ALSO.get(name ?? '') ?? []) names.add(other);
      return false;
    });
  }
  // A filter can have times that a condition computes.
  if ([...names].some((name) => TIMES.has(name))) names.add('toTimestamp').add('toDuration');
  for (const name of EVERYWHERE) names.delete(name);
  return [...names].sort();
}

/** `timeSince(t) < d` is a comparison with a constant time, in the other direction. */
const ORDERS: readonly string[] = ['atLeast', 'atMost', 'greaterThan', 'lessThan'];

/** Operators of the rows that satisfy a schema (runtime/row-schema). */
const OF_SCHEMAS: readonly string[] = [
  ...ORDERS,
  'all',
  'all2',
  'distinct',
  'exists',
  'exists2',
  'mathFloor',
  'matchesLiteral',
  'size',
  'subtract',
  'toTimestamp',
  'typeOf',
];

/** What filters can have in place of a function (docs/spec/plans.md#operands). */
const ALSO: ReadonlyMap<string, readonly string[]> = new Map([
  ...ORDERS.map((name) => [name, ORDERS] as const),
  ['negate', ['subtract']],
  ['mapWhere', ['filter']],
]);

const TIMES: ReadonlySet<string> = new Set(['now', 'timeSince', 'toTimestamp', 'toDuration']);

/** `selectsWith` has them; others are no functions of filters. */
const EVERYWHERE: readonly string[] = [
  'and',
  'or',
  'not',
  'conditional',
  'equals',
  'notEquals',
  'inCollection',
  'bind',
  'messageOf',
  'now',
];

function filteredValues(module: Module): readonly Value[] {
  const conditionals: readonly { readonly condition?: Match | undefined }[] =
    module.kind === 'derived-roles' ? module.definitions : module.rules;
  return [
    ...module.variables.map(({ value }) => value),
    ...conditionals.flatMap(({ condition }) => listValues(condition)),
  ];
}

function usesRe2(term: SchemaTerm): boolean {
  switch (term.kind) {
    case 'name':
      return term.name === 'RE2';
    case 'call':
      return term.args.some(usesRe2);
    case 'list':
      return term.items.some(usesRe2);
    case 'record':
      return term.members.some(([, member]) => usesRe2(member));
    case 'definition':
    case 'value':
      return false;
  }
}

/** Filters have one name for both forms of a function, `except(x, y)` and `x.except(y)`. */
const GLOBAL_FORM = /Global$/;

function findName(value: Value): string | undefined {
  switch (value.kind) {
    case 'call':
      return runtimeFunction(value).replace(GLOBAL_FORM, '');
    case 'operator':
      return value.operator;
    case 'macro':
      return value.runtime;
    default:
      return undefined;
  }
}
