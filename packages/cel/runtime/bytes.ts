import { charge, chargeMemory, chargeText } from './meter.js';

/** Byte strings in the order of their bytes (docs/spec/conditions.md#ordering): negative, 0, positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  charge(shared / 8);
  for (let offset = 0; offset < shared; offset++) {
    const order = (a[offset] ?? 0) - (b[offset] ?? 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** The UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array {
  chargeMemory(3 * text.length);
  return new TextEncoder().encode(text);
}

/** The text that bytes are the UTF-8 of; undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  chargeText(bytes.length);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The only thing a fatal decoder throws for is malformed input.
    return undefined;
  }
}

/** Two byte strings one after the other. */
export function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  chargeMemory(a.length + b.length);
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
