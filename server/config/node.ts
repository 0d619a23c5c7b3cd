/**
 * A value of a configuration, with the place it was written at. Integers are bigints, so that `globals` can tell 1 from
 * 1.0.
 */
export type ConfigNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly value: string | number | bigint | boolean | null;
  readonly place: string;
}

export interface ListNode {
  readonly kind: 'list';
  readonly items: readonly ConfigNode[];
  readonly place: string;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, ConfigNode>;
  readonly place: string;
}

export function emptyMap(place: string): MapNode {
  return { kind: 'map', entries: new Map(), place };
}

/** The value at a path, or the nearest one around it. */
export function findNode(root: ConfigNode, path: readonly (string | number)[]): ConfigNode {
  let node = root;
  for (const step of path) {
    const child =
      node.kind === 'map' ? node.entries.get(String(step)) : node.kind === 'list' && node.items[Number(step)];
    if (!child) return node;
    node = child;
  }
  return node;
}

/** Converts to plain values what is not looked into. */
export function plainValue(node: ConfigNode): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(plainValue);
    case 'map':
      return Object.fromEntries([...node.entries].map(([key, value]) => [key, plainValue(value)]));
  }
}
