import { MASKED, refuse, text, type ValueType } from './value-types.js';

/** The user of the admin API. HTTP Basic ends a user's name at the first colon. */
export const username: ValueType<string> = {
  read: (node, key) => {
    const value = text.read(node, key);
    return value === '' || value.includes(':') ? refuse(node, key, 'a text that is not empty and has no colon') : value;
  },
  write: (value) => value,
  words: 'text without a colon',
  schema: { type: ['string', 'number'], pattern: '^[^:]+$' },
};

/**
 * The bcrypt hash inside the base64 of a file (docs/spec/server.md#configuration); what is not one must stop the start
 * (docs/spec/server.md#start-failures).
 */
export const passwordHash: ValueType<string> = {
  read: (node, key) => {
    const written = node.kind === 'scalar' && typeof node.value === 'string' ? node.value.trim() : '';
    const hash = Buffer.from(written, 'base64').toString('latin1').trim();
    if (/^[A-Za-z0-9+/]+={0,2}$/.test(written) && BCRYPT.test(hash)) return hash;
    return refuse(node, key, 'base64 of a bcrypt hash', false);
  },
  write: () => MASKED,
  words: 'base64 of a bcrypt hash',
  schema: { type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$' },
};

const BCRYPT = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;
