/** A number by its decimal digits, as exact as it was written: `digits` × 10^`exponent`. */
export class Decimal {
  /** The nearest double. */
  readonly number: number;
  private readonly digits: bigint;
  private readonly exponent: number;

  /** @param text a number as JSON writes it. */
  constructor(readonly text: string) {
    const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    this.number = Number(text);
    this.digits = BigInt(`${whole}${fraction}`.replace('-', '')) * (text.startsWith('-') ? -1n : 1n);
    this.exponent = Number(exponent) - fraction.length;
  }

  /** Whether a value is a number whose shortest decimal string is this number. */
  equals(value: unknown): boolean {
    return typeof value === 'number' && value === this.number && this.compare(new Decimal(String(value))) === 0;
  }

  /** Negative, zero or positive, as this is less, equal or greater. */
  compare(other: Decimal): number {
    const [a, b] = aligned(this, other);
    return a < b ? -1 : a > b ? 1 : 0;
  }

  isMultipleOf(divisor: Decimal): boolean {
    const [a, b] = aligned(this, divisor);
    return a % b === 0n;
  }

  /** This in units of 10^`exponent`, which is not greater than its own. */
  scaledTo(exponent: number): bigint {
    return this.digits * 10n ** BigInt(this.exponent - exponent);
  }

  static lowestExponent(a: Decimal, b: Decimal): number {
    return Math.min(a.exponent, b.exponent);
  }
}

/** A number of a schema that is not the shortest string of a double. */
export function decimal(text: string): Decimal {
  return new Decimal(text);
}

function aligned(a: Decimal, b: Decimal): readonly [bigint, bigint] {
  const exponent = Decimal.lowestExponent(a, b);
  return [a.scaledTo(exponent), b.scaledTo(exponent)];
}
