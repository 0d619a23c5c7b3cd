import type { BundleEvents, LoadedBundle } from '../options.js';
import type { ScalarFamily, Snapshot } from './family.js';

/**
 * Which bundle decides, and how reloads went. Every worker loads the same bundle at the same signal, so their counts
 * are the same event: together they make the greatest, not the sum. While workers disagree, each bundle in use is
 * shown.
 */
export class BundleMetrics implements BundleEvents {
  #current: LoadedBundle | undefined;
  /** Milliseconds since 1970. */
  #lastSuccess = 0;
  #loaded = 0;
  #refused = 0;

  readonly loaded: BundleEvents['loaded'] = (bundle) => {
    if (this.#current !== undefined) this.#loaded++;
    this.#current = bundle;
    this.#lastSuccess = Date.now();
  };

  readonly refused = (): void => {
    this.#refused++;
  };

  snapshot(): Snapshot {
    const current = this.#current;
    const archive = current?.archive;
    const known = <T>(series: T): readonly T[] => (current === undefined ? [] : [series]);
    const said = (value: number | undefined): ScalarFamily['series'] =>
      value === undefined ? [] : [{ labels: [], value }];
    const all = { across: 'max', labels: [] } as const;
    return [
      {
        ...all,
        type: 'gauge',
        name: 'authz_bundle_info',
        help: 'The bundle that decides; always 1.',
        labels: ['hash', 'version'],
        series: known({ labels: [current?.hash ?? '', current?.version ?? ''], value: 1 }),
      },
      {
        ...all,
        type: 'gauge',
        name: 'authz_bundle_archive_info',
        help: 'The archive of the bundle that decides; always 1.',
        labels: ['hash', 'digest', 'revision', 'builder'],
        series:
          archive === undefined
            ? []
            : [{ labels: [current?.hash ?? '', archive.digest, archive.revision, archive.builder], value: 1 }],
      },
      {
        ...all,
        type: 'gauge',
        name: 'authz_bundle_sequence',
        help: 'The sequence of the bundle that decides, if it has one.',
        series: said(archive?.sequence),
      },
      {
        ...all,
        type: 'gauge',
        name: 'authz_bundle_expiry_timestamp_seconds',
        help: 'When the bundle that decides expires, if it does. It is served after that, too.',
        series: said(archive?.expires && archive.expires / 1000),
      },
      {
        ...all,
        type: 'gauge',
        name: 'authz_bundle_signed_timestamp_seconds',
        help: 'When the bundle that decides was signed, if a trusted key has signed it.',
        series: said(archive?.signedAt && archive.signedAt / 1000),
      },
      {
        ...all,
        type: 'counter',
        name: 'authz_bundle_reload_total',
        help: 'Reloads of the bundle.',
        labels: ['result'],
        series: [
          { labels: ['success'], value: this.#loaded },
          { labels: ['failure'], value: this.#refused },
        ],
      },
      {
        ...all,
        type: 'gauge',
        name: 'authz_bundle_last_success_timestamp_seconds',
        help: 'When a bundle was last loaded.',
        series: known({ labels: [], value: this.#lastSuccess / 1000 }),
      },
      // The same by the compatible names (docs/spec/server.md#metrics).
      {
        ...all,
        type: 'gauge',
        name: 'authz_dev_store_last_successful_refresh',
        help: 'When a bundle was last loaded, in milliseconds.',
        labels: ['driver'],
        series: known({ labels: ['bundle'], value: this.#lastSuccess }),
      },
      {
        ...all,
        type: 'counter',
        name: 'authz_dev_store_sync_error_count_total',
        help: 'Reloads of the bundle that failed.',
        labels: ['driver'],
        series: [{ labels: ['bundle'], value: this.#refused }],
      },
    ];
  }
}

/** Bundles that were rejected, by reason; the primary process counts them for all. */
export function rejectionFamilies(counts: ReadonlyMap<string, number> = new Map()): Snapshot {
  return [
    {
      type: 'counter',
      name: 'authz_bundle_rejected_total',
      help: 'Bundles that were not served, by reason.',
      labels: ['reason'],
      across: 'sum',
      series: [...counts].map(([reason, value]) => ({ labels: [reason], value })),
    },
  ];
}
