import type { AuditCount } from '../options.js';
import type { Snapshot } from './family.js';

/** What became of audit entries (docs/spec/server.md#audit-backends). */
export function auditFamilies(counts: readonly AuditCount[]): Snapshot {
  return [
    {
      type: 'counter',
      name: 'authz_audit_entries_total',
      help: 'Audit entries by what became of them.',
      labels: ['kind', 'result'],
      across: 'sum',
      series: counts.flatMap(({ kind, written, dropped, failed }) => [
        { labels: [kind, 'written'], value: written },
        { labels: [kind, 'dropped'], value: dropped },
        { labels: [kind, 'failed'], value: failed },
      ]),
    },
    {
      type: 'counter',
      name: 'authz_dev_audit_error_count_total',
      help: 'Audit entries that were not written.',
      labels: ['kind'],
      across: 'sum',
      series: counts.map(({ kind, dropped, failed }) => ({ labels: [kind], value: dropped + failed })),
    },
  ];
}
