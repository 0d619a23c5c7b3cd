import { ConfigError } from './config-error.js';
import { type ConfigNode, plainValue } from './node.js';
import type { ValueType } from './value-types.js';

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
  write: (value) => value,
  words: 'map',
  schema: { type: 'object', propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' } },
};

/** Words that CEL keeps for itself (conditions.md, Appendix A). */
const RESERVED = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
);

function checkName(name: string, value: ConfigNode): void {
  if (/^[A-Za-z_]\w*$/.test(name) && !RESERVED.has(name)) return;
  throw new ConfigError(`global \`${name}\` is no name that a condition can write`, value.place);
}
