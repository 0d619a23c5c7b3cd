import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from '../../cel/runtime/index.js';
import { parseAddress } from '../../cel/runtime/ip-parser.js';
import { isInRange } from './networks.js';

const ADDRESSES = [
  '10.0.0.0',
  '10.127.255.255',
  '10.128.0.0',
  '9.255.255.255',
  '0.0.0.0',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:a80:0',
  '::fffe:ffff:ffff',
  '::1:0:0:0',
  '2001:db8::1',
  '2001:db9::',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
];

const RANGES = [
  '10.0.0.0/8',
  '10.0.0.0/9',
  '10.128.0.0/9',
  '10.1.2.3/9',
  '0.0.0.0/0',
  '10.0.0.1/32',
  '::/0',
  '::/1',
  '::/80',
  '::ffff:0:0/96',
  '::ffff:10.0.0.0/104',
  '::fffe:0:0/95',
  '2001:db8::/32',
  '2001:db8::1/31',
  '::1/128',
];

test('a number is in a range where inIPAddrRange says so', () => {
  let known = 0;
  for (const range of RANGES)
    for (const text of ADDRESSES) {
      const bits = parseBits(text);
      const term = isInRange(range, 'x');
      if (term === undefined) continue;
      known += 1;
      assert.is(evaluateTerm(term, bits), cel.inIPAddrRange(text, range), `${text} in ${range}`);
    }
  assert.ok(known > 150);
});

test('a range that is none, or that only inIPAddrRange reads, is not known', () => {
  for (const range of [
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0/8',
    '10.0.0.0',
    '::ffff:10.0.0.0/104',
    'fe80::%eth0/64',
    '',
  ])
    assert.is(isInRange(range, 'x'), undefined, range);
});

test.run();

/** An address as a number of 128 bits. */
function parseBits(text: string): bigint {
  const address = parseAddress(text);
  if (address instanceof cel.CelError) throw new Error(address.message);
  return address.version === 4 ? (0xffffn << 32n) + address.bits : address.bits;
}

/** The value of a term with `<=`, `and` and `not`. */
function evaluateTerm(term: string, x: bigint): boolean {
  const toNumber = (text = ''): bigint => (text === 'x' ? x : BigInt(text));
  const values = term
    .replaceAll(/\(<= (\w+) (\w+) (\w+)\)/g, (_, a, b, c) =>
      String(toNumber(a) <= toNumber(b) && toNumber(b) <= toNumber(c)),
    )
    .replaceAll(/\(not (true|false)\)/g, (_, value) => String(value === 'false'))
    .replaceAll(/\(and (true|false) (true|false)\)/g, (_, a, b) => String(a === 'true' && b === 'true'));
  if (values !== 'true' && values !== 'false') throw new Error(`not evaluated: ${values}`);
  return values === 'true';
}
