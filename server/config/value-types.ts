import { type Address, parseAddress, writeAddress } from './address.js';
import { ConfigError } from './config-error.js';
import { parseDuration, writeDuration } from './duration.js';
import { isSecretName, MASKED, maskText } from './mask.js';
import { type ConfigNode, plainValue } from './node.js';

/** What a key may hold. */
export interface ValueType<T> {
  /** The value of a node of the configuration. Throws a ConfigError that names what is wanted. */
  read(node: ConfigNode, key: string): T;
  /** The value as a file would say it, secrets masked. */
  write(value: T): unknown;
  /** The kind of the value, for the documentation. */
  readonly words: string;
  /** The JSON Schema of what a file may say. */
  readonly schema: JsonSchema;
}

/** A JSON Schema (draft 7), as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** `engine.defaultPolicyVersion: 20210210` is a number in YAML, and means a string. */
export const text: ValueType<string> = {
  read: (node, key) =>
    node.kind === 'scalar' && node.value !== null ? String(node.value) : refuse(node, key, 'a string'),
  write: same,
  words: 'string',
  schema: { type: ['string', 'number', 'boolean'] },
};

/** A string that is not blank. */
export const name: ValueType<string> = {
  read: (node, key) => {
    const value = text.read(node, key);
    return value.trim() === '' ? refuse(node, key, 'a non-empty string') : value;
  },
  write: same,
  words: 'string',
  schema: { type: ['string', 'number', 'boolean'], minLength: 1 },
};

/** The path of a file or folder; empty means not set. */
export const path: ValueType<string> = { ...text, words: 'path' };

export const bool: ValueType<boolean> = {
  read: (node, key) =>
    node.kind === 'scalar' && typeof node.value === 'boolean' ? node.value : refuse(node, key, '`true` or `false`'),
  write: same,
  words: 'bool',
  schema: { type: 'boolean' },
};

/** An integer from `least` to `most`. */
export function integer(least: number, most: number): ValueType<number> {
  return {
    read: (node, key) => {
      const value = node.kind === 'scalar' && typeof node.value === 'bigint' ? Number(node.value) : Number.NaN;
      if (value >= least && value <= most) return value;
      return refuse(node, key, `an integer from ${least} to ${most}`);
    },
    write: same,
    words: `integer, ${least} to ${most}`,
    schema: { type: 'integer', minimum: least, maximum: most },
  };
}

/** A duration of `least` to `most` milliseconds. */
export function duration(least = 0, most = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const bounds = boundsOf(least, most);
  return {
    read: (node, key) => {
      const value = node.kind === 'scalar' && typeof node.value === 'string' ? parseDuration(node.value) : undefined;
      // Zero needs no unit.
      const milliseconds = node.kind === 'scalar' && node.value === 0n ? 0 : value;
      if (milliseconds !== undefined && milliseconds >= least && milliseconds <= most) return milliseconds;
      return refuse(
        node,
        key,
        bounds === ''
          ? 'a duration such as `500ms`, `30s` or `1h30m`'
          : `a duration${bounds}, such as \`${writeDuration(Math.max(least, 1000))}\``,
      );
    },
    write: writeDuration,
    words: `duration${bounds}`,
    schema: {
      anyOf: [
        { type: 'string', pattern: String.raw`^\+?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+)$` },
        { const: 0 },
      ],
    },
  };
}

export function oneOf<const W extends string>(...words: readonly W[]): ValueType<W> {
  const list = words.map((word) => `\`${word}\``).join(', ');
  return {
    read: (node, key) => {
      const word = node.kind === 'scalar' ? words.find((candidate) => candidate === node.value) : undefined;
      return word ?? refuse(node, key, `one of ${list}`);
    },
    write: same,
    words: `one of ${list}`,
    schema: { enum: words },
  };
}

/** A list of values of one kind. */
export function listOf<T>(item: ValueType<T>): ValueType<readonly T[]> {
  return {
    read: (node, key) =>
      node.kind === 'list'
        ? node.items.map((child, index) => item.read(child, `${key}[${index}]`))
        : refuse(node, key, `a list: ${item.words}`),
    write: (values) => values.map((value) => item.write(value)),
    words: `list: ${item.words}`,
    schema: { type: 'array', items: item.schema },
  };
}

export const texts: ValueType<readonly string[]> = listOf(text);

export const address: ValueType<Address> = {
  read: (node, key) => {
    const value = node.kind === 'scalar' && typeof node.value === 'string' ? parseAddress(node.value) : undefined;
    return value ?? refuse(node, key, 'a listen address: `host:port`, `:port` or `unix:/path`');
  },
  write: writeAddress,
  words: '`host:port`, `:port` or `unix:/path`',
  schema: { type: 'string', pattern: String.raw`^(unix:.+|.*:\d{1,5})$` },
};

/** The permission bits of a socket file. */
export const fileMode: ValueType<number> = {
  read: (node, key) => {
    const written = node.kind === 'scalar' ? String(node.value) : '';
    // YAML 1.2 reads 0o766 as 502; a quoted `0766` is octal by custom.
    const mode = typeof (node.kind === 'scalar' && node.value) === 'bigint' ? Number(written) : octal(written);
    if (mode !== undefined && mode >= 0 && mode <= 0o777) return mode;
    return refuse(node, key, 'a file mode such as `0o766`');
  },
  write: (mode) => `0o${mode.toString(8)}`,
  words: 'file mode',
  schema: {
    anyOf: [
      { type: 'integer', minimum: 0, maximum: 0o777 },
      { type: 'string', pattern: '^0?o?[0-7]{1,4}$' },
    ],
  },
};

/** Taken as it is. */
export const anything: ValueType<unknown> = { read: plainValue, write: same, words: 'anything', schema: {} };

/** The value is not what the key wants. What was written is quoted, unless it may be a secret. */
export function refuse(node: ConfigNode, key: string, wanted: string, quoting = true): never {
  const written = node.kind === 'scalar' && quoting ? `, not \`${shortened(String(node.value))}\`` : '';
  throw new ConfigError(`\`${key}\` must be ${wanted}${written}`, node.place);
}

/** How much of a value an error message quotes, in characters. */
const LONGEST_QUOTE = 100;

function shortened(written: string): string {
  const line = maskText(written.replace(/\s+/g, ' '));
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}...` : line;
}

function same<T>(value: T): T {
  return value;
}

function boundsOf(least: number, most: number): string {
  if (most < Number.MAX_SAFE_INTEGER) return ` from ${writeDuration(least)} to ${writeDuration(most)}`;
  return least > 0 ? ` of ${writeDuration(least)} or more` : '';
}

function octal(written: string): number | undefined {
  const match = /^0?o?([0-7]{1,4})$/.exec(written);
  return match === null ? undefined : Number.parseInt(match[1] as string, 8);
}

/** The way to a claim of a token: the name of a claim, or a list of names of objects in one another. */
export const claimPath: ValueType<readonly string[]> = {
  read: (node, key) => {
    const names = node.kind === 'list' ? texts.read(node, key) : [text.read(node, key)];
    return names.length === 0 || names.includes('') ? refuse(node, key, WANTED_CLAIM) : names;
  },
  write: (names) => (names.length === 1 ? names[0] : names),
  words: 'claim, or list: names of a claim and of objects in it',
  schema: {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
    ],
  },
};

const WANTED_CLAIM = 'the name of a claim, or a list of names such as `[realm_access, roles]`';

/** Claims by the name of the attribute that they become. */
export const claimPaths: ValueType<{ readonly [attribute: string]: readonly string[] }> = {
  read: (node, key) => {
    if (node.kind !== 'map') throw new ConfigError(`\`${key}\` must be a map`, node.place);
    return Object.fromEntries(
      [...node.entries].map(([name, value]) => [name, claimPath.read(value, `${key}.${name}`)]),
    );
  },
  write: (paths) => Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, claimPath.write(path)])),
  words: 'map of names to claims',
  schema: { type: 'object', additionalProperties: claimPath.schema },
};

/** The user of the admin API. HTTP Basic ends a user's name at the first colon. */
export const username: ValueType<string> = {
  read: (node, key) => {
    const value = text.read(node, key);
    return value === '' || value.includes(':') ? refuse(node, key, 'a non-empty string without a colon') : value;
  },
  write: (value) => value,
  words: 'string without a colon',
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

/**
 * `engine.globals`: names that conditions can write, values of any kind. Integers stay bigints: a condition sees an int
 * (docs/spec/conditions.md#numbers-in-requests).
 */
export const globals: ValueType<{ readonly [name: string]: unknown }> = {
  read: (node, key) => {
    if (node.kind !== 'map') throw new ConfigError(`\`${key}\` must be a map`, node.place);
    for (const [name, value] of node.entries) checkName(name, value);
    return plainValue(node) as { readonly [name: string]: unknown };
  },
  write: withoutSecrets,
  words: 'map',
  schema: { type: 'object', propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' } },
};

/** The values whose names say that they are secrets are masked, also within others. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isSecretName(name) ? MASKED : withoutSecrets(member)]),
  );
}

/** Words that CEL keeps for itself (conditions.md, Appendix A). */
const RESERVED = new Set(
  (
    'as break const continue else false for function if import in let loop namespace null package return true var ' +
    'void while'
  ).split(' '),
);

function checkName(name: string, value: ConfigNode): void {
  if (/^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name)) return;
  throw new ConfigError(`global \`${name}\` is not a name that a condition can use`, value.place);
}

/** The URL of a storage or service, without credentials. */
export const endpoint: ValueType<string> = {
  read: (node, key) => {
    const written = text.read(node, key);
    return /^https?:\/\/[^\s/@?#]+(\/[^\s?#]*)?$/.test(written) && URL.canParse(written)
      ? written
      : refuse(node, key, 'a URL without credentials: `https://storage.example.com`', false);
  },
  write: (value) => value,
  words: 'URL',
  schema: { type: 'string', pattern: '^https?://[^@]+$' },
};
