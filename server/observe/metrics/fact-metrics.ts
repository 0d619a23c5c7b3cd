import type { FactSourceCounts } from '../options.js';
import type { ScalarFamily, Snapshot } from './family.js';
import { CALL_MILLISECONDS, inSeconds } from './histogram.js';

/** What became of sources of facts; undefined: there are none. */
export function factFamilies(sources: readonly FactSourceCounts[] | undefined): Snapshot {
  if (sources === undefined) return [];
  const counter = (name: string, help: string, valueOf: (source: FactSourceCounts) => number): ScalarFamily => ({
    type: 'counter',
    name: `authz_facts_${name}_total`,
    help,
    labels: ['source'],
    across: 'sum',
    series: sources.map((source) => ({ labels: [source.name], value: valueOf(source) })),
  });
  return [
    counter('requests', 'Requests to sources of facts.', ({ requests }) => requests),
    counter('failures', 'Requests that failed, or returned a row that cannot be used.', ({ failures }) => failures),
    counter('fetched', 'Rows that sources returned.', ({ fetched }) => fetched),
    counter('unknown', 'Calls that lacked a fact of a source.', ({ unknown }) => unknown),
    {
      type: 'histogram',
      name: 'authz_facts_seconds',
      help: 'How long requests to sources took, with the time that they waited for others.',
      labels: ['source'],
      across: 'sum',
      bounds: inSeconds(CALL_MILLISECONDS),
      series: sources.map(({ name, durations }) => durations.series([name], 0.001)),
    },
  ];
}
