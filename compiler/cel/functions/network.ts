import type { CelFunction } from '../function.js';
import { bool, int, string } from '../types.js';
import { cidr, ip } from './opaque.js';
import { global, member, row, rowAs } from './row.js';

/**
 * docs/spec/conditions.md#network-functions. The table has one row a name, so `ip(text)` and `<cidr>.ip()` are two rows
 * of the same name: they differ in form, and the checker takes the row whose form fits.
 */
export const networkFunctions: readonly CelFunction[] = [
  rowAs('ip', 'toIp', global([string], ip)),
  rowAs('ip', 'cidrIp', member([cidr], ip)),
  rowAs('cidr', 'toCidr', global([string], cidr)),
  row('isIP', global([string], bool)),
  row('isCIDR', global([string], bool)),
  row('ip.isCanonical', global([string], bool)),
  row('family', member([ip], int)),
  row('isLoopback', member([ip], bool)),
  row('isGlobalUnicast', member([ip], bool)),
  row('isLinkLocalMulticast', member([ip], bool)),
  row('isLinkLocalUnicast', member([ip], bool)),
  row('isUnspecified', member([ip], bool)),
  row('containsIP', member([cidr, ip], bool), member([cidr, string], bool)),
  row('containsCIDR', member([cidr, cidr], bool), member([cidr, string], bool)),
  row('isMask', member([cidr], bool)),
  row('masked', member([cidr], cidr)),
  row('prefixLength', member([cidr], int)),
  row('inIPAddrRange', member([string, string], bool)),
];
