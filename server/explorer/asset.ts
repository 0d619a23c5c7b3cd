/** A file that the explorer page is made of. */
export interface Asset {
  /** Where it is served. */
  readonly path: string;
  readonly mediaType: string;
  readonly text: string;
}
