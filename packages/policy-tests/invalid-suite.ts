import type { Note } from '../../compiler/diagnostics/diagnostic.js';
import type { Place } from '../../compiler/diagnostics/span.js';

/** An error in a test file, at a location or in the file as a whole. */
export interface Complaint {
  /** The message in machine-readable reports. */
  readonly text: string;
  /** The message for people, if it differs. */
  readonly shown?: string;
  readonly place?: Place | undefined;
  readonly notes?: readonly Note[];
}

/** A test suite that cannot be run: its message is part of the report, so that the author can fix it. */
export class InvalidSuite extends Error {
  readonly complaints: readonly Complaint[];

  /** @param prefix the context, in front of the first message. */
  constructor(
    complaints: string | readonly Complaint[],
    readonly prefix = '',
  ) {
    const list = typeof complaints === 'string' ? [{ text: complaints }] : complaints;
    super(`${prefix}${list.map(({ text }) => text).join('\n')}`);
    this.complaints = list;
  }
}
