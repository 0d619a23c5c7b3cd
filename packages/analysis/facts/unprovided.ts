import { pathText } from '../../../runtime/facts/paths.js';
import { sanitize } from '../../../runtime/policy/index.js';
import type { FactsReport } from './facts-report.js';

/** A source of facts, by what it provides. */
export interface ProvidingSource {
  /** A kind, or `principal`. */
  readonly of: string;
  /** The names of facts: `resource.attr.owner`. */
  readonly facts: ReadonlySet<string>;
}

/** A fact that decisions about a kind read and no source provides, so that callers have to send it. */
export interface UnprovidedFact {
  readonly kind: string;
  /** `resource.attr.owner`; `resource.attr.*` for attributes that are read as a whole. */
  readonly fact: string;
  readonly actions: readonly string[];
  /** Where it is read: `album.yaml:12`. */
  readonly lines: readonly string[];
}

/** The facts that decisions read and no source provides, by kind, in the order of a report. */
export function listUnprovided(
  { tables }: FactsReport,
  sources: readonly ProvidingSource[],
): readonly UnprovidedFact[] {
  const found = new Map<string, { kind: string; fact: string; actions: Set<string>; lines: Set<string> }>();
  for (const { kind, rows } of tables) {
    const provided = sources
      .filter(({ of }) => of === 'principal' || sanitize(of) === sanitize(kind))
      .map(({ facts }) => facts);
    for (const { action, sets } of rows)
      for (const { paths } of sets)
        for (const { path, lines } of paths) {
          const fact = factOf(path);
          if (fact === undefined || provided.some((facts) => facts.has(fact) || facts.has(allOf(path)))) continue;
          const key = JSON.stringify([kind, fact]);
          const entry = found.get(key) ?? { kind, fact, actions: new Set(), lines: new Set() };
          entry.actions.add(action.label);
          for (const line of lines) entry.lines.add(line);
          found.set(key, entry);
        }
  }
  return [...found.values()].map(({ kind, fact, actions, lines }) => ({
    kind,
    fact,
    actions: [...actions],
    lines: [...lines],
  }));
}

/** What stands for all facts of a side. */
function allOf([part = '*', side = '*']: readonly string[]): string {
  return `${part}.${side}.*`;
}

/** The fact that a path is of; undefined for ids and the time. */
function factOf([part = '*', side = '*', name = '*']: readonly string[]): string | undefined {
  return ['attr', 'jwt', 'jwts', '*'].includes(side) ? pathText([part, side, name]) : undefined;
}
