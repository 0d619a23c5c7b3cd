import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { peerAddress, peerIp } from './peer-address.js';

test('an address has its port, in brackets if it has colons; one of IPv4 is written as such', () => {
  for (const [ip, port, expected] of [
    ['127.0.0.1', 3592, '127.0.0.1:3592'],
    ['192.168.100.200', 3592, '192.168.100.200:3592'],
    ['::ffff:192.168.100.200', 3592, '192.168.100.200:3592'],
    ['::1', 3592, '[::1]:3592'],
    ['::ffff:0:1', 3592, '[::ffff:0:1]:3592'],
    ['fd00::1%eth0', undefined, '[fd00::1%eth0]:0'],
    ['10.0.0.1', undefined, '10.0.0.1:0'],
    [undefined, 3592, '@'],
  ] as const)
    assert.is(peerAddress(ip, port), expected);
  assert.is(peerIp('::ffff:10.0.0.1'), '10.0.0.1');
});

test.run();
