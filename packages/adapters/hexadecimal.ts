/** The bytes of a string in hexadecimal, as literals of MySQL have them. */
export function encodeHex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
