import { parseAddress } from '../../cel/runtime/ip-parser.js';
import { CelError } from '../../cel/runtime/values.js';

/** `hostname`: labels of ASCII letters, digits and inner hyphens; one final dot is allowed. */
export function isHostname(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return (
    name.length <= 253 &&
    name
      .split('.')
      .every((label) => label.length <= 63 && /^[0-9A-Za-z]$|^[0-9A-Za-z][0-9A-Za-z-]*[0-9A-Za-z]$/.test(label))
  );
}

/** `email`: an address without display name; the domain is a host name or an address in brackets. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 0 || byteLength(text) > 254) return false;
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (byteLength(local) > 64 || !isLocalPart(local)) return false;
  const literal = /^\[(IPv6:)?(.*)\]$/.exec(domain);
  if (literal === null) return isHostname(domain);
  return literal[1] === undefined ? isIpv4(literal[2] ?? '') : isIpv6(literal[2] ?? '');
}

/** `ipv4`: four decimal octets without leading zeros. */
export function isIpv4(text: string): boolean {
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => /^(?:0|[1-9][0-9]{0,2})$/.test(octet) && Number(octet) <= 255);
}

/** `ipv6`, without a zone. */
export function isIpv6(text: string): boolean {
  if (text.length > LONGEST_ADDRESS || !text.includes(':')) return false;
  const address = parseAddress(text);
  return !(address instanceof CelError) && address.zone === '';
}

/** An embedded IPv4 address included. */
const LONGEST_ADDRESS = 45;

function isLocalPart(text: string): boolean {
  return DOT_ATOM.test(text) || QUOTED.test(text);
}

const DOT_ATOM =
  /^[0-9A-Za-z!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+(?:\.[0-9A-Za-z!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+)*$/u;
const QUOTED = /^"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u;

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
