import { nearestName } from '../../runtime/policy/nearest-name.js';
import { ConfigError, unknownKey } from './config-error.js';
import type { ConfigNode, MapNode } from './node.js';

/** A map whose fields are among the known ones. Throws a ConfigError for anything else. */
export function blockOf(node: ConfigNode, key: string, known: readonly string[]): MapNode {
  if (node.kind !== 'map') throw new ConfigError(`\`${key}\` must be a map`, node.place);
  for (const [field, value] of node.entries) {
    if (known.includes(field)) continue;
    const near = nearestName(field, known);
    throw unknownKey(`${key}.${field}`, near && `${key}.${near}`, value.place);
  }
  return node;
}
