import { readFileSync } from 'node:fs';
import { openOrigin } from '../../server/bundle/open-feed.js';
import { readBundle } from '../../server/bundle/read-bundle.js';
import { bundleConfig } from '../support/sources/config.js';
import { newKey, trustIn } from '../support/sources/archives.js';

/* The child of large-bundle.test.ts: reads a bundle from a URL, and prints why it is refused and what that cost. */

const [, , url = ''] = process.argv;

void (async (): Promise<void> => {
  const trust = trustIn(await newKey());
  const origin = await openOrigin(bundleConfig(url));
  const before = process.memoryUsage.rss();
  const reason = await origin
    .fetch(undefined, new AbortController().signal)
    .then((fetched) => (fetched.kind === 'fetched' ? readBundle(fetched.bytes, 'x', trust) : undefined))
    .then(
      () => 'none',
      (error: { readonly reason?: string; readonly message: string }) => error.reason ?? error.message,
    );
  const megabytes = Math.round((peak() - before) / 1e6);
  console.log(JSON.stringify({ reason, megabytes }));
  process.exit(0);
})();

/** The most memory of this program so far, in bytes. What `getrusage` tells includes that of the program that started it. */
function peak(): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
