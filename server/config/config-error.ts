import { maskText } from './mask.js';

/**
 * A configuration that the server cannot start with: what is wrong, and where (`file:line:column`, or the flag). The
 * message is one line.
 */
export class ConfigError extends Error {
  constructor(
    readonly problem: string,
    readonly place: string,
    /** The other problems of the same configuration. */
    readonly others: readonly ConfigError[] = [],
  ) {
    super(`${oneLine(place)}: ${oneLine(problem)}`);
  }
}

/** @param likely the path of the key that was probably meant. */
export function unknownKey(path: string, likely: string | undefined): string {
  const suggestion = likely === undefined ? '' : `; did you mean \`${likely}\`?`;
  return `unknown key \`${path}\`${suggestion}`;
}

/**
 * What was thrown after the configuration was read: an error that only knows the key of what is wrong gets the place of
 * it too.
 */
export function placed(error: unknown, places: ReadonlyMap<string, string>): unknown {
  const place = error instanceof ConfigError ? places.get(error.place) : undefined;
  if (place === undefined) return error;
  const { place: key, problem } = error as ConfigError;
  return new ConfigError(place.endsWith(key) ? problem : `${key}: ${problem}`, place);
}

/** The value may be long and contain line breaks. */
const LONGEST = 400;

function oneLine(text: string): string {
  const line = maskText(text.replace(/\s+/g, ' ')).trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}...` : line;
}
