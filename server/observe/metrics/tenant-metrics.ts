import type { TenantCounts } from '../options.js';
import type { Snapshot } from './family.js';

/** What became of the documents of tenants. */
export function tenantFamilies(counts: TenantCounts | undefined): Snapshot {
  if (counts === undefined) return [];
  const { loaded, unchanged, missing, refused, failed, tenants, bytes } = counts;
  return [
    {
      type: 'counter',
      name: 'authz_tenant_documents_total',
      help: 'Documents of tenants that were asked for, by the result.',
      labels: ['result'],
      across: 'sum',
      series: Object.entries({ loaded, unchanged, missing, refused, failed }).map(([result, value]) => ({
        labels: [result],
        value,
      })),
    },
    {
      type: 'gauge',
      name: 'authz_tenants_cached',
      help: 'Tenants whose documents are in memory.',
      labels: [],
      across: 'sum',
      series: [{ labels: [], value: tenants }],
    },
    {
      type: 'gauge',
      name: 'authz_tenants_cached_bytes',
      help: 'Estimated memory of the documents of tenants, in bytes.',
      labels: [],
      across: 'sum',
      series: [{ labels: [], value: bytes }],
    },
  ];
}
