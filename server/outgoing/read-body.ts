/** Room for a body whose length is not known: doubled until the body fits. */
const FIRST_ROOM = 64 * 1024;

/**
 * Reads a body into one buffer, with no second copy of all of it.
 *
 * @param length the length that the headers declare; undefined if they do not.
 * @param most bytes that are read.
 * @param tooLarge makes the error for a body that has more, or says so.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  length: number | undefined,
  most: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const declared = length !== undefined && Number.isSafeInteger(length) && length >= 0 ? length : undefined;
  if (declared !== undefined && declared > most) throw tooLarge();
  let bytes = Buffer.allocUnsafeSlow(declared ?? Math.min(FIRST_ROOM, most));
  let size = 0;
  for await (const chunk of body) {
    const end = size + chunk.length;
    if (end > most) throw tooLarge();
    if (end > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(end, bytes.length * 2), most));
      bytes.copy(larger, 0, 0, size);
      bytes = larger;
    }
    bytes.set(chunk, size);
    size = end;
  }
  return bytes.subarray(0, size);
}
