/**
 * Whether `object.name` could find something other than an attribute of a plain object: such names are only read as own
 * properties.
 */
export function isInherited(name: string): boolean {
  return OF_OBJECTS.has(name);
}

/**
 * The same where the value may be any JSON: members of strings, lists and numbers can be found as well, and the indexes
 * of lists and strings.
 */
export function isHazardous(name: string): boolean {
  return OF_OBJECTS.has(name) || OF_OTHERS.has(name) || /^\d+$/.test(name);
}

// Literal lists, so that every version of Node emits the same bytes.
const OF_OBJECTS = splitWords(`
  __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor hasOwnProperty isPrototypeOf
  propertyIsEnumerable toLocaleString toString valueOf
`);
const OF_OTHERS = splitWords(`
  anchor at big blink bold charAt charCodeAt codePointAt concat copyWithin endsWith entries every fill filter find
  findIndex findLast findLastIndex fixed flat flatMap fontcolor fontsize forEach getOrInsert
  getOrInsertComputed group includes indexOf isWellFormed italics join keys
  lastIndexOf length link localeCompare map match matchAll normalize padEnd padStart pop
  push reduce reduceRight repeat replace replaceAll reverse search shift slice small some sort splice split
  startsWith strike sub substr substring sup toExponential toFixed toLocaleLowerCase
  toLocaleUpperCase toLowerCase toPrecision toReversed toSorted toSpliced toUpperCase toWellFormed
  trim trimEnd trimLeft trimRight trimStart unshift values with
`);

function splitWords(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
