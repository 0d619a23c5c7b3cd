import { anyOf, glob, type Matcher, parseGlob } from '../../runtime/policy/index.js';

/** Which tests to run; a dimension without a filter has no matcher. */
export type TestFilter = ReadonlyMap<Dimension, Matcher>;

const DIMENSIONS = ['suite', 'test', 'principal', 'resource', 'action'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/**
 * Reads filters as the command line accepts them: `test=Alice*;action=view,edit` (docs/spec/server.md#test-filters).
 * The globs of a dimension are alternatives, all dimensions must match, and several filters are merged into one. Throws
 * an Error if a filter is malformed.
 */
export function testFilter(expressions: readonly string[]): TestFilter {
  const globs = new Map<Dimension, string[]>();
  for (const part of expressions.flatMap((expression) => expression.split(';'))) {
    if (part.trim() === '') continue;
    const [dimension, patterns] = parseDimension(part);
    globs.set(dimension, [...(globs.get(dimension) ?? []), ...patterns]);
  }
  return new Map([...globs].map(([dimension, patterns]) => [dimension, anyOf(patterns.map(glob))]));
}

function parseDimension(part: string): readonly [Dimension, readonly string[]] {
  const equals = part.indexOf('=');
  if (equals < 0) throw new Error(`invalid test filter \`${part.trim()}\`: expected DIMENSION=GLOB,GLOB`);
  const name = part.slice(0, equals).trim().toLowerCase();
  const dimension = DIMENSIONS.find((known) => known === name);
  if (dimension === undefined)
    throw new Error(`invalid test filter: unknown dimension \`${name}\`, must be one of ${DIMENSIONS.join(', ')}`);
  const patterns = splitAtCommas(part.slice(equals + 1))
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '');
  if (patterns.length === 0) throw new Error(`invalid test filter: \`${name}\` has no pattern`);
  const broken = patterns.find((pattern) => parseGlob(pattern) === undefined);
  if (broken !== undefined) throw new Error(`invalid test filter: \`${broken}\` is not a glob`);
  return [dimension, patterns];
}

/** Separators in `{a,b}` and `[,]` belong to their glob. */
function splitAtCommas(text: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1;
    else if (depth > 0 && (character === '}' || character === ']')) depth -= 1;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}
