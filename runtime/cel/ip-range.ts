import { BoundedCache } from './bounded-cache.js';
import { refuse } from './failures.js';
import { maskedBits } from './ip-address.js';
import { isMapped, type ParsedAddress, parseAddress } from './ip-parser.js';
import { charge } from './meter.js';
import { CelError, type Result } from './values.js';

/**
 * `s.inIPAddrRange(range)` (docs/spec/conditions.md#network-functions). An older, laxer reading than `ip` and `cidr`:
 * an IPv4 address written as IPv6 is the IPv4 address, and a prefix length may have leading zeros.
 */
export function inIPAddrRange(s: Result, range: Result): Result {
  if (typeof s !== 'string' || typeof range !== 'string') return refuse('inIPAddrRange', s, range);
  charge(10 + range.length / 8);
  const network = networks.get(range, readNetwork);
  const octets = plainIp4(s);
  if (octets !== undefined && !(network instanceof CelError)) {
    return network.ip4 !== undefined && (octets & network.ip4.mask) === network.ip4.base;
  }
  const address = unzoned(s);
  if (address === undefined) return new CelError(`invalid IP address: ${s}`);
  if (network instanceof CelError) return network;
  const bits = asIp6(address);
  return isIp4(bits) === isIp4(network.bits) && maskedBits(bits, 128, network.prefix) === network.bits;
}

/**
 * Ranges stand in policies as a rule, so that they come again with each request; parsing one costs more than asking it.
 */
const networks = new BoundedCache<Network | CelError>(256, (network) => !(network instanceof CelError));

interface Network {
  /** Without host bits, of 128. */
  readonly bits: bigint;
  /** Of 128. */
  readonly prefix: number;
  /** The same for an address of 32 bits, as JavaScript's bit operators have it; absent in a network of IPv6. */
  readonly ip4: { readonly base: number; readonly mask: number } | undefined;
}

function unzoned(text: string): ParsedAddress | undefined {
  const parsed = parseAddress(text);
  return parsed instanceof CelError || parsed.zone !== '' ? undefined : parsed;
}

function readNetwork(range: string): Network | CelError {
  return parseNetwork(range) ?? new CelError(`invalid CIDR address: ${range}`);
}

function parseNetwork(text: string): Network | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : unzoned(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]+$/.test(digits)) return undefined;
  const length = Number(digits);
  if (length > (address.version === 4 ? 32 : 128)) return undefined;
  const prefix = address.version === 4 ? length + 96 : length;
  const bits = maskedBits(asIp6(address), 128, prefix);
  return { bits, prefix, ip4: isIp4(bits) ? ip4Network(bits, prefix - 96) : undefined };
}

function ip4Network(bits: bigint, length: number): { readonly base: number; readonly mask: number } {
  // A shift by 32 is one by 0 in JavaScript.
  return { base: Number(BigInt.asIntN(32, bits)), mask: length === 0 ? 0 : -1 << (32 - length) };
}

/** A plain IPv4 address as 32 bits, signed; undefined for any other text: `parseAddress` then says what it is. */
function plainIp4(text: string): number | undefined {
  let bits = 0;
  let octet = -1;
  let dots = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) {
      if (octet === 0) return undefined;
      octet = octet < 0 ? digit : octet * 10 + digit;
      if (octet > 255) return undefined;
    } else {
      if (digit !== DOT || octet < 0) return undefined;
      bits = (bits << 8) | octet;
      octet = -1;
      dots += 1;
    }
  }
  return dots === 3 && octet >= 0 ? (bits << 8) | octet : undefined;
}

/** The character code of a dot, less that of `0`. */
const DOT = -2;

function asIp6({ version, bits }: ParsedAddress): bigint {
  return version === 4 ? (0xffffn << 32n) | bits : bits;
}

/** A network whose mask cuts the mark of IPv4 off is an IPv6 network. */
function isIp4(bits: bigint): boolean {
  return isMapped({ version: 6, bits, zone: '' });
}
