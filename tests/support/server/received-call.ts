import type { Call } from '../../../server/service/call.js';

/** A call as a transport hands it to the service: over REST and TLS, with the headers that are given. */
export function receivedCall(headers: readonly (readonly [string, string])[] = [], isEncrypted = true): Call {
  return {
    method: 'm',
    protocol: 'rest',
    timestamp: 0,
    start: 0,
    id: '',
    peer: () => ({ address: '', authInfo: '', userAgent: '', forwardedFor: '' }),
    metadata: () => new Map(headers.map(([name, value]) => [name, [value]])),
    header: () => undefined,
    host: () => 'here:3592',
    isEncrypted: () => isEncrypted,
  };
}
