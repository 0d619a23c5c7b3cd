import { pathText } from '../../../runtime/facts/paths.js';
import { type FactProvider, isProvided } from '../../../runtime/facts/unprovided.js';
import type { FactsReport } from './facts-report.js';

/** A fact that decisions about a kind read and no source provides, so that callers have to send it. */
export interface UnprovidedFact {
  readonly kind: string;
  /** Whether policies name the kind; otherwise it stands for all that globs match. */
  readonly isNamedKind: boolean;
  /** `resource.attr.owner`; `resource.attr.*` for attributes that are read as a whole. */
  readonly fact: string;
  readonly actions: readonly string[];
  /** Where it is read: `album.yaml:12`. */
  readonly lines: readonly string[];
}

/** The facts that decisions read and no source provides, by kind, in the order of a report. */
export function listUnprovided({ tables }: FactsReport, providers: readonly FactProvider[]): readonly UnprovidedFact[] {
  type Entry = Omit<UnprovidedFact, 'actions' | 'lines'> & { actions: Set<string>; lines: Set<string> };
  const found = new Map<string, Entry>();
  for (const { kind, isNamedKind, rows } of tables)
    for (const { action, sets } of rows)
      for (const { paths } of sets)
        for (const { path, lines } of paths) {
          const fact = factOf(path);
          if (fact === undefined || isProvided(kind, fact, providers)) continue;
          const key = JSON.stringify([kind, fact]);
          const entry = found.get(key) ?? { kind, isNamedKind, fact, actions: new Set(), lines: new Set() };
          entry.actions.add(action.label);
          for (const line of lines) entry.lines.add(line);
          found.set(key, entry);
        }
  return [...found.values()].map((entry) => ({ ...entry, actions: [...entry.actions], lines: [...entry.lines] }));
}

/** The fact that a path is of; undefined for ids and the time. */
function factOf([part = '*', side = '*', name = '*']: readonly string[]): string | undefined {
  return ['attr', 'jwt', 'jwts', '*'].includes(side) ? pathText([part, side, name]) : undefined;
}
