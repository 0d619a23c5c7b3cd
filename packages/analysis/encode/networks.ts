import * as cel from '../../cel/runtime/index.js';

/** The addresses that IPv6 has for those of IPv4: `::ffff:0:0/96`. */
const MAPPED = 0xffffn << 32n;
const LAST_MAPPED = MAPPED + 0xffffffffn;

/**
 * That an address is in a range, as a term of the sort Bool; undefined for ranges that `inIPAddrRange` may read in
 * another way than `cidr`, or not at all.
 *
 * @param bits the address as a number of 128 bits, a term of the sort Int.
 */
export function isInRange(range: string, bits: string): string | undefined {
  const network = cel.parseCidr(range);
  if (!(network instanceof cel.CidrValue)) return undefined;
  const { address, prefix } = network;
  const size = 1n << BigInt((address.version === 4 ? 32 : 128) - prefix);
  const first = (address.version === 4 ? MAPPED : 0n) + (address.bits / size) * size;
  const isBetween = `(<= ${first} ${bits} ${first + size - 1n})`;
  return address.version === 4 ? isBetween : `(and ${isBetween} (not ${isMapped(bits)}))`;
}

/** That an address is one of IPv4. */
export function isMapped(bits: string): string {
  return `(<= ${MAPPED} ${bits} ${LAST_MAPPED})`;
}

/** The texts of an IPv4 address with dots, as a term of the sort RegLan. */
export const IPV4_ADDRESSES: string = address([any(), any(), any(), any()]);

/**
 * The texts of the IPv4 addresses in a range such as `10.1.0.0/16`, as a term of the sort RegLan; undefined for ranges
 * that are written in another way, which `inIPAddrRange` may still know.
 */
export function addressesIn(range: string): string | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(range);
  if (match === null) return undefined;
  const numbers = match.slice(1).map(Number);
  const [octets, length] = [numbers.slice(0, 4), numbers[4] as number];
  const isPlain = match.slice(1).every((digits, at) => String(numbers[at]) === digits);
  if (!isPlain || length > 32 || octets.some((octet) => octet > 255)) return undefined;
  return address(
    octets.map((octet, at) => {
      const free = 2 ** (8 - Math.min(8, Math.max(0, length - 8 * at)));
      const least = octet - (octet % free);
      return free === 256 ? any() : between(least, least + free - 1);
    }),
  );
}

function any(): string {
  return '(re.union (re.range "0" "9") (re.++ (re.range "1" "9") (re.range "0" "9")) (re.++ (str.to_re "1") (re.range "0" "9") (re.range "0" "9")) (re.++ (str.to_re "2") (re.range "0" "4") (re.range "0" "9")) (re.++ (str.to_re "25") (re.range "0" "5")))';
}

function between(least: number, greatest: number): string {
  const texts = Array.from({ length: greatest - least + 1 }, (_, at) => `(str.to_re "${least + at}")`);
  return texts.length === 1 ? (texts[0] as string) : `(re.union ${texts.join(' ')})`;
}

function address(octets: readonly string[]): string {
  return `(re.++ ${octets.join(' (str.to_re ".") ')})`;
}
