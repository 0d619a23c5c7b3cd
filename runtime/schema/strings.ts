import { codePointCount } from '../cel/code-points.js';
import { literalPattern, matchesPattern } from '../cel/matches.js';
import { FORMATS } from './formats/index.js';
import { regexWork } from './formats/texts.js';
import type { Schema } from './run.js';
import { singleQuoted } from './text.js';

/** `minLength`, in code points. */
export function minLength(least: number): Schema {
  return (value, place, run) => {
    if (typeof value !== 'string') return true;
    const length = codePointCount(value);
    return length >= least || run.report(place, `length must be >= ${least}, but got ${length}`);
  };
}

/** `maxLength`, in code points. */
export function maxLength(most: number): Schema {
  return (value, place, run) => {
    if (typeof value !== 'string') return true;
    const length = codePointCount(value);
    return length <= most || run.report(place, `length must be <= ${most}, but got ${length}`);
  };
}

/** `pattern`: RE2, unanchored, in linear time. */
export function pattern(source: string): Schema {
  const literal = literalPattern(source);
  const shown = singleQuoted(source);
  return (value, place, run) =>
    typeof value !== 'string' || matchesPattern(value, literal) || run.report(place, `does not match pattern ${shown}`);
}

/** `format`; every value satisfies an unknown one (docs/spec/policy-language.md#json-schema-dialect). */
export function format(name: string): Schema {
  const isValid = FORMATS.get(name) ?? (() => true);
  const shown = singleQuoted(name);
  const workOf = name === 'regex' ? regexWork : (text: string): number => text.length >> 6;
  return (value, place, run) =>
    typeof value !== 'string' ||
    (run.spend(workOf(value)) && isValid(value)) ||
    run.report(place, () => `${singleQuoted(value)} is not valid ${shown}`);
}
