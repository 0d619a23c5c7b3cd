import { ConfigError } from './config-error.js';
import type { ConfigNode, MapNode } from './node.js';
import { bool, name, type ValueType } from './value-types.js';

/** Where the keys of a keyset come from (server.md 3.1). */
export type KeySource =
  | { readonly kind: 'file'; readonly path: string; readonly pem: boolean }
  | { readonly kind: 'data'; readonly base64: string; readonly pem: boolean };

export interface KeySetConfig {
  readonly id: string;
  readonly source: KeySource;
  /** Keys without `alg` accept the algorithms of their type. */
  readonly optionalAlg: boolean;
  /** Tokens need no `kid`; every key is tried. */
  readonly optionalKid: boolean;
  readonly place: string;
}

/** `auxData.jwt.keySets`: ids are unique, each set has one source. */
export const keySets: ValueType<readonly KeySetConfig[]> = {
  read: (node, key) => {
    if (node.kind !== 'list') throw new ConfigError(`\`${key}\` must be a list`, node.place);
    const sets = node.items.map((item, index) => readKeySet(item, `${key}[${index}]`));
    sets.forEach((set, index) => {
      const earlier = sets.findIndex((candidate) => candidate.id === set.id);
      if (earlier < index) throw new ConfigError(`keyset \`${set.id}\` is there twice`, set.place);
    });
    return sets;
  },
};

function readKeySet(node: ConfigNode, key: string): KeySetConfig {
  const map = blockOf(node, key, ['id', 'local', 'remote', 'insecure']);
  const id = map.entries.get('id');
  if (id === undefined) throw new ConfigError(`\`${key}\` has no \`id\``, node.place);
  const insecure = map.entries.get('insecure');
  const flags = insecure === undefined ? undefined : blockOf(insecure, `${key}.insecure`, ['optionalAlg', 'optionalKid']);
  return {
    id: name.read(id, `${key}.id`),
    source: readSource(map, key),
    optionalAlg: flag(flags, 'optionalAlg', `${key}.insecure`),
    optionalKid: flag(flags, 'optionalKid', `${key}.insecure`),
    place: map.place,
  };
}

function readSource(map: MapNode, key: string): KeySource {
  const local = map.entries.get('local');
  const remote = map.entries.get('remote');
  if ((local === undefined) === (remote === undefined)) {
    throw new ConfigError(`\`${key}\` must have one of \`local\` and \`remote\``, map.place);
  }
  if (remote !== undefined) throw new ConfigError(`\`${key}.remote\` is not supported yet`, remote.place);
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

function flag(block: MapNode | undefined, field: string, key: string): boolean {
  const node = block?.entries.get(field);
  return node === undefined ? false : bool.read(node, `${key}.${field}`);
}

function blockOf(node: ConfigNode, key: string, known: readonly string[]): MapNode {
  if (node.kind !== 'map') throw new ConfigError(`\`${key}\` must be a map`, node.place);
  for (const [field, value] of node.entries) {
    if (!known.includes(field)) throw new ConfigError(`unknown key \`${key}.${field}\``, value.place);
  }
  return node;
}
