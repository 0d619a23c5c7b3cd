import { opaque } from '../types.js';

/** The opaque types of the language (docs/spec/conditions.md#network-functions), named as messages print them. */
export const hierarchy = opaque('authz.lib.hierarchy');
export const ip = opaque('net.IP');
export const cidr = opaque('net.CIDR');
export const spiffeID = opaque('authz.lib.spiffeID');
export const spiffeTrustDomain = opaque('authz.lib.spiffeTrustDomain');
export const spiffeMatcher = opaque('authz.lib.spiffeMatcher');
