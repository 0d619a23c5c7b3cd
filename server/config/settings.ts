import { nearestName } from '../../runtime/policy/nearest-name.js';
import { ConfigError, unknownKey } from './config-error.js';
import type { ConfigKey, UsedKey } from './key.js';
import { KEYS } from './keys.js';
import type { ConfigNode, MapNode } from './node.js';

/** The value of every key that the server reads, by its path. */
export type Settings = {
  readonly [K in keyof typeof KEYS as (typeof KEYS)[K] extends UsedKey<unknown> ? K : never]: ValueOf<(typeof KEYS)[K]>;
};

type ValueOf<K> = K extends UsedKey<infer T> ? T : never;

/** A configuration held against the table of keys. */
export interface Settled {
  readonly settings: Settings;
  /** Where each key that is not a default was written: `file:line:column`, or the flag. */
  readonly places: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/**
 * Holds a configuration against the table of keys. Throws a ConfigError for an unknown key, a wrong value, or one that
 * is refused.
 */
export function settle(root: MapNode): Settled {
  const found: Found = { values: new Map(), places: new Map(), warnings: [] };
  visit(root, '', found);
  const settings = usedKeys().map(([path, key]) => [
    path,
    found.values.has(path) ? found.values.get(path) : key.default,
  ]);
  return { settings: Object.fromEntries(settings) as Settings, places: found.places, warnings: found.warnings };
}

/** The keys that the server reads, in the order of the table. */
export function usedKeys(): readonly (readonly [string, UsedKey<unknown>])[] {
  return Object.entries<ConfigKey>(KEYS).filter(
    (entry): entry is [string, UsedKey<unknown>] => entry[1].kind === 'used',
  );
}

interface Found {
  readonly values: Map<string, unknown>;
  readonly places: Map<string, string>;
  readonly warnings: string[];
}

/** What the table has at a path: a key, a block of keys, or nothing. */
export function tableEntry(path: string): ConfigKey | 'block' | undefined {
  const parent = path.slice(0, Math.max(path.lastIndexOf('.'), 0));
  return keyOf(path) ?? (isBlock(path) ? 'block' : keyOf(`${parent}.*`));
}

function visit(block: MapNode, path: string, found: Found): void {
  for (const [name, node] of block.entries) {
    // A dot belongs to the path of a key, never to a name.
    if (name.includes('.'))
      throw new ConfigError(`unknown key \`${name}\`; use nested maps instead of dots`, node.place);
    const childPath = path === '' ? name : `${path}.${name}`;
    const entry = tableEntry(childPath);
    if (entry !== undefined && entry !== 'block') readKey(entry, childPath, node, found);
    else visitBlock(node, childPath, found);
  }
}

function visitBlock(node: ConfigNode, path: string, found: Found): void {
  if (!isBlock(path)) throw unknownKey(path, likelyKey(path), node.place);
  if (node.kind === 'map') visit(node, path, found);
  else if (node.kind === 'scalar' && node.value === null)
    found.warnings.push(
      `${node.place}: \`${path}\` is null, so it has no keys; remove it, or indent its keys below it`,
    );
  else throw new ConfigError(`\`${path}\` must be a map`, node.place);
}

function readKey(key: ConfigKey, path: string, node: ConfigNode, found: Found): void {
  if (node.kind === 'scalar' && node.value === null) {
    const values = key.kind === 'used' ? `: ${key.type.words}` : '';
    found.warnings.push(
      `${node.place}: \`${path}\` is null, which leaves it unset; remove the key, or write a value${values}`,
    );
    return;
  }
  switch (key.kind) {
    case 'used':
      found.values.set(path, key.type.read(node, path));
      found.places.set(path, node.place);
      return;
    case 'ignored':
      if (!key.harmless(key.type.read(node, path)))
        found.warnings.push(`${node.place}: \`${path}\` has no effect: ${key.why}`);
      return;
    case 'refused':
      if (!key.harmless(key.type.read(node, path))) throw new ConfigError(`\`${path}\`: ${key.why}`, node.place);
      return;
    case 'quiet':
      return;
  }
}

/** A key with a similar name in the same block, else the only key of this name below it, or in any other block. */
export function likelyKey(path: string): string | undefined {
  const block = path.slice(0, path.lastIndexOf('.') + 1);
  const name = path.slice(block.length);
  const paths = usedKeys().map(([known]) => known);
  const names = paths.flatMap((known) =>
    known.startsWith(block) ? (known.slice(block.length).split('.')[0] ?? []) : [],
  );
  const near = nearestName(name, names);
  if (near !== undefined) return `${block}${near}`;
  const named = paths.filter((known) => known.endsWith(`.${name}`));
  const below = named.filter((known) => known.startsWith(block));
  const [elsewhere, ...others] = below.length > 0 ? below : named;
  return others.length === 0 ? elsewhere : undefined;
}

function keyOf(path: string): ConfigKey | undefined {
  return Object.hasOwn(KEYS, path) ? KEYS[path as keyof typeof KEYS] : undefined;
}

function isBlock(path: string): boolean {
  return Object.keys(KEYS).some((key) => key.startsWith(`${path}.`));
}
