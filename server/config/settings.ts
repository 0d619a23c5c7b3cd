import { ConfigError } from './config-error.js';
import { type ConfigKey, KEYS, type UsedKey } from './keys.js';
import type { ConfigNode, MapNode } from './node.js';

/** The value of every key that the server reads, by its path. */
export type Settings = { readonly [K in keyof typeof KEYS as (typeof KEYS)[K] extends UsedKey<unknown> ? K : never]: ValueOf<(typeof KEYS)[K]> };

type ValueOf<K> = K extends UsedKey<infer T> ? T : never;

/** Holds a configuration against the table of keys. Throws a ConfigError for an unknown key, a wrong value, or one that is refused. */
export function settle(root: MapNode): { readonly settings: Settings; readonly warnings: readonly string[] } {
  const values = new Map<string, unknown>();
  const warnings: string[] = [];
  visit(root, '', values, warnings);
  const settings = Object.entries<ConfigKey>(KEYS)
    .filter((entry): entry is [string, UsedKey<unknown>] => entry[1].kind === 'used')
    .map(([path, key]) => [path, values.has(path) ? values.get(path) : key.default]);
  return { settings: Object.fromEntries(settings) as Settings, warnings };
}

function visit(block: MapNode, path: string, values: Map<string, unknown>, warnings: string[]): void {
  for (const [name, node] of block.entries) {
    const childPath = path === '' ? name : `${path}.${name}`;
    const key = keyOf(childPath) ?? (isBlock(childPath) ? undefined : keyOf(`${path}.*`));
    if (key !== undefined) readKey(key, childPath, node, values, warnings);
    else visitBlock(node, childPath, values, warnings);
  }
}

function visitBlock(node: ConfigNode, path: string, values: Map<string, unknown>, warnings: string[]): void {
  if (!isBlock(path)) throw new ConfigError(`unknown key \`${path}\``, node.place);
  if (node.kind === 'map') visit(node, path, values, warnings);
  else if (node.kind !== 'scalar' || node.value !== null) throw new ConfigError(`\`${path}\` must be a map`, node.place);
}

function readKey(key: ConfigKey, path: string, node: ConfigNode, values: Map<string, unknown>, warnings: string[]): void {
  // A key without a value is a key left out.
  if (node.kind === 'scalar' && node.value === null) return;
  switch (key.kind) {
    case 'used':
      values.set(path, key.type.read(node, path));
      return;
    case 'ignored':
      if (!key.harmless(key.type.read(node, path))) warnings.push(`${node.place}: \`${path}\` has no effect: ${key.why}`);
      return;
    case 'refused':
      if (!key.harmless(key.type.read(node, path))) throw new ConfigError(`\`${path}\`: ${key.why}`, node.place);
      return;
    case 'quiet':
      return;
  }
}

function keyOf(path: string): ConfigKey | undefined {
  return Object.hasOwn(KEYS, path) ? KEYS[path as keyof typeof KEYS] : undefined;
}

function isBlock(path: string): boolean {
  return Object.keys(KEYS).some((key) => key.startsWith(`${path}.`));
}
