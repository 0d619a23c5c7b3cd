/**
 * The shortest digits that read back as the same double, without an exponent: `%s`, `%d` and durations
 * (docs/spec/conditions.md#format, docs/spec/conditions.md#durations).
 */
export function plainDecimal(x: number): string {
  if (Number.isNaN(x)) return 'NaN';
  if (x === Infinity) return 'Infinity';
  if (x === -Infinity) return '-Infinity';
  const sign = x < 0 || Object.is(x, -0) ? '-' : '';
  const text = String(Math.abs(x));
  const [mantissa = '', exponent = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/**
 * `%.Nf`: the exact value of a finite double rounded half to even at `places` digits after the point
 * (docs/spec/conditions.md#format).
 */
export function fixedDecimal(x: number, places: number): string {
  const { sign, numerator, denominator } = toFraction(x);
  const digits = divideHalfEven(numerator * 10n ** BigInt(places), denominator)
    .toString()
    .padStart(places + 1, '0');
  const point = digits.length - places;
  return places === 0 ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** `%.Ne`: one digit, `places` digits, an exponent of at least two digits; rounded as fixedDecimal does. */
export function scientificDecimal(x: number, places: number): string {
  const { sign, numerator, denominator } = toFraction(x);
  let exponent = x === 0 ? 0 : Number(Math.abs(x).toExponential(20).split('e')[1]);
  let digits = scaled(numerator, denominator, places - exponent)
    .toString()
    .padStart(places + 1, '0');
  if (digits.length > places + 1) {
    // Rounding made it one digit longer: 9.99 became 10.0.
    exponent += 1;
    digits = scaled(numerator, denominator, places - exponent).toString();
  }
  const mantissa = places === 0 ? digits : `${digits.slice(0, 1)}.${digits.slice(1)}`;
  return `${sign}${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

interface Fraction {
  readonly sign: '' | '-';
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** A finite double is a fraction with a power of two below. */
function toFraction(x: number): Fraction {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  const biased = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const mantissa = biased === 0n ? fraction : fraction | 0x10_0000_0000_0000n;
  const exponent = (biased === 0n ? 1n : biased) - 1075n;
  return {
    sign: bits >> 63n === 1n ? '-' : '',
    numerator: exponent > 0n ? mantissa << exponent : mantissa,
    denominator: exponent < 0n ? 1n << -exponent : 1n,
  };
}

function scaled(numerator: bigint, denominator: bigint, power: number): bigint {
  if (power >= 0) return divideHalfEven(numerator * 10n ** BigInt(power), denominator);
  return divideHalfEven(numerator, denominator * 10n ** BigInt(-power));
}

function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  if (twice < denominator || (twice === denominator && quotient % 2n === 0n)) return quotient;
  return quotient + 1n;
}
