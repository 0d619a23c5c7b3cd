import { MASKED } from './mask.js';
import { refuse, type ValueType } from './value-types.js';

/** A string that is not shown: what is written is not quoted, and printed as `***`. */
export const secret: ValueType<string> = {
  read: (node, key) => {
    const value = node.kind === 'scalar' && node.value !== null ? String(node.value) : '';
    return /^[\x20-\x7e]+$/.test(value)
      ? value
      : refuse(node, key, 'a non-empty string of printable ASCII characters', false);
  },
  write: () => MASKED,
  words: 'string',
  schema: { type: ['string', 'number'], minLength: 1 },
};
