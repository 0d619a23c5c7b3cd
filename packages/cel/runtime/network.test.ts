import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  cidrIp,
  containsCIDR,
  containsIP,
  family,
  inIPAddrRange,
  ipIsCanonical,
  isCIDR,
  isGlobalUnicast,
  isIP,
  isLinkLocalMulticast,
  isLinkLocalUnicast,
  isLoopback,
  isMask,
  isUnspecified,
  masked,
  prefixLength,
  toCidr,
  toIp,
} from './network.js';
import { CelError, Opaque, type Result } from './values.js';

const shown = (result: Result) => {
  if (result instanceof CelError) return result.message;
  return result instanceof Opaque ? result.toText() : result;
};

test('an address prints in its canonical form', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['1.2.3.4', '1.2.3.4'],
    ['2001:0DB8:0000:0000:0000:0000:1000:0000', '2001:db8::1000:0'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:0:2:3:0:0:4', '1::2:3:0:0:4'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ];
  for (const [text, canonical] of cases) assert.is(shown(toIp(text)), canonical);
  assert.is(ipIsCanonical('2001:db8::1'), true);
  assert.is(ipIsCanonical('2001:DB8::1'), false);
});

test('the error for an invalid address has the reason', () => {
  const reasons: readonly (readonly [string, string])[] = [
    ['', 'unable to parse IP'],
    ['héllo', 'unable to parse IP'],
    ['1.2.3.256', 'IPv4 field has value >255'],
    ['1.2.3.04', 'IPv4 field has octet with leading zero'],
    ['1..2.3', 'IPv4 field must have at least one digit (at ".2.3")'],
    ['1.2.3.', 'IPv4 field must have at least one digit (at ".")'],
    ['1.2.3.4.5', 'IPv4 address too long'],
    ['1.2.3', 'IPv4 address too short'],
    ['1.2.3.4/8', 'unexpected character (at "/8")'],
    ['1:2', 'address string too short'],
    ['::1::', 'multiple :: in address (at ":")'],
    ['12345::', 'each group must have 4 or less digits (at "12345::")'],
    [':::', 'each colon-separated field must have at least one digit (at ":")'],
    ['1:', 'colon must be followed by more characters (at ":")'],
    ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
    ['1::2:3:4:5:6:7:8', 'the :: must expand to at least one field of zeros'],
    ['::1.2.3', 'IPv4 address too short'],
    ['fe80::1%', 'zone must be a non-empty string'],
  ];
  for (const [text, reason] of reasons) {
    const message = `IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): ${reason}`;
    assert.is(shown(toIp(text)), message);
    assert.is(isIP(text), false);
  }
  assert.is(shown(toIp('fe80::1%eth0')), 'IP address "fe80::1%eth0" with zone value is not allowed');
  assert.is(shown(toIp('::ffff:1.2.3.4')), 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed');
  assert.is(shown(toIp(5)), 'no such overload: ip(double)');
});

test('the error for an invalid network has the reason', () => {
  const reasons: readonly (readonly [string, string])[] = [
    ['1.2.3.4', "no '/'"],
    ['1.2.3.4/', 'bad bits after slash: ""'],
    ['1.2.3.4/08', 'bad bits after slash: "08"'],
    ['1.2.3.4/+8', 'bad bits after slash: "+8"'],
    ['1.2.3.4/33', 'prefix length out of range'],
    ['::/129', 'prefix length out of range'],
    ['fe80::1%e/10', 'IPv6 zones cannot be present in a prefix'],
    ['1.2.3/8', 'ParseAddr("1.2.3"): IPv4 address too short'],
  ];
  for (const [text, reason] of reasons) {
    const message = `CIDR "${text}" parse error during conversion from string: netip.ParsePrefix("${text}"): ${reason}`;
    assert.is(shown(toCidr(text)), message);
    assert.is(isCIDR(text), false);
  }
  assert.is(shown(toCidr('::ffff:1.2.3.4/96')), 'IPv4-mapped IPv6 address "::ffff:1.2.3.4/96" is not allowed');
});

test('a network keeps its host bits until masked', () => {
  const cidr = toCidr('10.0.0.5/8');
  assert.is(shown(cidr), '10.0.0.5/8');
  assert.is(shown(cidrIp(cidr)), '10.0.0.5');
  assert.is(shown(masked(cidr)), '10.0.0.0/8');
  assert.is(isMask(cidr), false);
  assert.is(isMask(masked(cidr)), true);
  assert.is(prefixLength(cidr), 8n);
  assert.not((cidr as Opaque).equalTo(toCidr('10.0.0.0/8') as Opaque));
  assert.ok((masked(cidr) as Opaque).equalTo(toCidr('10.0.0.0/8') as Opaque));
  assert.is((toIp('10.0.0.1') as Opaque).equalTo('10.0.0.1'), false);
});

test('containment is false across address families', () => {
  const ten = toCidr('10.0.0.0/8');
  assert.is(containsIP(ten, '10.1.1.1'), true);
  assert.is(containsIP(ten, toIp('11.1.1.1')), false);
  assert.is(containsIP(ten, '::1'), false);
  assert.is(containsCIDR(ten, ten), true);
  assert.is(containsCIDR(ten, '10.2.0.0/16'), true);
  assert.is(containsCIDR(ten, '0.0.0.0/0'), false);
  assert.is(shown(containsIP(ten, null)), 'no such overload: containsIP(net.CIDR, null_type)');
  assert.is(shown(containsCIDR(ten, 5)), 'no such overload: containsCIDR(net.CIDR, double)');
  assert.is(shown(cidrIp('a.b')), 'no such overload: ip(string)');
});

test('predicates classify addresses', () => {
  const kinds = [isLoopback, isGlobalUnicast, isLinkLocalMulticast, isLinkLocalUnicast, isUnspecified];
  const which = (text: string) => kinds.filter((kind) => kind(toIp(text)) === true).map((kind) => kind.name);
  assert.equal(which('127.0.0.1'), ['isLoopback']);
  assert.equal(which('::1'), ['isLoopback']);
  assert.equal(which('10.0.0.1'), ['isGlobalUnicast']);
  assert.equal(which('fd00::1'), ['isGlobalUnicast']);
  assert.equal(which('255.255.255.255'), []);
  assert.equal(which('224.0.0.1'), ['isLinkLocalMulticast']);
  assert.equal(which('224.0.1.1'), []);
  assert.equal(which('ff02::1'), ['isLinkLocalMulticast']);
  assert.equal(which('ff01::1'), []);
  assert.equal(which('169.254.0.1'), ['isLinkLocalUnicast']);
  assert.equal(which('fe80::1'), ['isLinkLocalUnicast']);
  assert.equal(which('0.0.0.0'), ['isUnspecified']);
  assert.equal(which('::'), ['isUnspecified']);
  assert.is(family(toIp('::1')), 6n);
});

test('inIPAddrRange treats mapped addresses as IPv4 and parses prefixes leniently', () => {
  const cases: readonly (readonly [string, string, boolean | string])[] = [
    ['10.0.0.1', '10.0.0.0/8', true],
    ['10.0.0.1', '11.0.0.0/8', false],
    ['10.0.0.1', '10.0.0.5/08', true],
    ['::ffff:10.0.0.1', '10.0.0.0/8', true],
    ['10.0.0.1', '::ffff:10.0.0.0/104', true],
    ['10.0.0.1', '::/0', false],
    ['::ffff:10.0.0.1', '::/0', false],
    ['2001:db8::1', '2001:db8::/48', true],
    ['10.0.0', '10.0.0.0/8', 'invalid IP address: 10.0.0'],
    ['fe80::1%eth0', '::/0', 'invalid IP address: fe80::1%eth0'],
    ['10.0.0.1', '10.0.0.0/33', 'invalid CIDR address: 10.0.0.0/33'],
    ['10.0.0.1', 'a.b', 'invalid CIDR address: a.b'],
    ['10.0.0.1', '10.0.0.0/', 'invalid CIDR address: 10.0.0.0/'],
  ];
  for (const [ip, range, result] of cases) assert.is(shown(inIPAddrRange(ip, range)), result, `${ip} in ${range}`);
  assert.is(shown(inIPAddrRange(5, '::/0')), 'no such overload: inIPAddrRange(double, string)');
});

test.run();
