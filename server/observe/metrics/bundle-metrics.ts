import type { BundleEvents } from '../options.js';
import type { Snapshot } from './family.js';

/**
 * Which bundle decides, and how reloads went. Every worker loads the same bundle at the same signal, so their counts
 * are the same event: together they make the greatest, not the sum. While workers disagree, each bundle in use is
 * shown.
 */
export class BundleMetrics implements BundleEvents {
  #current: { readonly hash: string; readonly version: string } | undefined;
  /** In milliseconds since 1970. */
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
    const known = <T>(series: T): readonly T[] => (current === undefined ? [] : [series]);
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
