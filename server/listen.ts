import { chmodSync, rmSync } from 'node:fs';
import { type Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import type { FastifyInstance } from 'fastify';
import type { Address } from './config/address.js';

/** The mode that sockets have anyway, and that is therefore not set (server.md 2.2). */
const DEFAULT_SOCKET_MODE = 0o766;

/** Opens the HTTP listener. Gives the address that clients use: `127.0.0.1:3592`, `unix:/path`. Rejects when it cannot be opened. */
export async function listenHttp(app: FastifyInstance, address: Address, socketMode: number): Promise<string> {
  if (address.kind === 'unix') {
    rmSync(address.path, { force: true });
    await app.listen({ path: address.path });
    setMode(address.path, socketMode);
    return `unix:${address.path}`;
  }
  // Without a host, `::` takes IPv4 connections too; where there is no IPv6, the wildcard of IPv4 is left.
  if (address.host === undefined) await app.listen({ port: address.port, host: '::' }).catch(() => app.listen({ port: address.port, host: '0.0.0.0' }));
  else await app.listen({ port: address.port, host: address.host });
  const bound = app.server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  return hostAndPort(address.host, port);
}

/** Opens the gRPC listener, as listenHttp does the other. */
export async function listenGrpc(server: GrpcServer, address: Address, socketMode: number): Promise<string> {
  if (address.kind === 'unix') {
    rmSync(address.path, { force: true });
    await bind(server, `unix:${address.path}`);
    setMode(address.path, socketMode);
    return `unix:${address.path}`;
  }
  const port =
    address.host === undefined
      ? await bind(server, `[::]:${address.port}`).catch(() => bind(server, `0.0.0.0:${address.port}`))
      : await bind(server, hostAndPort(address.host, address.port));
  return hostAndPort(address.host, port);
}

function bind(server: GrpcServer, target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(target, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port);
      else reject(error);
    });
  });
}

function setMode(path: string, mode: number): void {
  if (mode !== DEFAULT_SOCKET_MODE) chmodSync(path, mode);
}

function hostAndPort(host: string | undefined, port: number): string {
  if (host === undefined) return `localhost:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
