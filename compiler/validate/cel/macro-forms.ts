/** The arguments that each macro takes, for whoever wrote another number of them (docs/spec/conditions.md#macros). */
export const macroForms: ReadonlyMap<string, string> = new Map([
  ['all', '(x, condition) or (i, x, condition)'],
  ['exists', '(x, condition) or (i, x, condition)'],
  ['exists_one', '(x, condition) or (i, x, condition)'],
  ['existsOne', '(i, x, condition)'],
  ['filter', '(x, condition)'],
  ['has', '(a.field)'],
  ['map', '(x, result) or (x, condition, result)'],
  ['optFlatMap', '(x, result)'],
  ['optMap', '(x, result)'],
  ['sortBy', '(x, key)'],
  ['transformList', '(i, x, result) or (i, x, condition, result)'],
  ['transformMap', '(key, value, result) or (key, value, condition, result)'],
  ['transformMapEntry', '(key, value, entries) or (key, value, condition, entries)'],
]);
