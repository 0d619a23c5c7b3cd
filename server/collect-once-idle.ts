import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How long after the start to look, in milliseconds. */
const DELAY = 2000;
/** The share of time above which a process is busy. */
const BUSY = 0.1;

/**
 * Collects garbage once, soon after a start, unless the process is busy: V8 then returns the space for new objects that
 * the start needed, which a server without load would keep (docs/decisions/packages-page-and-tools.md#0150). Under load V8
 * collects by itself.
 */
export function collectOnceIdle(delay = DELAY, measureUse = measureFromNow(), collect = collectGarbage): void {
  setTimeout(() => {
    if (measureUse() < BUSY) collect();
  }, delay).unref();
}

/** Returns a function that returns the share of time since now in which the event loop was not idle. */
function measureFromNow(): () => number {
  const now = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(now).utilization;
}

/** Collects all garbage. The function for that exists only under a flag, which a program has to set itself. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options?: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;
  setFlagsFromString('--no-expose-gc');
  // Node 20 would only collect what is new. Later ones keep the space for new objects without the flavor.
  if (process.versions.node.startsWith('20.')) gc();
  else gc({ type: 'major', flavor: 'last-resort' });
}
