import type { CelFunction } from '../function.js';
import { bool, listOf, string } from '../types.js';
import { spiffeID, spiffeMatcher, spiffeTrustDomain } from './opaque.js';
import { global, member, row, rowAs } from './row.js';

/**
 * docs/spec/conditions.md#path-and-spiffe-functions, SPIFFE. `<trust domain>.id()` is the identity function (core.ts).
 */
export const spiffeFunctions: readonly CelFunction[] = [
  row('spiffeID', global([string], spiffeID)),
  row('spiffeTrustDomain', global([string], spiffeTrustDomain)),
  row('spiffeMatchAny', global([], spiffeMatcher)),
  row('spiffeMatchExact', global([spiffeID], spiffeMatcher), global([string], spiffeMatcher)),
  row('spiffeMatchOneOf', global([listOf(spiffeID)], spiffeMatcher), global([listOf(string)], spiffeMatcher)),
  row('spiffeMatchTrustDomain', global([spiffeTrustDomain], spiffeMatcher), global([string], spiffeMatcher)),
  rowAs('path', 'spiffePath', member([spiffeID], string)),
  row('trustDomain', member([spiffeID], spiffeTrustDomain)),
  row('isMemberOf', member([spiffeID, spiffeTrustDomain], bool)),
  rowAs('name', 'spiffeName', member([spiffeTrustDomain], string)),
  row('matchesID', member([spiffeMatcher, spiffeID], bool), member([spiffeMatcher, string], bool)),
];
