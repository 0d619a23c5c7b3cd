import type { Section } from './entry.js';

/** Operators are built into the language and are not in packages/cel/library. */
export const OPERATORS: Section = {
  title: 'Operators',
  intro: `Arithmetic never mixes number types, and numbers in requests are always \`double\`: write \`R.attr.days + 1.0\` or \`int(R.attr.days) + 1\`.
Comparisons may mix number types.`,
  entries: [
    {
      name: '==',
      signatures: ['T == T -> bool', 'T != T -> bool'],
      meaning:
        'Compares values, including lists and maps. Values of different kinds are unequal; numbers compare by value.',
      examples: [
        ['[1, 2] == [1, 2]', 'true'],
        ['dyn(5.0) == 5', 'true'],
        ['dyn("1") == 1', 'false'],
      ],
    },
    {
      name: '<',
      signatures: ['<, <=, >, >= of numbers, string, bytes, bool, timestamp, duration -> bool'],
      meaning: 'Compares the order of two values. Strings are ordered by code point, numbers across their types.',
      examples: [
        ['"a" < "b"', 'true'],
        ['2 < 2.5', 'true'],
        ['duration("1h") > duration("30m")', 'true'],
      ],
    },
    {
      name: '+',
      signatures: ['+ of int, uint, double, string, bytes, list, duration, timestamp'],
      meaning:
        'Adds numbers and durations, and concatenates strings, bytes and lists. Integers do not wrap around: ' +
        'overflow is an error.',
      examples: [
        ['1 + 2', '3'],
        ['"a" + "b"', '"ab"'],
        ['[1] + [2]', '[1, 2]'],
        ['timestamp("2024-01-01T00:00:00Z") + duration("24h")', '"2024-01-02T00:00:00Z"'],
        ['9223372036854775807 + 1', 'error: integer overflow'],
      ],
    },
    {
      name: '-',
      signatures: ['- of int, uint, double, duration, timestamp'],
      meaning: 'Subtracts, or negates.',
      examples: [
        ['5 - 7', '-2'],
        ['timestamp("2024-01-02T00:00:00Z") - timestamp("2024-01-01T00:00:00Z")', '"86400s"'],
      ],
    },
    {
      name: '* / %',
      signatures: ['*, / of int, uint, double', '% of int, uint'],
      meaning:
        'Multiplies, divides, and returns the remainder. Integer division truncates toward zero; the sign of `%` ' +
        'is that of its left operand.',
      examples: [
        ['7 / 2', '3'],
        ['7.0 / 2.0', '3.5'],
        ['-7 % 3', '-1'],
        ['1 / 0', 'error: division by zero'],
      ],
    },
    {
      name: '&& || !',
      signatures: ['bool && bool -> bool', 'bool || bool -> bool', '!bool -> bool'],
      meaning: 'And, or, not. If one operand decides the result, an error in the other is ignored, in either order.',
      examples: [
        ['false && R.attr.missing', 'false'],
        ['R.attr.missing || true', 'true'],
        ['!false', 'true'],
      ],
    },
    {
      name: '?:',
      signatures: ['bool ? T : T -> T'],
      meaning: 'Returns one of two values; the other is not evaluated.',
      examples: [['1 < 2 ? "less" : "more"', '"less"']],
    },
    {
      name: 'in',
      signatures: ['T in list(T) -> bool', 'K in map(K, V) -> bool'],
      meaning: 'Returns whether a list has an element, or a map has a key.',
      examples: [
        ['2 in [1, 2]', 'true'],
        ['"a" in {"a": 1}', 'true'],
        ['P.id in R.attr.friends', 'true'],
      ],
    },
    {
      name: '[]',
      signatures: ['list(T)[int] -> T', 'map(K, V)[K] -> V'],
      meaning:
        'Returns the element at an index (starting at 0), or the value of a key. A missing element or key is an error.',
      examples: [
        ['[10, 20][1]', '20'],
        ['{"a": 1}["a"]', '1'],
        ['[1][5]', 'error: index out of bounds: 5'],
      ],
    },
    {
      name: '.',
      signatures: ['x.field'],
      meaning:
        'Returns a field of a map or of the request. A missing field is an error, which makes a condition false.',
      examples: [
        ['R.attr.visibility', '"friends"'],
        ['R.attr.missing', 'error: no such key: missing'],
      ],
    },
    {
      name: '.? [?]',
      signatures: ['x.?field -> optional(T)', 'x[?key] -> optional(T)'],
      meaning:
        'Like `.` and `[]`, but returns an optional, which is `optional.none()` if the field or element is missing.',
      examples: [
        ['R.attr.?missing.orValue("none")', '"none"'],
        ['[1][?5].hasValue()', 'false'],
      ],
    },
  ],
};

export const MACROS: Section = {
  title: 'Macros',
  intro:
    'A macro looks like a function but is part of the syntax: it declares the variables of its condition. Over a ' +
    'map, `x` is the key.',
  entries: [
    {
      name: 'has',
      signatures: ['has(x.field) -> bool'],
      meaning: 'Returns whether a field is present. A field that is `null` is present.',
      examples: [
        ['has(R.attr.owner)', 'true'],
        ['has(R.attr.missing)', 'false'],
      ],
    },
    {
      name: 'all',
      signatures: ['list.all(x, condition) -> bool', 'list.all(index, x, condition) -> bool'],
      meaning: 'Returns whether the condition holds for all elements. True for an empty list.',
      examples: [
        ['[1, 2].all(x, x > 0)', 'true'],
        ['[].all(x, x > 0)', 'true'],
      ],
    },
    {
      name: 'exists',
      signatures: ['list.exists(x, condition) -> bool', 'map.exists(key, value, condition) -> bool'],
      meaning: 'Returns whether the condition holds for at least one element.',
      examples: [
        ['[1, 2].exists(x, x > 1)', 'true'],
        ['{"a": 1}.exists(k, v, v == 1)', 'true'],
      ],
    },
    {
      name: 'exists_one',
      signatures: ['list.exists_one(x, condition) -> bool'],
      meaning: 'Returns whether the condition holds for exactly one element.',
      examples: [['[1, 2, 2].exists_one(x, x == 2)', 'false']],
    },
    {
      name: 'filter',
      signatures: ['list.filter(x, condition) -> list'],
      meaning: 'Returns the elements for which the condition holds.',
      examples: [['[1, 2, 3].filter(x, x > 1)', '[2, 3]']],
    },
    {
      name: 'map',
      signatures: ['list.map(x, expression) -> list', 'list.map(x, condition, expression) -> list'],
      meaning:
        'Returns the value of the expression for each element, or for each element for which the condition holds.',
      examples: [
        ['[1, 2].map(x, x * 2)', '[2, 4]'],
        ['[1, 2].map(x, x > 1, x * 2)', '[4]'],
      ],
    },
    {
      name: 'transformList',
      signatures: [
        'list.transformList(index, x, expression) -> list',
        'list.transformList(index, x, condition, expression) -> list',
      ],
      meaning: 'Like `map`, with index and element of a list, or key and value of a map.',
      examples: [['[5, 6].transformList(i, x, i + x)', '[5, 7]']],
    },
    {
      name: 'transformMap',
      signatures: ['map.transformMap(key, value, expression) -> map'],
      meaning: 'Returns a map with the same keys and new values.',
      examples: [['{"a": 1}.transformMap(k, v, v + 1)', '{"a": 2}']],
    },
    {
      name: 'transformMapEntry',
      signatures: ['map.transformMapEntry(key, value, map) -> map'],
      meaning: 'Returns the combined entries of the maps that the expression returns for each entry.',
      examples: [['{"a": "b"}.transformMapEntry(k, v, {v: k})', '{"b": "a"}']],
    },
    {
      name: 'sortBy',
      signatures: ['list.sortBy(x, key) -> list'],
      meaning: 'Sorts a list by a key.',
      examples: [['["ccc", "a", "bb"].sortBy(x, size(x))', '["a", "bb", "ccc"]']],
    },
    {
      name: 'cel.bind',
      signatures: ['cel.bind(name, value, expression)'],
      meaning: 'Binds a name to a value within an expression.',
      examples: [['cel.bind(x, 3, x * x)', '9']],
    },
    {
      name: 'optMap',
      signatures: ['optional.optMap(x, expression) -> optional'],
      meaning: 'Applies an expression to the value of an optional, if it has one.',
      examples: [['optional.of(2).optMap(x, x * 2).value()', '4']],
    },
    {
      name: 'optFlatMap',
      signatures: ['optional.optFlatMap(x, optional) -> optional'],
      meaning: 'Like `optMap`, for an expression that returns an optional.',
      examples: [['optional.of([1]).optFlatMap(x, x[?5]).hasValue()', 'false']],
    },
    {
      name: 'math.greatest',
      signatures: ['math.greatest(number, ...) -> number', 'math.greatest(list) -> number'],
      meaning: 'Returns the greatest number.',
      examples: [['math.greatest(1, 3, 2)', '3']],
    },
    {
      name: 'math.least',
      signatures: ['math.least(number, ...) -> number', 'math.least(list) -> number'],
      meaning: 'Returns the least number.',
      examples: [['math.least([4, 2])', '2']],
    },
  ],
};
