import { timestampOf } from '../../proto/wire/moment.js';
import { parseDuration } from '../../server/config/duration.js';
import { UsageError } from '../exit.js';

/** Which entries, as the command line says it: at most one of the last four. */
export interface EntriesOptions {
  readonly kind: 'access' | 'decision';
  readonly tail?: string;
  readonly between?: string;
  readonly since?: string;
  readonly lookup?: string;
}

/** What most terminals show at once. */
const DEFAULT_TAIL = 30;
/** As many as a server gives (docs/spec/server.md#validation). */
const MOST = 1000;
/** Of a google.protobuf.Duration, in milliseconds: ten thousand years. */
const LONGEST = 315_576_000_000_000;

/**
 * The ListAuditLogEntriesRequest of the options, in its JSON form (docs/spec/server.md#audit). Throws a UsageError for
 * what is no filter, and for two of them.
 *
 * @param now in milliseconds since 1970: where a time without an end ends.
 */
export function entriesRequest({ kind, tail, between, since, lookup }: EntriesOptions, now: number): EntriesRequest {
  const given = [tail, between, since, lookup].filter((filter) => filter !== undefined);
  if (given.length > 1) throw new UsageError('`--tail`, `--between`, `--since` and `--lookup` exclude one another');
  const head = { kind: kind === 'access' ? 'KIND_ACCESS' : 'KIND_DECISION' };
  if (between !== undefined) return { ...head, between: rangeOf(between, now) };
  if (since !== undefined) return { ...head, since: durationOf(since) };
  if (lookup !== undefined) return { ...head, lookup: callIdOf(lookup) };
  return { ...head, tail: countOf(tail) };
}

/** In the form of JSON that protobuf has. */
export type EntriesRequest = { readonly kind: string } & (
  | { readonly tail: number }
  | { readonly between: { readonly start: string; readonly end: string } }
  | { readonly since: string }
  | { readonly lookup: string }
);

function countOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TAIL;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) throw new UsageError(`\`--tail\` must be a number from 1 to ${MOST}, not \`${text}\``);
  return count;
}

function rangeOf(text: string, now: number): { readonly start: string; readonly end: string } {
  const [start = '', end = new Date(now).toISOString(), ...more] = text.split(',').map((moment) => moment.trim());
  if (more.length > 0) throw new UsageError('`--between` has a start and an end');
  for (const moment of [start, end]) {
    if (timestampOf(moment) === undefined)
      throw new UsageError(`\`--between\` must be moments such as \`2026-01-31T08:00:00Z\`, not \`${moment}\``);
  }
  return { start, end };
}

function durationOf(text: string): string {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds <= 0 || milliseconds > LONGEST)
    throw new UsageError(`\`--since\` must be a duration such as \`3h\` or \`90m\`, not \`${text}\``);
  return `${Math.floor(milliseconds / 1000)}.${String(Math.floor(milliseconds % 1000)).padStart(3, '0')}s`;
}

function callIdOf(text: string): string {
  if (!/^[0-9A-HJKMNP-TV-Z]{26}$/.test(text))
    throw new UsageError(
      `\`--lookup\` must be a call id, 26 letters and digits such as \`01HHENANTHFD3DV3HZGDKB87PJ\`, not \`${text}\``,
    );
  return text;
}
