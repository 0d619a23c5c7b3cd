import { Opaque, type Value } from './values.js';

/** An IP address (docs/spec/conditions.md#network-functions). */
export class IpValue extends Opaque {
  readonly typeName = 'net.IP';

  /**
   * @param version 4 or 6.
   * @param bits the address as a number of 32 or 128 bits.
   */
  constructor(
    readonly version: 4 | 6,
    readonly bits: bigint,
  ) {
    super();
  }

  override equalTo(other: Value): boolean {
    return other instanceof IpValue && other.version === this.version && other.bits === this.bits;
  }

  /** RFC 5952. */
  override toText(): string {
    return ipText(this);
  }
}

/** A network, host bits kept (docs/spec/conditions.md#network-functions). */
export class CidrValue extends Opaque {
  readonly typeName = 'net.CIDR';

  /** @param prefix how many leading bits are the network's. */
  constructor(
    readonly address: IpValue,
    readonly prefix: number,
  ) {
    super();
  }

  override equalTo(other: Value): boolean {
    return other instanceof CidrValue && other.prefix === this.prefix && other.address.equalTo(this.address);
  }

  override toText(): string {
    return cidrText(this);
  }
}

/** How many bits an address of a version has. */
export function countBits(version: 4 | 6): 32 | 128 {
  return version === 4 ? 32 : 128;
}

/** The address without the bits behind the first `prefix`. */
export function maskedBits(bits: bigint, width: number, prefix: number): bigint {
  const hostBits = BigInt(width - prefix);
  return (bits >> hostBits) << hostBits;
}

/** The canonical text of an address, RFC 5952. */
export function ipText(ip: IpValue): string {
  return ip.version === 4 ? [24n, 16n, 8n, 0n].map((shift) => (ip.bits >> shift) & 0xffn).join('.') : ip6Text(ip.bits);
}

/** The canonical text of a network. */
export function cidrText(cidr: CidrValue): string {
  return `${ipText(cidr.address)}/${cidr.prefix}`;
}

/** The longest run of two or more zero groups, the first of equal ones, becomes `::`. */
function ip6Text(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => (bits >> BigInt(112 - index * 16)) & 0xffffn);
  const { start, length } = longestZeros(groups);
  const texts = groups.map((group) => group.toString(16));
  if (length < 2) return texts.join(':');
  return `${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`;
}

function longestZeros(groups: readonly bigint[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0n) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}
