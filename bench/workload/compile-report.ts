/** What a cold compilation reports. */
export interface CompileReport {
  /** Milliseconds by stage, in order. */
  readonly stages: readonly { readonly name: string; readonly milliseconds: number }[];
  /** Bytes: the most this process had in memory. */
  readonly peakMemory: number;
  readonly bundleBytes: number;
}
