import type { Call } from './call.js';
import type { CallEnd, Checked, Planned, Watcher } from './watcher.js';

/** Tells every watcher that a call has come in. */
export function tellBegan(watchers: readonly Watcher[], call: Call): void {
  for (const watcher of watchers) guarded(() => watcher.began?.(call));
}

/** Tells every watcher what was decided. */
export function tellChecked(watchers: readonly Watcher[], call: Call, check: Checked): void {
  for (const watcher of watchers) guarded(() => watcher.checked?.(call, check));
}

/** Tells every watcher what was planned. */
export function tellPlanned(watchers: readonly Watcher[], call: Call, plan: Planned): void {
  for (const watcher of watchers) guarded(() => watcher.planned?.(call, plan));
}

/** Tells every watcher how a call ended. */
export function tellEnded(watchers: readonly Watcher[], call: Call, end: CallEnd): void {
  for (const watcher of watchers) guarded(() => watcher.ended?.(call, end));
}

/** A watcher that fails is a bug, but not the caller's: the answer stays what it is, and the other watchers are told. */
function guarded(tell: () => void): void {
  try {
    tell();
  } catch (error) {
    console.error('authz: a watcher failed:', error);
  }
}
