import { setOwn } from '../../packages/cel/runtime/own-property.js';
import type { AccessLogEntry } from '../../proto/gen/audit-messages.js';

/** Which metadata of a call is logged (docs/spec/server.md#metadata). */
export interface MetadataRules {
  /** Undefined: none of it. Metadata is only made when something of it may be logged. */
  readonly logged: (metadata: () => ReadonlyMap<string, readonly string[]>) => AccessLogEntry['metadata'] | undefined;
}

/**
 * Neither list: nothing. Only include: those. Only exclude: all others. Both: included and not excluded. Names are
 * compared without regard to case. What carries credentials is never logged, whatever the lists say.
 */
export function metadataRules(include: readonly string[], exclude: readonly string[]): MetadataRules {
  if (include.length === 0 && exclude.length === 0) return { logged: () => undefined };
  const included = new Set(include.map((name) => name.toLowerCase()));
  const excluded = new Set(exclude.map((name) => name.toLowerCase()));
  const isLogged = (name: string): boolean =>
    !NEVER.has(name) && !excluded.has(name) && (included.size === 0 || included.has(name));
  return { logged: (metadata) => chosen(metadata(), isLogged) };
}

/**
 * `cookie` and `proxy-authorization` are credentials as `authorization` is; they are not in the specification's list.
 */
const NEVER: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'grpc-trace-bin']);

function chosen(
  metadata: ReadonlyMap<string, readonly string[]>,
  isLogged: (name: string) => boolean,
): AccessLogEntry['metadata'] | undefined {
  const names = [...metadata.keys()].filter((name) => isLogged(name.toLowerCase())).sort();
  if (names.length === 0) return undefined;
  const logged: Record<string, { readonly values: readonly string[] }> = {};
  for (const name of names) setOwn(logged, name.toLowerCase(), { values: metadata.get(name) ?? [] });
  return logged;
}
