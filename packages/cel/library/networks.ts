import { global, member, row, rowAs, type FunctionSection } from './function.js';
import { bool, cidr, int, ip, string } from './types.js';

/** docs/spec/conditions.md#network-functions. */
export const networks: FunctionSection = {
  title: 'Networks',
  rows: [
    rowAs(
      'ip',
      'toIp',
      { meaning: 'Parses an IP address.', examples: [['ip("10.0.0.1") == ip("10.0.0.1")', 'true']] },
      global([string], ip),
    ),
    rowAs(
      'ip',
      'cidrIp',
      { meaning: 'Returns the address of a CIDR.', examples: [['string(cidr("10.1.0.0/16").ip())', '"10.1.0.0"']] },
      member([cidr], ip),
    ),
    rowAs(
      'cidr',
      'toCidr',
      {
        meaning: 'Parses a network in CIDR notation.',
        examples: [['cidr("10.0.0.0/8").containsIP("10.1.2.3")', 'true']],
      },
      global([string], cidr),
    ),
    row(
      'isIP',
      { meaning: 'Returns whether a string is an IP address.', examples: [['isIP("300.1.1.1")', 'false']] },
      global([string], bool),
    ),
    row(
      'isCIDR',
      {
        meaning: 'Returns whether a string is a network in CIDR notation.',
        examples: [['isCIDR("10.0.0.0/8")', 'true']],
      },
      global([string], bool),
    ),
    row(
      'ip.isCanonical',
      {
        meaning: 'Returns whether an address is written in the canonical form of RFC 5952.',
        examples: [['ip.isCanonical("2001:DB8::1")', 'false']],
      },
      global([string], bool),
    ),
    row(
      'family',
      { meaning: 'Returns the IP version, 4 or 6.', examples: [['ip("::1").family()', '6']] },
      member([ip], int),
    ),
    row(
      'isLoopback',
      {
        meaning: 'Returns whether an address is a loopback address.',
        examples: [['ip("127.0.0.1").isLoopback()', 'true']],
      },
      member([ip], bool),
    ),
    row(
      'isGlobalUnicast',
      {
        meaning: 'Returns whether an address is a global unicast address. This includes private addresses.',
        examples: [['ip("10.0.0.1").isGlobalUnicast()', 'true']],
      },
      member([ip], bool),
    ),
    row(
      'isLinkLocalMulticast',
      {
        meaning: 'Returns whether an address is a link-local multicast address.',
        examples: [['ip("224.0.0.1").isLinkLocalMulticast()', 'true']],
      },
      member([ip], bool),
    ),
    row(
      'isLinkLocalUnicast',
      {
        meaning: 'Returns whether an address is a link-local unicast address.',
        examples: [['ip("fe80::1").isLinkLocalUnicast()', 'true']],
      },
      member([ip], bool),
    ),
    row(
      'isUnspecified',
      { meaning: 'Returns whether an address is all zeros.', examples: [['ip("0.0.0.0").isUnspecified()', 'true']] },
      member([ip], bool),
    ),
    row(
      'containsIP',
      {
        meaning: 'Returns whether a network contains an address.',
        examples: [['cidr("192.168.0.0/24").containsIP(ip("192.168.1.1"))', 'false']],
      },
      member([cidr, ip], bool),
      member([cidr, string], bool),
    ),
    row(
      'containsCIDR',
      {
        meaning: 'Returns whether a network contains another network.',
        examples: [['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', 'true']],
      },
      member([cidr, cidr], bool),
      member([cidr, string], bool),
    ),
    row(
      'isMask',
      { meaning: 'Returns whether no host bits are set.', examples: [['cidr("10.0.0.5/8").isMask()', 'false']] },
      member([cidr], bool),
    ),
    row(
      'masked',
      {
        meaning: 'Returns the network with its host bits cleared.',
        examples: [['string(cidr("10.0.0.5/8").masked())', '"10.0.0.0/8"']],
      },
      member([cidr], cidr),
    ),
    row(
      'prefixLength',
      { meaning: 'Returns the length of the prefix in bits.', examples: [['cidr("10.0.0.0/8").prefixLength()', '8']] },
      member([cidr], int),
    ),
    row(
      'inIPAddrRange',
      {
        meaning: 'Returns whether an address is in a network, both given as strings.',
        examples: [['"10.20.0.5".inIPAddrRange("10.20.0.0/16")', 'true']],
      },
      member([string, string], bool),
    ),
  ],
};
