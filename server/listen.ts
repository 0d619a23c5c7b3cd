import { chmodSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { type Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import type { FastifyInstance } from 'fastify';
import type { Address } from './config/address.js';
import { grpcFront } from './tls/grpc-front.js';
import type { ServerTls } from './tls/server-tls.js';

/** The mode that sockets have anyway, and that is therefore not set (server.md 2.2). */
const DEFAULT_SOCKET_MODE = 0o766;

/**
 * Opens the HTTP listener. Gives the address that clients use: `127.0.0.1:3592`, `unix:/path`. Rejects when it cannot be opened.
 *
 * @param socketMode of the socket file; undefined for a file that is the primary process's.
 */
export async function listenHttp(app: FastifyInstance, address: Address, socketMode: number | undefined): Promise<string> {
  if (address.kind === 'unix') {
    if (socketMode !== undefined) rmSync(address.path, { force: true });
    await app.listen({ path: address.path });
    setSocketMode(address.path, socketMode);
    return `unix:${address.path}`;
  }
  // Without a host, `::` takes IPv4 connections too; where there is no IPv6, the wildcard of IPv4 is left.
  if (address.host === undefined) await app.listen({ port: address.port, host: '::' }).catch(() => app.listen({ port: address.port, host: '0.0.0.0' }));
  else await app.listen({ port: address.port, host: address.host });
  const bound = app.server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  return hostAndPort(address.host, port);
}

/** Opens the gRPC listener, as listenHttp does the other; behind TLS, if there is any. */
export async function listenGrpc(server: GrpcServer, address: Address, socketMode: number | undefined, security?: GrpcSecurity): Promise<string> {
  const bind = security === undefined ? (target: BindTarget) => bindPlain(server, target) : bindTo(grpcFront(server, security.tls, security.handshakeTimeout));
  if (address.kind === 'unix') {
    if (socketMode !== undefined) rmSync(address.path, { force: true });
    await bind(address);
    setSocketMode(address.path, socketMode);
    return `unix:${address.path}`;
  }
  const { host, port: wanted } = address;
  const port = host === undefined ? await bind({ host: '::', port: wanted }).catch(() => bind({ host: '0.0.0.0', port: wanted })) : await bind({ host, port: wanted });
  return hostAndPort(host, port);
}

/** Sets the mode of a socket file; undefined for a file that is the primary process's. */
export function setSocketMode(path: string, mode: number | undefined): void {
  if (mode !== undefined && mode !== DEFAULT_SOCKET_MODE) chmodSync(path, mode);
}

/** How gRPC is secured. */
export interface GrpcSecurity {
  readonly tls: ServerTls;
  /** How long a handshake may take, in milliseconds. */
  readonly handshakeTimeout: number;
}

type BindTarget = { readonly host: string; readonly port: number } | { readonly path: string };

function bindPlain(server: GrpcServer, target: BindTarget): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync('path' in target ? `unix:${target.path}` : hostAndPort(target.host, target.port), ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}

/** Binds a listener of the platform; gives its port. */
function bindTo(front: Server): (target: BindTarget) => Promise<number> {
  return (target) =>
    new Promise((resolve, reject) => {
      front.once('error', reject);
      front.listen('path' in target ? { path: target.path } : { ...target }, () => {
        front.off('error', reject);
        const bound = front.address();
        resolve(typeof bound === 'object' && bound !== null ? bound.port : 0);
      });
    });
}

function hostAndPort(host: string | undefined, port: number): string {
  if (host === undefined) return `localhost:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
