import { factName } from '../../runtime/facts/fact-names.js';
import type { FactProvider } from '../../runtime/facts/unprovided.js';
import type { SourcesConfig } from '../config.js';
import { listAttributes, type SourceTable, type SourceTables } from './source-tables.js';

type SourceConfig = SourcesConfig['from'][string];

/** The attributes that a source provides: those that its configuration lists, or all of its table. */
export function listProvided(
  { provides }: Pick<SourceConfig, 'provides'>,
  table: SourceTable['table'] | undefined,
): readonly string[] {
  if (provides === undefined) return table === undefined ? [] : listAttributes(table.columns);
  return Array.isArray(provides) ? provides : Object.keys(provides);
}

/** What provides facts by a configuration: sources, and callers, as `sources.sent` says. */
export function listProviders(
  { from, sent }: Pick<SourcesConfig, 'from' | 'sent'>,
  tables: SourceTables,
): readonly FactProvider[] {
  return [
    ...Object.entries(from).map(([name, source]): FactProvider => {
      const { of } = source;
      const root = of === 'principal' ? 'principal.attr' : 'resource.attr';
      const attributes = listProvided(source, tables.get(name)?.table);
      return { of, facts: new Set(attributes.map((attribute) => factName(root, attribute))) };
    }),
    // Callers send them of any kind.
    { of: 'principal', facts: new Set(sent) },
  ];
}
