import { LONGEST_TIMER } from '../backoff.js';
import type { Provenance } from '../service/bundle.js';
import { findExpiry } from './provenance.js';

/** Calls back when the bundle in use has expired. It is still served: no other one is better. */
export class ExpiryWatch {
  #timer: NodeJS.Timeout | undefined;

  /** @param expired gets the time at which the bundle expired, in milliseconds since 1970. */
  constructor(private readonly expired: (time: number) => void) {}

  /** A bundle is being served, in place of the one before. */
  serve(bundle: Provenance): void {
    this.stop();
    const time = findExpiry(bundle);
    if (time !== undefined) this.#wait(time);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(time: number): void {
    const left = time - Date.now();
    if (left < 0) this.expired(time);
    else this.#timer = setTimeout(() => this.#wait(time), Math.min(left + 1, LONGEST_TIMER)).unref();
  }
}
