/** A google.protobuf.Timestamp or Duration. */
export interface Moment {
  readonly seconds: number;
  readonly nanos: number;
}
