/** The measurements of a cold compilation. */
export interface CompileReport {
  /** Milliseconds by stage, in order. */
  readonly stages: readonly { readonly name: string; readonly milliseconds: number }[];
  /** Peak memory of the process, in bytes. */
  readonly peakMemory: number;
  readonly bundleBytes: number;
}
