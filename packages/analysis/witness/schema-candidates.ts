import {
  type Expanded,
  expanded,
  listKeywords,
  readMembers,
  readNumber,
  listTexts,
} from '../decision/expanded-schema.js';
import type { Candidates } from '../candidates/candidates.js';
import type { AssumedSchema } from '../question/question.js';

/** How deep attributes are looked at, and how many. */
const MOST_LEVELS = 4;
const MOST_PATHS = 200;

/**
 * Values of attributes that some of several schemas may accept and others reject.
 *
 * @param usual values that each attribute may have besides.
 */
export function schemaCandidates(
  schemas: readonly AssumedSchema[],
  usual: readonly unknown[] = [undefined, ...USUAL],
): readonly Candidates[] {
  const found = new Map<string, { readonly path: readonly string[]; readonly values: Map<string, unknown> }>();
  const add = (path: readonly string[], values: readonly unknown[]): void => {
    const key = path.join('\0');
    const known = found.get(key);
    if (known === undefined && found.size >= MOST_PATHS) return;
    const entry = known ?? { path, values: new Map<string, unknown>() };
    for (const value of values) entry.values.set(JSON.stringify(value) ?? '', value);
    found.set(key, entry);
  };
  const visit = (schema: Expanded, path: readonly string[], level: number): void => {
    for (const keyword of listKeywords(schema)) {
      if (!('call' in keyword)) continue;
      const { call, args } = keyword;
      if (level > 0) add(path, listValues(call, args));
      if (call === 'anyOf' || call === 'oneOf' || call === 'not') for (const part of args) visit(part, path, level);
      if ((call !== 'properties' && call !== 'members') || level >= MOST_LEVELS) continue;
      const { properties, additional } = readMembers(keyword);
      if (additional !== undefined && usual.length > 0) add([...path, 'other'], ['x', undefined]);
      for (const [name, member] of properties) {
        add([...path, name], usual);
        visit(member, [...path, name], level + 1);
      }
    }
  };
  for (const schema of schemas) {
    const whole = expanded(schema);
    if (whole !== undefined) visit(whole, [schema.attributesOf, 'attr'], 0);
  }
  return [...found.values()].flatMap(({ path, values }) =>
    values.size === 0 ? [] : [{ path, values: [...values.values()] }],
  );
}

/** A value of each type. */
const USUAL = ['x', 1, 1.5, true, null, [], {}];

function listValues(call: string, [first, ...rest]: readonly Expanded[]): readonly unknown[] {
  const number = readNumber(first);
  switch (call) {
    case 'is':
    case 'isIn':
      return [first, ...rest].flatMap((value) => (value === undefined ? [] : plainValues(value)));
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf':
      return Number.isNaN(number) ? [] : [number - 1, number, number + 1];
    case 'minLength':
    case 'maxLength':
      return sizesNear(number).map((size) => 'x'.repeat(size));
    case 'minItems':
    case 'maxItems':
      return sizesNear(number).map((size) => Array.from({ length: size }, () => 'x'));
    case 'items':
      return [['x'], [1], [true]];
    default:
      return [];
  }
}

function sizesNear(size: number): readonly number[] {
  return [size - 1, size, size + 1].filter((near) => near >= 0 && near <= 100);
}

function plainValues(value: Expanded): readonly unknown[] {
  const number = readNumber(value);
  return Number.isNaN(number) ? listTexts(value) : [number];
}
