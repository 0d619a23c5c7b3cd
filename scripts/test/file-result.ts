/** The result of one test file. */
export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  /** CPU seconds, of the process and of its children. */
  readonly cpu: number;
  /** Memory of the process after the file, in bytes. */
  readonly memory?: number;
  /** Kinds of resources, such as `TCPServerWrap`, of which there are more after the file than before. */
  readonly left?: readonly string[];
}

/** The line that ends the output of one test file. */
export const END = '\u001eend of file';
