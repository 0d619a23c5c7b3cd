import { isStated, type Stated } from './equality.js';
import type { Schema } from './run.js';
import { statedText } from './text.js';

/** `enum`. */
export function isIn(...stated: readonly Stated[]): Schema {
  const texts = stated.map(statedText);
  const message = texts.includes(undefined)
    ? 'enum failed'
    : `value must be ${texts.length === 1 ? '' : 'one of '}${texts.join(', ')}`;
  return (value, place, run) => stated.some((one) => isStated(value, one)) || run.report(place, message);
}

/** `const`. */
export function is(stated: Stated): Schema {
  const text = statedText(stated);
  const message = text === undefined ? 'const failed' : `value must be ${text}`;
  return (value, place, run) => isStated(value, stated) || run.report(place, message);
}
