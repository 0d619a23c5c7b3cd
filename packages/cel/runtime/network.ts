import { BoundedCache } from './bounded-cache.js';
import { refuse } from './failures.js';
import { CidrValue, ipText, IpValue, maskedBits, countBits } from './ip-address.js';
import { isMapped, parseAddress, type ParsedAddress } from './ip-parser.js';
import { charge } from './meter.js';
import { quotedText } from './quoted-text.js';
import { CelError, type Result } from './values.js';

/**
 * `ip(s)`; zones and IPv4-mapped addresses are refused (docs/spec/conditions.md#network-functions,
 * docs/spec/conditions.md#ip-address-messages).
 */
export function toIp(s: Result): Result {
  return typeof s === 'string' ? parseIp(s) : refuse('ip', s);
}

/** `cidr(s)`; host bits are kept. */
export function toCidr(s: Result): Result {
  return typeof s === 'string' ? parseCidr(s) : refuse('cidr', s);
}

/** `isIP(s)`: whether `ip(s)` would succeed. */
export function isIP(s: Result): Result {
  return typeof s === 'string' ? parseIp(s) instanceof IpValue : refuse('isIP', s);
}

/** `isCIDR(s)`: whether `cidr(s)` would succeed. */
export function isCIDR(s: Result): Result {
  return typeof s === 'string' ? parseCidr(s) instanceof CidrValue : refuse('isCIDR', s);
}

/** `ip.isCanonical(s)`: whether the text is the canonical one of its address. */
export function ipIsCanonical(s: Result): Result {
  if (typeof s !== 'string') return refuse('ip.isCanonical', s);
  const ip = parseIp(s);
  return ip instanceof CelError ? ip : ipText(ip) === s;
}

/** `<ip>.family()`: 4 or 6. */
export function family(ip: Result): Result {
  return ip instanceof IpValue ? BigInt(ip.version) : refuse('family', ip);
}

/** `<ip>.isLoopback()`: 127.0.0.0/8, ::1. */
export function isLoopback(ip: Result): Result {
  return ip instanceof IpValue ? inLoopback(ip) : refuse('isLoopback', ip);
}

/** `<ip>.isGlobalUnicast()`; private addresses are. */
export function isGlobalUnicast(ip: Result): Result {
  if (!(ip instanceof IpValue)) return refuse('isGlobalUnicast', ip);
  const isBroadcast = ip.version === 4 && ip.bits === 0xffff_ffffn;
  return ip.bits !== 0n && !isBroadcast && !inLoopback(ip) && !inMulticast(ip) && !inLinkLocalUnicast(ip);
}

/** `<ip>.isLinkLocalMulticast()`: 224.0.0.0/24, ff_2::/16 with any flags. */
export function isLinkLocalMulticast(ip: Result): Result {
  if (!(ip instanceof IpValue)) return refuse('isLinkLocalMulticast', ip);
  return ip.version === 4 ? ip.bits >> 8n === 0xe0_0000n : ((ip.bits >> 112n) & 0xff0fn) === 0xff02n;
}

/** `<ip>.isLinkLocalUnicast()`: 169.254.0.0/16, fe80::/10. */
export function isLinkLocalUnicast(ip: Result): Result {
  return ip instanceof IpValue ? inLinkLocalUnicast(ip) : refuse('isLinkLocalUnicast', ip);
}

/** `<ip>.isUnspecified()`: 0.0.0.0, ::. */
export function isUnspecified(ip: Result): Result {
  return ip instanceof IpValue ? ip.bits === 0n : refuse('isUnspecified', ip);
}

/** `<cidr>.containsIP(ip)`, an address or its text; false for another family. */
export function containsIP(cidr: Result, other: Result): Result {
  if (!(cidr instanceof CidrValue)) return refuse('containsIP', cidr, other);
  const ip = typeof other === 'string' ? parseIp(other) : other;
  if (ip instanceof CelError) return ip;
  return ip instanceof IpValue ? covers(cidr, ip) : refuse('containsIP', cidr, other);
}

/** `<cidr>.containsCIDR(cidr)`, a network or its text. */
export function containsCIDR(cidr: Result, other: Result): Result {
  if (!(cidr instanceof CidrValue)) return refuse('containsCIDR', cidr, other);
  const inner = typeof other === 'string' ? parseCidr(other) : other;
  if (inner instanceof CelError) return inner;
  if (!(inner instanceof CidrValue)) return refuse('containsCIDR', cidr, other);
  return cidr.prefix <= inner.prefix && covers(cidr, inner.address);
}

/** `<cidr>.ip()`: the address with its host bits. */
export function cidrIp(cidr: Result): Result {
  return cidr instanceof CidrValue ? cidr.address : refuse('ip', cidr);
}

/** `<cidr>.isMask()`: whether no host bit is set. */
export function isMask(cidr: Result): Result {
  return cidr instanceof CidrValue ? maskAddress(cidr).bits === cidr.address.bits : refuse('isMask', cidr);
}

/** `<cidr>.masked()`: the network without host bits. */
export function masked(cidr: Result): Result {
  return cidr instanceof CidrValue ? new CidrValue(maskAddress(cidr), cidr.prefix) : refuse('masked', cidr);
}

/** `<cidr>.prefixLength()`. */
export function prefixLength(cidr: Result): Result {
  return cidr instanceof CidrValue ? BigInt(cidr.prefix) : refuse('prefixLength', cidr);
}

/** The address a text means, or the message of docs/spec/conditions.md#ip-address-messages. */
export function parseIp(text: string): IpValue | CelError {
  const parsed = parseAddress(text);
  if (parsed instanceof CelError) {
    return new CelError(`IP Address ${quotedText(text)} parse error during conversion from string: ${parsed.message}`);
  }
  if (parsed.zone !== '') return new CelError(`IP address ${quotedText(text)} with zone value is not allowed`);
  return isMapped(parsed) ? mappedAddress(text) : new IpValue(parsed.version, parsed.bits);
}

/** The network a text means, or the message of docs/spec/conditions.md#ip-address-messages. */
export function parseCidr(text: string): CidrValue | CelError {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return badPrefix(text, "no '/'");
  const parsed = parseAddress(text.slice(0, slash));
  if (parsed instanceof CelError) return badPrefix(text, parsed.message);
  if (parsed.zone !== '') return badPrefix(text, 'IPv6 zones cannot be present in a prefix');
  const digits = text.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]{0,17})$/.test(digits)) return badPrefix(text, `bad bits after slash: ${quotedText(digits)}`);
  if (Number(digits) > countBits(parsed.version)) return badPrefix(text, 'prefix length out of range');
  if (isMapped(parsed)) return mappedAddress(text);
  return new CidrValue(new IpValue(parsed.version, parsed.bits), Number(digits));
}

function badPrefix(text: string, reason: string): CelError {
  const quoted = quotedText(text);
  return new CelError(
    `CIDR ${quoted} parse error during conversion from string: netip.ParsePrefix(${quoted}): ${reason}`,
  );
}

function mappedAddress(text: string): CelError {
  return new CelError(`IPv4-mapped IPv6 address ${quotedText(text)} is not allowed`);
}

function maskAddress({ address, prefix }: CidrValue): IpValue {
  return new IpValue(address.version, maskedBits(address.bits, countBits(address.version), prefix));
}

function covers(cidr: CidrValue, { version, bits }: IpValue): boolean {
  if (version !== cidr.address.version) return false;
  return maskedBits(bits, countBits(version), cidr.prefix) === maskAddress(cidr).bits;
}

function inLoopback({ version, bits }: IpValue): boolean {
  return version === 4 ? bits >> 24n === 127n : bits === 1n;
}

function inMulticast({ version, bits }: IpValue): boolean {
  return version === 4 ? bits >> 28n === 0xen : bits >> 120n === 0xffn;
}

function inLinkLocalUnicast({ version, bits }: IpValue): boolean {
  return version === 4 ? bits >> 16n === 0xa9fen : bits >> 118n === 0x3fan;
}

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
  /** Bits without host bits, of 128. */
  readonly bits: bigint;
  /** Length of the prefix, of 128. */
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
