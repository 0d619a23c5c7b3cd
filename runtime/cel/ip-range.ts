import { refuse } from './failures.js';
import { maskedBits } from './ip-address.js';
import { isMapped, type ParsedAddress, parseAddress } from './ip-parser.js';
import { CelError, type Result } from './values.js';

/**
 * `s.inIPAddrRange(range)` (conditions.md 2.8). An older, laxer reading than `ip` and `cidr`: an IPv4 address written as IPv6
 * is the IPv4 address, and a prefix length may have leading zeros.
 */
export function inIPAddrRange(s: Result, range: Result): Result {
  if (typeof s !== 'string' || typeof range !== 'string') return refuse('inIPAddrRange', s, range);
  const address = unzoned(s);
  if (address === undefined) return new CelError(`invalid IP address: ${s}`);
  const network = parseNetwork(range);
  if (network === undefined) return new CelError(`invalid CIDR address: ${range}`);
  const bits = asIp6(address);
  return isIp4(bits) === isIp4(network.bits) && maskedBits(bits, 128, network.prefix) === network.bits;
}

interface Network {
  /** Without host bits, of 128. */
  readonly bits: bigint;
  /** Of 128. */
  readonly prefix: number;
}

function unzoned(text: string): ParsedAddress | undefined {
  const parsed = parseAddress(text);
  return parsed instanceof CelError || parsed.zone !== '' ? undefined : parsed;
}

function parseNetwork(text: string): Network | undefined {
  const slash = text.indexOf('/');
  const address = slash < 0 ? undefined : unzoned(text.slice(0, slash));
  const digits = text.slice(slash + 1);
  if (address === undefined || !/^[0-9]+$/.test(digits)) return undefined;
  const length = Number(digits);
  if (length > (address.version === 4 ? 32 : 128)) return undefined;
  const prefix = address.version === 4 ? length + 96 : length;
  return { bits: maskedBits(asIp6(address), 128, prefix), prefix };
}

function asIp6({ version, bits }: ParsedAddress): bigint {
  return version === 4 ? (0xffffn << 32n) | bits : bits;
}

/** A network whose mask cuts the mark of IPv4 off is an IPv6 network. */
function isIp4(bits: bigint): boolean {
  return isMapped({ version: 6, bits, zone: '' });
}
