import * as v from 'valibot';
import { parseAddress } from './address.js';
import { parseDuration, writeDuration } from './duration.js';
import { isSecretName, MASKED } from './mask.js';
import {
  about,
  either,
  isMap,
  isScalar,
  makeList,
  makeMap,
  mustBe,
  makePath,
  readBy,
  sentence,
  type Type,
} from './schema-type.js';

/** Any value, taken as it is. */
export const anything = v.pipe(v.unknown(), about({ words: 'anything' }));

/** `engine.defaultPolicyVersion: 20210210` is a number in YAML, and means a string. */
export const text = v.pipe(
  v.custom<string | number | bigint | boolean>((value) => isScalar(value) && value !== null, mustBe('a string')),
  v.transform(String),
  about({ words: 'string', json: { type: ['string', 'number', 'boolean'] }, show: String }),
);

/** A string that is not blank. */
export const name = v.pipe(
  text,
  v.check((value) => value.trim() !== '', mustBe('a non-empty string')),
  about({ json: { type: ['string', 'number', 'boolean'], minLength: 1 } }),
);

/** The path of a file or folder; empty means not set. */
export const path = v.pipe(text, about({ words: 'path' }));

/** A string that is not shown: what is written is not quoted, and printed as `***`. */
export const secret = v.pipe(
  readBy(
    (written) => (isScalar(written) && /^[\x20-\x7e]+$/.test(String(written ?? '')) ? String(written) : undefined),
    'a non-empty string of printable ASCII characters',
    false,
  ),
  about({ words: 'string', json: { type: ['string', 'number'], minLength: 1 }, show: () => MASKED }),
);

export const bool = v.pipe(v.boolean(mustBe('`true` or `false`')), about({ words: 'bool', json: { type: 'boolean' } }));

/** An integer from `least` to `most`. */
export function integer(least: number, most: number): Type<number> {
  return v.pipe(
    readBy((written) => {
      const value = typeof written === 'bigint' ? Number(written) : undefined;
      return value !== undefined && value >= least && value <= most ? value : undefined;
    }, `an integer from ${least} to ${most}`),
    about({
      words: `integer, ${least} to ${most}`,
      json: { type: 'integer', minimum: least, maximum: most },
    }),
  );
}

/** A fraction. */
export const fraction = v.pipe(
  readBy(
    (written) =>
      isScalar(written) && /^(?:0|1|0\.\d{1,9}|1\.0+)$/.test(String(written)) ? Number(written) : undefined,
    'a number from 0 to 1',
  ),
  about({ words: 'number from 0 to 1', json: { type: 'number', minimum: 0, maximum: 1 } }),
);

/** A duration of `least` to `most` milliseconds. */
export function duration(least = 0, most = Number.MAX_SAFE_INTEGER): Type<number> {
  const bounds = describeBounds(least, most);
  const read = (written: unknown): number | undefined => {
    // Zero needs no unit.
    if (written === 0n) return 0;
    return typeof written === 'string' ? parseDuration(written) : undefined;
  };
  return v.pipe(
    readBy(
      (written) => {
        const milliseconds = read(written);
        return milliseconds !== undefined && milliseconds >= least && milliseconds <= most ? milliseconds : undefined;
      },
      bounds === ''
        ? 'a duration such as `500ms`, `30s` or `1h30m`'
        : `a duration${bounds}, such as \`${writeDuration(Math.max(least, 1000))}\``,
    ),
    about({
      words: `duration${bounds}`,
      json: {
        anyOf: [
          { type: 'string', pattern: String.raw`^\+?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+)$` },
          { const: 0 },
        ],
      },
      show: (written) => writeDuration(read(written) ?? 0),
    }),
  );
}

function describeBounds(least: number, most: number): string {
  if (most < Number.MAX_SAFE_INTEGER) return ` from ${writeDuration(least)} to ${writeDuration(most)}`;
  return least > 0 ? ` of ${writeDuration(least)} or more` : '';
}

export function pickOne<const W extends string>(...words: readonly W[]) {
  const list = `one of ${words.map((word) => `\`${word}\``).join(', ')}`;
  return v.pipe(v.picklist(words, mustBe(list)), about({ words: list, json: { enum: words } }));
}

/** A list of strings. */
export const texts = makeList(text);

/** A string of a form. */
export function textLike(pattern: RegExp, wanted: string, words: string, quoting = true) {
  return v.pipe(
    text,
    v.regex(pattern, mustBe(wanted, quoting)),
    about({ words, json: { type: 'string', pattern: pattern.source } }),
  );
}

export const address = v.pipe(
  readBy(
    (written) => (typeof written === 'string' ? parseAddress(written) : undefined),
    'a listen address: `host:port`, `:port` or `unix:/path`',
  ),
  about({
    words: '`host:port`, `:port` or `unix:/path`',
    json: { type: 'string', pattern: String.raw`^(unix:.+|.*:\d{1,5})$` },
  }),
);

/** The permission bits of a socket file. */
export const fileMode = v.pipe(
  readBy(readFileMode, 'a file mode such as `0o766`'),
  about({
    words: 'file mode',
    json: {
      anyOf: [
        { type: 'integer', minimum: 0, maximum: 0o777 },
        { type: 'string', pattern: '^0?o?[0-7]{1,4}$' },
      ],
    },
    show: (written) => `0o${readFileMode(written)?.toString(8)}`,
  }),
);

/** YAML 1.2 reads 0o766 as 502; a quoted `0766` is octal by custom. */
function readFileMode(written: unknown): number | undefined {
  const [, octal] = /^0?o?([0-7]{1,4})$/.exec(String(written)) ?? [];
  const mode = typeof written === 'bigint' ? Number(written) : Number.parseInt(octal ?? '', 8);
  return isScalar(written) && mode >= 0 && mode <= 0o777 ? mode : undefined;
}

const WANTED_CLAIM = 'the name of a claim, or a list of names such as `[realm_access, roles]`';

/** The way to a claim of a token: the name of a claim, or a list of names of objects in one another. */
export const claimPath = v.pipe(
  either(Array.isArray, texts, text),
  v.transform((names): readonly string[] => (typeof names === 'string' ? [names] : names)),
  v.check((names) => names.length > 0 && !names.includes(''), mustBe(WANTED_CLAIM)),
  about({
    words: 'claim, or list: names of a claim and of objects in it',
    json: {
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
      ],
    },
  }),
);

/** Claims by the name of the attribute that they become. */
export const claimPaths = v.pipe(makeMap(claimPath), about({ words: 'map of names to claims' }));

/** The user of the admin API. HTTP Basic ends a user's name at the first colon. */
export const username = v.pipe(
  // `name:password` is not quoted.
  textLike(/^[^:]+$/, 'a non-empty string without a colon', 'string without a colon', false),
  about({ json: { type: ['string', 'number'], pattern: '^[^:]+$' } }),
);

/**
 * The bcrypt hash inside the base64 of a file (docs/spec/server.md#configuration); what is not one must stop the start
 * (docs/spec/server.md#start-failures).
 */
export const passwordHash = v.pipe(
  readBy(
    (written) => {
      const base64 = typeof written === 'string' ? written.trim() : '';
      const hash = Buffer.from(base64, 'base64').toString('latin1').trim();
      return BASE64.test(base64) && BCRYPT.test(hash) ? hash : undefined;
    },
    'base64 of a bcrypt hash',
    false,
  ),
  about({
    words: 'base64 of a bcrypt hash',
    json: { type: 'string', pattern: '^[A-Za-z0-9+/]+={0,2}$' },
    show: () => MASKED,
  }),
);

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BCRYPT = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

/**
 * `engine.globals`: names that conditions can write, values of any kind. Integers stay bigints: a condition sees an int
 * (docs/spec/conditions.md#numbers-in-requests).
 */
export const globals = v.pipe(
  v.custom<{ readonly [name: string]: unknown }>(isMap, 'must be a map'),
  v.rawCheck(({ dataset: { value: input }, addIssue }) => {
    for (const key of Object.keys(input as object))
      if (!/^[A-Za-z_]\w*$/.test(key) || RESERVED.has(key))
        addIssue({
          message: sentence(`global \`${key}\` is not a name that a condition can use`),
          path: makePath(key),
        });
  }),
  about({
    words: 'map',
    json: { type: 'object', propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' } },
    show: withoutSecrets,
  }),
);

/** The values whose names say that they are secrets are masked, also within others. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, isSecretName(key) ? MASKED : withoutSecrets(member)]),
  );
}

/** Words that CEL keeps for itself (docs/spec/conditions.md). */
const RESERVED = new Set(
  (
    'as break const continue else false for function if import in let loop namespace null package return true var ' +
    'void while'
  ).split(' '),
);

/** The URL of a storage or service, without credentials. */
export const endpoint = v.pipe(
  text,
  v.check(
    (written) => /^https?:\/\/[^\s/@?#]+(\/[^\s?#]*)?$/.test(written) && URL.canParse(written),
    mustBe('a URL without credentials: `https://storage.example.com`', false),
  ),
  about({ words: 'URL', json: { type: 'string', pattern: '^https?://[^@]+$' } }),
);
