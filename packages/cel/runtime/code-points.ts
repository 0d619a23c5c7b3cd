/** How many code points a text has (docs/spec/conditions.md#strings). */
export function codePointCount(text: string): number {
  if (!hasSurrogates(text)) return text.length;
  let count = 0;
  for (let offset = 0; offset < text.length; offset++) {
    if (!isHighSurrogate(text.charCodeAt(offset))) count++;
  }
  return count;
}

/** The code points of a text, each as a text. */
export function codePointsOf(text: string): readonly string[] {
  return hasSurrogates(text) ? Array.from(text) : text.split('');
}

/** The offset in UTF-16 units of the code point at an index; the length of the text when it has fewer. */
export function unitOffset(text: string, index: number): number {
  if (!hasSurrogates(text)) return Math.min(index, text.length);
  let offset = 0;
  for (let passed = 0; passed < index && offset < text.length; passed++) {
    offset += isHighSurrogate(text.charCodeAt(offset)) ? 2 : 1;
  }
  return offset;
}

/** The index in code points of an offset in UTF-16 units. */
export function codePointIndex(text: string, offset: number): number {
  return codePointCount(text.slice(0, offset));
}

/**
 * The first `length` UTF-16 units of a longer text, and an ellipsis. A pair of surrogates is kept or left out as a
 * whole: half of one has no UTF-8.
 */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const isPairCut = (text.codePointAt(length - 1) as number) > 0xffff;
  return `${text.slice(0, isPairCut ? length - 1 : length)}…`;
}

/**
 * Texts in the order of their code points, which is that of their UTF-8 bytes and not of UTF-16: negative, 0, positive.
 */
export function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let offset = 0; offset < shared; offset++) {
    const left = a.charCodeAt(offset);
    const right = b.charCodeAt(offset);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

// A surrogate stands for a code point above U+FFFF, so it ranks above all single units.
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function hasSurrogates(text: string): boolean {
  for (let offset = 0; offset < text.length; offset++) {
    if (isHighSurrogate(text.charCodeAt(offset))) return true;
  }
  return false;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
