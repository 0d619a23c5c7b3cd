/** The result of one test file. */
export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  /** CPU seconds, of the process and of the children that it waited for. */
  readonly cpu: number;
}

/** The line that ends the output of one test file. */
export const END = '\u001eend of file';
