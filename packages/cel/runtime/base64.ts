import { charge, chargeText } from './meter.js';

/** Base64 text of bytes: the standard alphabet, padded (docs/spec/conditions.md#encoding-functions). */
export function base64Text(bytes: Uint8Array): string {
  charge(2 * bytes.length);
  chargeText(12 * bytes.length);
  let text = '';
  for (let offset = 0; offset < bytes.length; offset += 3) {
    const left = bytes.length - offset;
    const group = ((bytes[offset] ?? 0) << 16) | ((bytes[offset + 1] ?? 0) << 8) | (bytes[offset + 2] ?? 0);
    text += letter(group >> 18) + letter(group >> 12);
    text += left > 1 ? letter(group >> 6) : '=';
    text += left > 2 ? letter(group) : '=';
  }
  return text;
}

/**
 * The bytes of a base64 text, whose padding may be missing altogether and whose line ends are skipped; or the offset of
 * what is wrong.
 */
export function base64Bytes(text: string): Uint8Array | number {
  charge(3 * text.length);
  const digits = withoutPadding(text);
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (let offset = 0; offset < digits.length; offset++) {
    const char = digits.charAt(offset);
    if (isLineEnd(char)) continue;
    const digit = DIGITS.get(char);
    if (digit === undefined) return offset;
    bits = ((bits << 6) | digit) & 0xffff;
    count++;
    // Every digit but the first of four completes a byte.
    if (count % 4 !== 1) bytes.push((bits >> ((4 - ((count - 1) % 4) - 1) * 2)) & 0xff);
  }
  return count % 4 === 1 ? text.length - 1 : Uint8Array.from(bytes);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const DIGITS: ReadonlyMap<string, number> = new Map(Array.from(ALPHABET, (char, digit) => [char, digit]));

function letter(bits: number): string {
  return ALPHABET.charAt(bits & 0x3f);
}

// Padding that fills the last group of four is dropped; any other '=' is left in, to be found wrong.
function withoutPadding(text: string): string {
  let end = text.length;
  let padding = 0;
  while (end > 0 && (text.charAt(end - 1) === '=' || isLineEnd(text.charAt(end - 1)))) {
    if (text.charAt(end - 1) === '=') padding++;
    end--;
  }
  let count = padding;
  for (let offset = 0; offset < end; offset++) {
    if (!isLineEnd(text.charAt(offset))) count++;
  }
  return padding <= 2 && count % 4 === 0 ? text.slice(0, end) : text;
}

function isLineEnd(char: string): boolean {
  return char === '\n' || char === '\r';
}
