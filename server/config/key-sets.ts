import * as v from 'valibot';
import { MASKED, maskUrl } from './mask.js';
import { isPlainHttp } from './plain-http.js';
import { about, fields, mustBe, makePath, sentence } from './schema-type.js';
import { bool, duration, name } from './value-types.js';

/** Where the keys of a keyset come from (docs/spec/server.md#keysets). */
export type KeySource =
  | { readonly kind: 'file'; readonly path: string; readonly pem: boolean }
  | { readonly kind: 'data'; readonly base64: string; readonly pem: boolean }
  /** `refreshInterval` in milliseconds; undefined: as the answers of the server say. */
  | {
      readonly kind: 'remote';
      readonly url: string;
      readonly refreshInterval: number | undefined;
      readonly pem: false;
    };

export interface KeySetConfig {
  readonly id: string;
  readonly source: KeySource;
  /** Keys without `alg` accept the algorithms of their type. */
  readonly optionalAlg: boolean;
  /** Tokens need no `kid`; every key is tried. */
  readonly optionalKid: boolean;
  /** A remote set may be fetched from another machine without TLS. */
  readonly plainHttp: boolean;
  readonly place: string;
}

const flag = v.optional(bool, false);

const localSource = v.pipe(
  fields({
    data: v.optional(v.pipe(name, about({ show: () => MASKED }))),
    file: v.optional(name),
    pem: flag,
  }),
  v.check(({ data, file }) => (data === undefined) !== (file === undefined), 'must have one of `data` and `file`'),
);

/** Milliseconds. A keyset that is fetched all the time is a slip of the pen. */
const SHORTEST_REFRESH = 1000;

/** It may hold a password, and is therefore not quoted. */
const webAddress = v.pipe(
  name,
  v.check(
    (written) => URL.canParse(written) && ['http:', 'https:'].includes(new URL(written).protocol),
    mustBe('a URL that begins with `https://` or `http://`', false),
  ),
  about({
    json: { type: 'string', pattern: '^(https?://|.*\\$)' },
    show: (written) => maskUrl(String(written)),
  }),
);

const keySet = v.pipe(
  fields({
    id: name,
    local: v.optional(localSource),
    remote: v.optional(fields({ url: webAddress, refreshInterval: v.optional(duration(SHORTEST_REFRESH)) })),
    insecure: v.optional(fields({ optionalAlg: flag, optionalKid: flag, plainHttp: flag }), {}),
  }),
  v.check((set) => (set.local === undefined) !== (set.remote === undefined), 'must have one of `local` and `remote`'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { remote, insecure } = dataset.value;
    if (remote !== undefined && URL.canParse(remote.url) && isPlainHttp(new URL(remote.url)) && !insecure.plainHttp)
      addIssue({
        message:
          'needs `https://`: an attacker on the network could replace the keys that verify tokens; ' +
          '`insecure.plainHttp` allows it',
        path: makePath('remote', 'url'),
      });
  }),
  about({ json: { oneOf: [{ required: ['local'] }, { required: ['remote'] }] } }),
);

/** `auxData.jwt.keySets`: ids are unique, each set has one source. */
export const keySets = v.pipe(
  v.array(keySet, 'must be a list'),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const ids = dataset.value.map(({ id }) => id);
    for (const [index, id] of ids.entries())
      if (ids.indexOf(id) < index)
        addIssue({ message: sentence(`keyset \`${id}\` is duplicated`), path: makePath(index) });
  }),
  v.readonly(),
  about({ words: 'list of keysets' }),
);

/** A keyset as the server uses it. */
export function createKeySetConfig({
  id,
  local,
  remote,
  insecure,
}: v.InferOutput<typeof keySet>): Omit<KeySetConfig, 'place'> {
  return { id, source: createSource(local, remote), ...insecure };
}

function createSource(
  { data, file = '', pem }: v.InferOutput<typeof localSource> = { pem: false },
  remote?: { readonly url: string; readonly refreshInterval?: number | undefined },
): KeySource {
  if (remote !== undefined)
    return { kind: 'remote', url: remote.url, refreshInterval: remote.refreshInterval, pem: false };
  return data === undefined ? { kind: 'file', path: file, pem } : { kind: 'data', base64: data, pem };
}
