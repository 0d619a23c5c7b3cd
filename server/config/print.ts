import { stringify } from '../../packages/yaml-input/index.js';
import { maskText } from './mask.js';
import { readAbout, findFields, findItem, isMap, type Type } from './schema-type.js';
import { type Settled, usedKeys } from './settings.js';

/**
 * The effective configuration as YAML, each value with its origin: the default, a place in the file, or a flag. Secrets
 * are masked; otherwise the output is a configuration with the same effect. A key without a value is in a comment.
 */
export function printConfig({ written, places }: Settled): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  const keys = usedKeys();
  const has = (path: string): boolean =>
    keys.some(([other, key]) => other.startsWith(path) && (written.has(other) || key.default !== undefined));
  for (const [path, key] of keys) {
    const blocks = path.split('.').slice(0, -1);
    const shared = sharedLength(open, blocks);
    for (const [depth, block] of blocks.entries()) {
      if (depth < shared) continue;
      const isSet = has(`${blocks.slice(0, depth + 1).join('.')}.`);
      lines.push(`${indent(depth)}${isSet ? '' : '# '}${block}:`);
    }
    open = blocks;
    const value = written.has(path) ? written.get(path) : key.default;
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (value === undefined) lines.push(`${indent(blocks.length)}# ${name}: not set`);
    else {
      const shown = inline(withoutSecrets(show(key.type, value)));
      lines.push(`${indent(blocks.length)}${name}: ${shown} # ${places.get(path) ?? 'default'}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** A value as its type shows it. */
function show(type: Type, value: unknown): unknown {
  const { show: showWhole } = readAbout(type);
  const item = findItem(type);
  const fields = findFields(type);
  if (showWhole !== undefined) return showWhole(value);
  if (item !== undefined && Array.isArray(value)) return value.map((each) => show(item, each));
  if (fields === undefined || !isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, show(fields[name] as Type, member)]));
}

/** Types mask what they know to be a secret; any string can have a URL with a password. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutSecrets(member)]));
}

function sharedLength(left: readonly string[], right: readonly string[]): number {
  const end = right.findIndex((block, index) => block !== left[index]);
  return end === -1 ? right.length : end;
}

function indent(depth: number): string {
  return '  '.repeat(depth);
}

/** Prints a value on one line, with dollar signs as the reader of the file wants them. */
function inline(value: unknown): string {
  const options = {
    collectionStyle: 'flow',
    lineWidth: 0,
    flowCollectionPadding: false,
    defaultStringType: typeof value === 'string' ? 'PLAIN' : 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    blockQuote: false,
    version: '1.2',
    aliasDuplicateObjects: false,
  } as const;
  return stringify(value, options).trimEnd().replaceAll('\n', ' ').replaceAll('$', '$$$$');
}
