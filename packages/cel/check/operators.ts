import { global, member, type Overload } from '../library/function.js';
import {
  bool,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  hierarchy,
  int,
  listType,
  mapType,
  optionalType,
  parameter,
  string,
  timestamp,
  uint,
} from '../library/types.js';
import { comparableTypes } from '../library/lists.js';

const A = parameter('A');
const B = parameter('B');

const relational: readonly Overload[] = [
  ...[bool, string, bytes, timestamp, duration].map((type) => global([type, type], bool)),
  ...pairs([int, uint, double]).map((pair) => global(pair, bool)),
];
const equality: readonly Overload[] = [global([A, A], bool)];
const additive: readonly Overload[] = [...sameTyped(int, uint, double)];
const extremum: readonly Overload[] = [
  ...[double, int, uint].map((type) => global([type], type)),
  ...pairs([double, int, uint]).map(([a, b]) => global([a, b], a === b ? a : dyn)),
  ...[double, int, uint].map((type) => global([listType(type)], type)),
];

/**
 * The overloads of the operators (docs/spec/conditions.md#operators, docs/spec/conditions.md#overload-resolution) and
 * of the steps that macros expand to, which messages name (docs/spec/conditions.md#compile-time-messages). `&&` and
 * `||` are not included: they require bool operands.
 */
export const operatorOverloads: ReadonlyMap<string, readonly Overload[]> = new Map<string, readonly Overload[]>([
  ['_?_:_', [global([bool, A, A], A)]],
  ['_==_', equality],
  ['_!=_', equality],
  ['_<_', relational],
  ['_<=_', relational],
  ['_>_', relational],
  ['_>=_', relational],
  ['@in', [global([A, listType(A)], bool), global([A, mapType(A, B)], bool)]],
  [
    '_+_',
    [
      ...additive,
      ...sameTyped(string, bytes),
      global([listType(A), listType(A)], listType(A)),
      global([duration, duration], duration),
      global([duration, timestamp], timestamp),
      global([timestamp, duration], timestamp),
    ],
  ],
  [
    '_-_',
    [
      ...additive,
      global([duration, duration], duration),
      global([timestamp, duration], timestamp),
      global([timestamp, timestamp], duration),
    ],
  ],
  ['_*_', additive],
  ['_/_', additive],
  ['_%_', sameTyped(int, uint)],
  ['!_', [global([bool], bool)]],
  ['-_', [global([int], int), global([double], double)]],
  [
    '_[_]',
    [
      global([listType(A), int], A),
      global([mapType(A, B), A], B),
      global([optionalType(listType(A)), int], optionalType(A)),
      global([optionalType(mapType(A, B)), A], optionalType(B)),
      global([hierarchy, int], string),
    ],
  ],
  [
    '_[?_]',
    [
      global([listType(A), int], optionalType(A)),
      global([optionalType(listType(A)), int], optionalType(A)),
      global([mapType(A, B), A], optionalType(B)),
      global([optionalType(mapType(A, B)), A], optionalType(B)),
    ],
  ],
  [
    'cel.@mapInsert',
    [global([mapType(A, B), mapType(A, B)], mapType(A, B)), global([mapType(A, B), A, B], mapType(A, B))],
  ],
  ['@sortByAssociatedKeys', comparableTypes.map((type) => member([listType(A), listType(type)], listType(A)))],
  ['math.@max', extremum],
  ['math.@min', extremum],
]);

function sameTyped(...of: readonly CelType[]): readonly Overload[] {
  return of.map((type) => global([type, type], type));
}

function pairs(of: readonly CelType[]): readonly (readonly [CelType, CelType])[] {
  return of.flatMap((a) => of.map((b) => [a, b] as const));
}
