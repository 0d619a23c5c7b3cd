import type { SourceStatus } from '../options.js';
import type { Family, Snapshot } from './family.js';

/** What became of requests to the source of the bundle (docs/bundle-sources.md#metrics). */
export function sourceFamilies(status: SourceStatus, now = Date.now()): Snapshot {
  const { attempts, failures, cacheWrites } = status;
  return [
    gauge('last_attempt_timestamp_seconds', 'When the source was last asked.', status.lastAttempt / 1000),
    gauge(
      'last_success_timestamp_seconds',
      'When the source last had a bundle that is served.',
      status.lastSuccess / 1000,
    ),
    gauge(
      'age_seconds',
      'How long ago the source last had the bundle that is served.',
      status.confirmed === 0 ? 0 : Math.max(0, (now - status.confirmed) / 1000),
    ),
    gauge(
      'last_known_good',
      'Whether the bundle comes from the disk, and the source has not confirmed it since the start.',
      status.fromCache ? 1 : 0,
    ),
    counter('requests_total', 'Requests to the source.', 'result', [
      ['fetched', attempts.fetched],
      ['unchanged', attempts.unchanged],
      ['failed', attempts.failed],
    ]),
    counter('failures_total', 'Failed requests and refused bundles.', 'reason', [...failures]),
    counter('received_bytes_total', 'Size of the bundles that were fetched.', undefined, [['', status.bytes]]),
    counter('cache_writes_total', 'Attempts to write the last known good bundle.', 'result', [
      ['success', cacheWrites.success],
      ['failure', cacheWrites.failure],
    ]),
  ];
}

const PREFIX = 'authz_bundle_source_';

function gauge(name: string, help: string, value: number): Family {
  return { type: 'gauge', name: PREFIX + name, help, labels: [], across: 'max', series: [{ labels: [], value }] };
}

function counter(
  name: string,
  help: string,
  label: string | undefined,
  values: readonly (readonly [string, number])[],
): Family {
  return {
    type: 'counter',
    name: PREFIX + name,
    help,
    labels: label === undefined ? [] : [label],
    across: 'sum',
    series: values.map(([name_, value]) => ({ labels: label === undefined ? [] : [name_], value })),
  };
}
