/** A power of two. */
const SLOTS = 4096;

/**
 * The short ASCII texts seen last: attribute names, roles, actions and kinds come again with every request, and finding
 * one costs a tenth of making it. One text a slot, the newer wins, so its size is bounded and no lookup is longer than
 * the text.
 */
export class TextTable {
  readonly #slots: (string | undefined)[] = new Array(SLOTS).fill(undefined);

  /** The text of bytes `start` to `end`; undefined when they are not all ASCII. */
  find(bytes: Buffer, start: number, end: number): string | undefined {
    let hash = end - start;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte >= 0x80) return undefined;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const known = this.#slots[slot];
    if (known !== undefined && isTextOf(known, bytes, start, end)) return known;
    const text = bytes.toString('latin1', start, end);
    this.#slots[slot] = text;
    return text;
  }
}

function isTextOf(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== bytes[start + at]) return false;
  }
  return true;
}
