/** `authz.request.v1.ListAuditLogEntriesRequest` as it was sent (server.md 1.2, "Admin"). */
export interface ListAuditLogEntriesRequest {
  /** 0 unspecified, 1 KIND_ACCESS, 2 KIND_DECISION; any other number may be sent. */
  readonly kind: number;
  /** The last one of the oneof; undefined when none was sent. */
  readonly filter: AuditFilter | undefined;
}

/** The names of `ListAuditLogEntriesRequest.Kind`, by their numbers. */
export const AUDIT_KINDS: readonly string[] = ['KIND_UNSPECIFIED', 'KIND_ACCESS', 'KIND_DECISION'];

/** Which entries: so many of the newest, those of a time, those since so long ago, those of a call. */
export type AuditFilter =
  | { readonly by: 'tail'; readonly value: number }
  | { readonly by: 'between'; readonly value: TimeRange }
  | { readonly by: 'since'; readonly value: Moment }
  | { readonly by: 'lookup'; readonly value: string };

export interface TimeRange {
  readonly start: Moment | undefined;
  readonly end: Moment | undefined;
}

/** A google.protobuf.Timestamp or Duration. */
export interface Moment {
  readonly seconds: number;
  readonly nanos: number;
}
