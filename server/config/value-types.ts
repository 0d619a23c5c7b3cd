import { parseAddress, type Address } from './address.js';
import { ConfigError } from './config-error.js';
import { parseDuration } from './duration.js';
import { type ConfigNode, plainValue } from './node.js';

/** How the value of a key is read. `read` throws a ConfigError that names what is wanted. */
export interface ValueType<T> {
  readonly read: (node: ConfigNode, key: string) => T;
}

export const text: ValueType<string> = {
  // `engine.defaultPolicyVersion: 20210210` is a number to YAML and a text to its reader.
  read: (node, key) => {
    if (node.kind === 'scalar' && node.value !== null) return String(node.value);
    return refuse(node, key, 'a text');
  },
};

/** A text that says something. */
export const name: ValueType<string> = {
  read: (node, key) => {
    const value = text.read(node, key);
    return value.trim() === '' ? refuse(node, key, 'a text that is not empty') : value;
  },
};

export const bool: ValueType<boolean> = {
  read: (node, key) => {
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return node.value;
    return refuse(node, key, '`true` or `false`');
  },
};

/** An integer from `least` to `most`. */
export function integer(least: number, most: number): ValueType<number> {
  return {
    read: (node, key) => {
      const value = node.kind === 'scalar' && typeof node.value === 'bigint' ? Number(node.value) : Number.NaN;
      if (value >= least && value <= most) return value;
      return refuse(node, key, `an integer from ${least} to ${most}`);
    },
  };
}

/** A duration of at least `least` milliseconds. */
export function duration(least = 0): ValueType<number> {
  return {
    read: (node, key) => {
      const value = node.kind === 'scalar' && typeof node.value === 'string' ? parseDuration(node.value) : undefined;
      // Zero needs no unit.
      const milliseconds = node.kind === 'scalar' && node.value === 0n ? 0 : value;
      if (milliseconds !== undefined && milliseconds >= least) return milliseconds;
      return refuse(node, key, least > 0 ? `a duration of ${least} ms or more, such as \`30s\`` : 'a duration such as `500ms`, `30s` or `1h30m`');
    },
  };
}

export function oneOf<const W extends string>(...words: readonly W[]): ValueType<W> {
  return {
    read: (node, key) => {
      const word = node.kind === 'scalar' ? words.find((candidate) => candidate === node.value) : undefined;
      return word ?? refuse(node, key, `one of ${words.map((candidate) => `\`${candidate}\``).join(', ')}`);
    },
  };
}

export const texts: ValueType<readonly string[]> = {
  read: (node, key) => (node.kind === 'list' ? node.items.map((item) => text.read(item, key)) : refuse(node, key, 'a list of texts')),
};

export const address: ValueType<Address> = {
  read: (node, key) => {
    const value = node.kind === 'scalar' && typeof node.value === 'string' ? parseAddress(node.value) : undefined;
    return value ?? refuse(node, key, 'a listen address: `host:port`, `:port` or `unix:/path`');
  },
};

/** The permission bits of a socket file. */
export const fileMode: ValueType<number> = {
  read: (node, key) => {
    const written = node.kind === 'scalar' ? String(node.value) : '';
    // YAML 1.2 reads 0o766 as 502; a quoted `0766` is octal by custom.
    const mode = typeof (node.kind === 'scalar' && node.value) === 'bigint' ? Number(written) : octal(written);
    if (mode !== undefined && mode >= 0 && mode <= 0o777) return mode;
    return refuse(node, key, 'a file mode such as `0o766`');
  },
};

/** Taken as it is. */
export const anything: ValueType<unknown> = { read: plainValue };

function octal(written: string): number | undefined {
  const match = /^0?o?([0-7]{1,4})$/.exec(written);
  return match === null ? undefined : Number.parseInt(match[1] as string, 8);
}

function refuse(node: ConfigNode, key: string, wanted: string): never {
  const written = node.kind === 'scalar' ? `, not \`${String(node.value)}\`` : '';
  throw new ConfigError(`\`${key}\` must be ${wanted}${written}`, node.place);
}
