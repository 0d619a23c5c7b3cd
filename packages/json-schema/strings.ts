import { codePointCount } from '../cel/runtime/code-points.js';
import { literalPattern, matchesPattern, type PatternEngine } from '../cel/runtime/matches.js';
import type { Format } from './formats/index.js';
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

/** `pattern`: the syntax and meaning of RE2, unanchored, in linear time. */
export function pattern(source: string, engine?: PatternEngine): Schema {
  const literal = literalPattern(source, engine);
  const shown = singleQuoted(source);
  return (value, place, run) =>
    typeof value !== 'string' || matchesPattern(value, literal) || run.report(place, `does not match pattern ${shown}`);
}

/** `format`; nothing is emitted for an unknown one (docs/spec/policy-language.md#json-schema-dialect). */
export function format(name: string, isValid: Format): Schema {
  const shown = singleQuoted(name);
  return (value, place, run) =>
    typeof value !== 'string' ||
    (run.spend(value.length >> 6) && isValid(value, run)) ||
    run.report(place, () => `${singleQuoted(value)} is not valid ${shown}`);
}
