import type { ResourceInput } from '../engine/index.js';
import type { Ask, Rows } from './ask.js';
import type { Loader } from './loader.js';
import type { FactsDecision, LoopOptions } from './loop.js';

/** The sources of a resource that lock its row. */
export function requireLocks(loaders: readonly Loader[], { kind }: ResourceInput): readonly Loader[] {
  const found = loaders.filter(({ source: { locks, keyFact } }) => locks && keyFact === undefined);
  if (found.length === 0) throw new TypeError(`no source of \`${kind}\` can lock rows`);
  return found;
}

/** The attributes that were sent, without those that a locked row says. */
export function withoutLocked(
  sent: { readonly [name: string]: unknown },
  loaders: readonly Loader[],
): { readonly [name: string]: unknown } {
  const isLocked = (name: string): boolean =>
    // Others refuse it.
    loaders.some(({ source: { facts, caller } }) => caller !== 'refuse' && facts.has(name));
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !isLocked(name)));
}

/**
 * Loads and locks the rows of resources, whether their facts matter or not: what is decided must hold until the
 * transaction ends. Without its row, a resource is denied.
 *
 * @returns the questions that are still to be decided.
 */
export async function lockRows(
  asks: readonly Ask[],
  rows: Rows,
  { tx, signal, until, lock }: LoopOptions,
  decided: (index: number, decision: FactsDecision) => void,
): Promise<readonly number[]> {
  const keys = new Map<Loader, Set<string>>();
  for (const { locks, input } of asks.map(({ resource }) => resource))
    for (const loader of locks ?? []) {
      const own = keys.get(loader) ?? new Set();
      keys.set(loader, own);
      if (rows.get(loader, input.id) === undefined) own.add(input.id);
    }
  // One after the other, in one order: two transactions must not wait for each other.
  for (const [loader, wanted] of keys) {
    if (wanted.size === 0) continue;
    const loaded = await loader.load([...wanted].sort(), { tx, signal, until, isFresh: true, lock });
    for (const [key, row] of loaded) rows.add(loader, key, row);
  }
  return asks.flatMap(({ resource }, index) => {
    const unknown = (resource.locks ?? []).flatMap((loader) => {
      const row = rows.get(loader, resource.input.id)?.row ?? 'failed';
      if (typeof row !== 'string') return [];
      const reason = row === 'no row' ? ('not found' as const) : row;
      return [{ fact: 'resource', source: loader.source.name, reason }];
    });
    if (unknown.length === 0) return [index];
    decided(index, { allowed: false, why: 'unknown', unknown, facts: [] });
    return [];
  });
}
