import { charge } from './meter.js';
import { quotedText } from './quoted-text.js';
import { CelError } from './values.js';

/** An address as text gives it: with a zone, or an IPv4 address written as IPv6, it is for the caller to judge. */
export interface ParsedAddress {
  readonly version: 4 | 6;
  readonly bits: bigint;
  /** What follows `%`, empty without one. */
  readonly zone: string;
}

/** An IPv4 or IPv6 address, or the message of docs/spec/conditions.md#ip-address-messages from `ParseAddr(` on. */
export function parseAddress(text: string): ParsedAddress | CelError {
  charge(20 + 2 * text.length);
  switch (/[.:%]/.exec(text)?.[0]) {
    case '.':
      return parseIp4(text);
    case ':':
      return parseIp6(text);
    case '%':
      return failure(text, 'missing IPv6 address');
    default:
      return failure(text, 'unable to parse IP');
  }
}

/** Whether an IPv6 address is an IPv4 one in disguise, `::ffff:1.2.3.4`. */
export function isMapped({ version, bits }: ParsedAddress): boolean {
  return version === 6 && bits >> 32n === 0xffffn;
}

function failure(text: string, reason: string, at = ''): CelError {
  return new CelError(`ParseAddr(${quotedText(text)}): ${reason}${at === '' ? '' : ` (at ${quotedText(at)})`}`);
}

function parseIp4(text: string): ParsedAddress | CelError {
  const bits = parseOctets(text, text);
  return bits instanceof CelError ? bits : { version: 4, bits, zone: '' };
}

/** Four octets; `whole` is the text that messages name. */
function parseOctets(whole: string, text: string): bigint | CelError {
  let bits = 0n;
  let octet = '';
  let dots = 0;
  for (const [at, char] of [...text].entries()) {
    if (/^[0-9]$/.test(char)) {
      if (octet === '0') return failure(whole, 'IPv4 field has octet with leading zero');
      octet += char;
      if (Number(octet) > 255) return failure(whole, 'IPv4 field has value >255');
    } else if (char === '.') {
      const rest = text.slice(at);
      if (octet === '' || rest === '.') return failure(whole, 'IPv4 field must have at least one digit', rest);
      if (dots === 3) return failure(whole, 'IPv4 address too long');
      bits = (bits << 8n) | BigInt(octet);
      dots += 1;
      octet = '';
    } else {
      return failure(whole, 'unexpected character', text.slice(at));
    }
  }
  return dots < 3 ? failure(whole, 'IPv4 address too short') : (bits << 8n) | BigInt(octet);
}

function parseIp6(text: string): ParsedAddress | CelError {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') return failure(text, 'zone must be a non-empty string');
  const bits = parseGroups(text, percent < 0 ? text : text.slice(0, percent));
  return bits instanceof CelError ? bits : { version: 6, bits, zone };
}

/** The 16-bit groups read so far, and how many of them stand before the `::`. */
interface Groups {
  readonly values: bigint[];
  ellipsis: number | undefined;
  rest: string;
}

function parseGroups(whole: string, text: string): bigint | CelError {
  const leads = text.startsWith('::');
  const groups: Groups = { values: [], ellipsis: leads ? 0 : undefined, rest: leads ? text.slice(2) : text };
  if (leads && groups.rest === '') return 0n;
  let more = true;
  while (more && groups.values.length < 8) {
    const step = readGroup(whole, groups);
    if (step instanceof CelError) return step;
    more = step;
  }
  if (groups.rest !== '') return failure(whole, 'trailing garbage after address', groups.rest);
  return assemble(whole, groups);
}

/** Reads one group and the colons behind it; whether there may be another. */
function readGroup(whole: string, groups: Groups): boolean | CelError {
  const text = groups.rest;
  const digits = /^[0-9a-fA-F]*/.exec(text)?.[0] ?? '';
  if (digits.length > 4) return failure(whole, 'each group must have 4 or less digits', text);
  if (digits === '') return failure(whole, 'each colon-separated field must have at least one digit', text);
  const rest = text.slice(digits.length);
  if (rest.startsWith('.')) return readEmbeddedIp4(whole, groups);
  groups.values.push(BigInt(`0x${digits}`));
  groups.rest = rest;
  if (rest === '') return false;
  if (!rest.startsWith(':')) return failure(whole, 'unexpected character, want colon', rest);
  if (rest === ':') return failure(whole, 'colon must be followed by more characters', rest);
  groups.rest = rest.slice(1);
  return readEllipsis(whole, groups);
}

function readEllipsis(whole: string, groups: Groups): boolean | CelError {
  if (!groups.rest.startsWith(':')) return true;
  if (groups.ellipsis !== undefined) return failure(whole, 'multiple :: in address', groups.rest);
  groups.ellipsis = groups.values.length;
  groups.rest = groups.rest.slice(1);
  return groups.rest !== '';
}

function readEmbeddedIp4(whole: string, groups: Groups): boolean | CelError {
  if (groups.ellipsis === undefined && groups.values.length !== 6) {
    return failure(whole, 'embedded IPv4 address must replace the final 2 fields of the address', groups.rest);
  }
  if (groups.values.length > 6) {
    return failure(whole, 'too many hex fields to fit an embedded IPv4 at the end of the address', groups.rest);
  }
  const bits = parseOctets(whole, groups.rest);
  if (bits instanceof CelError) return bits;
  groups.values.push(bits >> 16n, bits & 0xffffn);
  groups.rest = '';
  return false;
}

function assemble(whole: string, { values, ellipsis }: Groups): bigint | CelError {
  const missing = 8 - values.length;
  if (missing > 0 && ellipsis === undefined) return failure(whole, 'address string too short');
  if (missing === 0 && ellipsis !== undefined) {
    return failure(whole, 'the :: must expand to at least one field of zeros');
  }
  const all = [
    ...values.slice(0, ellipsis),
    ...Array<bigint>(missing).fill(0n),
    ...values.slice(ellipsis ?? values.length),
  ];
  return all.reduce((bits, group) => (bits << 16n) | group, 0n);
}
