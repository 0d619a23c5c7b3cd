import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure, type ConnectionOptions } from 'node:tls';
import type { Address } from '../../server/config/address.js';
import type { HealthTarget, HealthTls } from './target.js';

/**
 * Connects to a server, securely if it is to be, by the protocol (ALPN) that will be spoken. Rejects when it cannot, or
 * when the certificate will not do. The connection ends with the signal.
 */
export function openConnection(
  { address, tls }: HealthTarget,
  protocol: 'h2' | 'http/1.1',
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (tls === undefined) {
      const socket = connectPlain(placeOf(address), () => resolve(socket));
      socket.once('error', reject);
      signal.addEventListener('abort', () => socket.destroy());
      return;
    }
    const socket = connectSecure({ ...placeOf(address), ...trustOf(tls), ALPNProtocols: [protocol] }, () => {
      const isPinned = tls.kind !== 'pinned' || socket.getPeerX509Certificate()?.raw.equals(tls.certificate) === true;
      if (isPinned) resolve(socket);
      else socket.destroy(new Error('the server presents another certificate than the configuration names'));
    });
    socket.once('error', reject);
    signal.addEventListener('abort', () => socket.destroy());
  });
}

function placeOf(
  address: Address,
): { readonly path: string } | { readonly host: string; readonly port: number; readonly servername?: string } {
  if (address.kind === 'unix') return { path: address.path };
  const host = address.host ?? '127.0.0.1';
  return { host: WILDCARDS.includes(host) ? '127.0.0.1' : host, port: address.port };
}

/** Hosts that listen and cannot be connected to. */
const WILDCARDS = ['0.0.0.0', '::'];

function trustOf(tls: HealthTls): ConnectionOptions {
  switch (tls.kind) {
    case 'any':
    case 'pinned':
      return { rejectUnauthorized: false };
    case 'authority':
      return tls.ca === undefined ? {} : { ca: tls.ca };
  }
}
