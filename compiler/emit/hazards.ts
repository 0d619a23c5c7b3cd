/**
 * Whether `value.name` could find something else than an attribute: a member of the prototypes of what JSON can be, or an
 * index of a list or a string. Such names are read as own properties only (design 6.5, trap 1).
 */
export function isHazardous(name: string): boolean {
  return INHERITED.has(name) || /^\d+$/.test(name);
}

// A literal list, so that every version of Node emits the same bytes.
const INHERITED = new Set(
  `
  __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ anchor at big blink bold
  charAt charCodeAt codePointAt concat constructor copyWithin endsWith entries every fill filter find
  findIndex findLast findLastIndex fixed flat flatMap fontcolor fontsize forEach getOrInsert
  getOrInsertComputed group hasOwnProperty includes indexOf isPrototypeOf isWellFormed italics join keys
  lastIndexOf length link localeCompare map match matchAll normalize padEnd padStart pop propertyIsEnumerable
  push reduce reduceRight repeat replace replaceAll reverse search shift slice small some sort splice split
  startsWith strike sub substr substring sup toExponential toFixed toLocaleLowerCase toLocaleString
  toLocaleUpperCase toLowerCase toPrecision toReversed toSorted toSpliced toString toUpperCase toWellFormed
  trim trimEnd trimLeft trimRight trimStart unshift valueOf values with
`
    .trim()
    .split(/\s+/),
);
