import type { Note } from '../diagnostics/diagnostic.js';
import type { Place } from '../diagnostics/span.js';

/** A mistake in a test file: at a place, or in the file as a whole. */
export interface Complaint {
  /** The sentence of the machine-readable reports. */
  readonly text: string;
  /** The sentence that people read instead, where it differs. */
  readonly shown?: string;
  readonly place?: Place | undefined;
  readonly notes?: readonly Note[];
}

/** A test suite that cannot be run: its message goes into the report, for its author to mend. */
export class InvalidSuite extends Error {
  readonly complaints: readonly Complaint[];

  /** @param prefix the context, in front of the first complaint. */
  constructor(
    complaints: string | readonly Complaint[],
    readonly prefix = '',
  ) {
    const list = typeof complaints === 'string' ? [{ text: complaints }] : complaints;
    super(`${prefix}${list.map(({ text }) => text).join('\n')}`);
    this.complaints = list;
  }
}
