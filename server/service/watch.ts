import type { Call } from './call.js';
import type { EntryTime, FetchTime, Period, TokenTimes } from './call-times.js';
import type { Report } from './rpc-error.js';
import type { CallEnd, Checked, Exceeded, Planned, Watcher } from './watcher.js';

/** Notifies every watcher of a new call. */
export function tellBegan(watchers: readonly Watcher[], call: Call): void {
  for (const watcher of watchers) watcher.began?.(call);
}

/** Tells every watcher what was decided. */
export function tellChecked(watchers: readonly Watcher[], call: Call, check: Checked): void {
  for (const watcher of watchers) watcher.checked?.(call, check);
}

/** Tells every watcher what was planned. */
export function tellPlanned(watchers: readonly Watcher[], call: Call, plan: Planned): void {
  for (const watcher of watchers) watcher.planned?.(call, plan);
}

/** Tells every watcher that the engine gave up. */
export function tellExceeded(watchers: readonly Watcher[], call: Call, exceeded: Exceeded): void {
  for (const watcher of watchers) watcher.exceeded?.(call, exceeded);
}

/** Tells every watcher how a call ended. */
export function tellEnded(watchers: readonly Watcher[], call: Call, end: CallEnd): void {
  for (const watcher of watchers) watcher.ended?.(call, end);
}

/** Tells every watcher of the tokens of a call that is traced. */
export function tellVerified(watchers: readonly Watcher[], call: Call, times: TokenTimes): void {
  for (const watcher of watchers) watcher.verified?.(call, times);
}

/** Tells every watcher that a source was asked for a call that is traced. */
export function tellFetched(watchers: readonly Watcher[], call: Call, fetch: FetchTime): void {
  for (const watcher of watchers) watcher.fetched?.(call, fetch);
}

/** Tells every watcher that the answer to a call that is traced was put together. */
export function tellAssembled(watchers: readonly Watcher[], call: Call, time: Period): void {
  for (const watcher of watchers) watcher.assembled?.(call, time);
}

/** Tells every watcher of an audit entry about a call that is traced. */
export function tellAudited(watchers: readonly Watcher[], call: Call, time: EntryTime): void {
  for (const watcher of watchers) watcher.audited?.(call, time);
}

/**
 * Wraps a watcher so that it never throws. A watcher that fails is a bug, but must not affect the response or the other
 * watchers.
 */
export function guarded(
  { began, checked, planned, exceeded, ended, verified, fetched, assembled, audited }: Watcher,
  report: Report,
): Watcher {
  const guard = <Told extends readonly unknown[]>(tell: (...told: Told) => void): ((...told: Told) => void) => {
    return (...told) => {
      try {
        tell(...told);
      } catch (error) {
        report('a watcher failed', error);
      }
    };
  };
  return {
    ...(began && { began: guard(began) }),
    ...(checked && { checked: guard(checked) }),
    ...(planned && { planned: guard(planned) }),
    ...(exceeded && { exceeded: guard(exceeded) }),
    ...(ended && { ended: guard(ended) }),
    ...(verified && { verified: guard(verified) }),
    ...(fetched && { fetched: guard(fetched) }),
    ...(assembled && { assembled: guard(assembled) }),
    ...(audited && { audited: guard(audited) }),
  };
}
