import { ConfigError } from './config-error.js';

/**
 * Puts environment variables into the raw text of a configuration, before YAML is parsed
 * (docs/spec/server.md#configuration): `${VAR}`, `$VAR`, `${VAR:default}`, and `$$` for a dollar sign. A dollar sign
 * before anything else stays. Throws a ConfigError with the line of a variable that has no value; in a line that is a
 * comment (`# yaml-language-server: $schema=...`) it stays as it is.
 *
 * @param options `keepsUnset`: a variable that has no value stays as it is.
 */
export function substitute(
  text: string,
  environment: Environment,
  file: string,
  { keepsUnset = false }: { readonly keepsUnset?: boolean } = {},
): string {
  return text.replace(
    REFERENCE,
    (whole, braced: string | undefined, fallback: string | undefined, bare: string | undefined, at: number) => {
      if (whole === '$$') return '$';
      const name = braced ?? bare;
      if (name === undefined) return whole;
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      if (value !== undefined) return value;
      if (fallback !== undefined && fallback !== '') return fallback;
      if (keepsUnset || isComment(text, at)) return whole;
      throw new ConfigError(`environment variable \`${name}\` is not set`, formatPlace(text, at, file));
    },
  );
}

export type Environment = { readonly [name: string]: string | undefined };

const REFERENCE = /\$\$|\$\{([A-Za-z_]\w*)(?::([^}\n]*))?\}|\$([A-Za-z_]\w*)/g;

/** Whether a text names a variable that had no value. */
export function namesVariable(text: string): boolean {
  return text.search(REFERENCE) >= 0;
}

function isComment(text: string, at: number): boolean {
  return text
    .slice(text.lastIndexOf('\n', at - 1) + 1, at)
    .trimStart()
    .startsWith('#');
}

function formatPlace(text: string, at: number, file: string): string {
  const before = text.slice(0, at).split('\n');
  return `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}
