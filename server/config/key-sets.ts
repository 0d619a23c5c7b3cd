import { blockOf } from './block.js';
import { ConfigError } from './config-error.js';
import { MASKED, maskUrl } from './mask.js';
import type { ConfigNode, MapNode } from './node.js';
import { isPlainHttp } from './plain-http.js';
import { bool, duration, name, refuse, type ValueType } from './value-types.js';

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

/** `auxData.jwt.keySets`: ids are unique, each set has one source. */
export const keySets: ValueType<readonly KeySetConfig[]> = {
  read: (node, key) => {
    if (node.kind !== 'list') throw new ConfigError(`\`${key}\` must be a list`, node.place);
    const sets = node.items.map((item, index) => readKeySet(item, `${key}[${index}]`));
    sets.forEach((set, index) => {
      const earlier = sets.findIndex((candidate) => candidate.id === set.id);
      if (earlier < index) throw new ConfigError(`keyset \`${set.id}\` is duplicated`, set.place);
    });
    return sets;
  },
  write: (sets) => sets.map(writeKeySet),
  words: 'list of keysets',
  schema: { type: 'array', items: keySetSchema() },
};

function readKeySet(node: ConfigNode, key: string): KeySetConfig {
  const map = blockOf(node, key, ['id', 'local', 'remote', 'insecure']);
  const id = map.entries.get('id');
  if (id === undefined) throw new ConfigError(`\`${key}\` has no \`id\``, node.place);
  const insecure = map.entries.get('insecure');
  const flags =
    insecure === undefined
      ? undefined
      : blockOf(insecure, `${key}.insecure`, ['optionalAlg', 'optionalKid', 'plainHttp']);
  const source = readSource(map, key);
  const plainHttp = flag(flags, 'plainHttp', `${key}.insecure`);
  if (source.kind === 'remote' && isPlainHttp(new URL(source.url)) && !plainHttp)
    throw new ConfigError(
      `\`${key}.remote.url\` needs \`https://\`: on the way, others could replace the keys that verify tokens; ` +
        '`insecure.plainHttp` allows it',
      map.place,
    );
  return {
    id: name.read(id, `${key}.id`),
    source,
    optionalAlg: flag(flags, 'optionalAlg', `${key}.insecure`),
    optionalKid: flag(flags, 'optionalKid', `${key}.insecure`),
    plainHttp,
    place: map.place,
  };
}

function readSource(map: MapNode, key: string): KeySource {
  const local = map.entries.get('local');
  const remote = map.entries.get('remote');
  if ((local === undefined) === (remote === undefined)) {
    throw new ConfigError(`\`${key}\` must have one of \`local\` and \`remote\``, map.place);
  }
  if (remote !== undefined) return readRemote(remote, `${key}.remote`);
  const block = blockOf(local as ConfigNode, `${key}.local`, ['data', 'file', 'pem']);
  const data = block.entries.get('data');
  const file = block.entries.get('file');
  if ((data === undefined) === (file === undefined)) {
    throw new ConfigError(`\`${key}.local\` must have one of \`data\` and \`file\``, block.place);
  }
  const pem = flag(block, 'pem', `${key}.local`);
  if (file !== undefined) return { kind: 'file', path: name.read(file, `${key}.local.file`), pem };
  return { kind: 'data', base64: name.read(data as ConfigNode, `${key}.local.data`), pem };
}

/** Milliseconds. A keyset that is fetched all the time is a slip of the pen. */
const SHORTEST_REFRESH = 1000;

function readRemote(node: ConfigNode, key: string): KeySource {
  const block = blockOf(node, key, ['url', 'refreshInterval']);
  const url = block.entries.get('url');
  const interval = block.entries.get('refreshInterval');
  if (url === undefined) throw new ConfigError(`\`${key}\` has no \`url\``, block.place);
  const written = name.read(url, `${key}.url`);
  // It may hold a password, and is therefore not quoted.
  if (!isWebAddress(written)) return refuse(url, `${key}.url`, 'a URL that begins with `https://` or `http://`', false);
  const refreshInterval =
    interval === undefined ? undefined : duration(SHORTEST_REFRESH).read(interval, `${key}.refreshInterval`);
  return { kind: 'remote', url: written, refreshInterval, pem: false };
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

function writeKeySet({ id, source, optionalAlg, optionalKid, plainHttp }: KeySetConfig): object {
  return {
    id,
    ...writeSource(source),
    ...((optionalAlg || optionalKid || plainHttp) && { insecure: { optionalAlg, optionalKid, plainHttp } }),
  };
}

function writeSource(source: KeySource): object {
  switch (source.kind) {
    case 'file':
      return { local: { file: source.path, pem: source.pem } };
    case 'data':
      return { local: { data: MASKED, pem: source.pem } };
    case 'remote':
      return {
        remote: {
          url: maskUrl(source.url),
          ...(source.refreshInterval !== undefined && { refreshInterval: duration().write(source.refreshInterval) }),
        },
      };
  }
}

function keySetSchema(): object {
  const block = (properties: object, required: readonly string[] = []): object => ({
    type: 'object',
    additionalProperties: false,
    properties,
    required,
  });
  const text = { type: 'string', minLength: 1 };
  const yesNo = { type: 'boolean' };
  return {
    ...block(
      {
        id: text,
        local: block({ data: text, file: text, pem: yesNo }),
        remote: block({ url: { type: 'string', pattern: '^(https?://|.*\\$)' }, refreshInterval: duration().schema }, [
          'url',
        ]),
        insecure: block({ optionalAlg: yesNo, optionalKid: yesNo, plainHttp: yesNo }),
      },
      ['id'],
    ),
    oneOf: [{ required: ['local'] }, { required: ['remote'] }],
  };
}

function flag(block: MapNode | undefined, field: string, key: string): boolean {
  const node = block?.entries.get(field);
  return node === undefined ? false : bool.read(node, `${key}.${field}`);
}
