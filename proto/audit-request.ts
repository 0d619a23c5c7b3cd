import type { ListAuditLogEntriesRequest } from './gen/messages.js';

export type { ListAuditLogEntriesRequest, TimeRange } from './gen/messages.js';
export type { Moment } from './wire/moment.js';

/** The names of `ListAuditLogEntriesRequest.Kind`, by their numbers. */
export const AUDIT_KINDS: readonly string[] = ['KIND_UNSPECIFIED', 'KIND_ACCESS', 'KIND_DECISION'];

/** Which entries: so many of the newest, those of a time, those since so long ago, those of a call. */
export type AuditFilter = NonNullable<ListAuditLogEntriesRequest['filter']>;
