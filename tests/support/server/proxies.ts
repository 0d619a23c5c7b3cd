import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.js';
import { LAST_RESORT, until } from '../timeout.js';

/** A proxy in front of a service, which asks the gateway about each request. */
export interface Proxy {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** A request that reached the service behind a proxy. */
export interface Reached {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** A service that records its requests. */
export interface Upstream {
  readonly port: number;
  readonly reached: Reached[];
  readonly close: () => Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const reached: Reached[] = [];
  const server = createServer((request, response) => {
    reached.push({ method: request.method ?? '', target: request.url ?? '', headers: pairsOf(request) });
    request.resume();
    response.end('reached');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: (server.address() as AddressInfo).port, reached, close };
}

function pairsOf({ rawHeaders }: IncomingMessage): readonly (readonly [string, string])[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] as string] as const] : [],
  );
}

export const NGINX = '/usr/sbin/nginx';
export const CADDY = '/usr/bin/caddy';

/** @param gateway `host:port` of the server with the gateway. */
export async function startNginx(gateway: string, upstream: number): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-nginx-'));
  const port = await freePort();
  for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name));
  // As permissive as nginx can be about headers: underscores and invalid names are passed on.
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off;
pid ${folder}/pid;
error_log ${folder}/error.log;
worker_processes 1;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  underscores_in_headers on;
  ignore_invalid_headers off;
  large_client_header_buffers 4 32k;
  server {
    listen 127.0.0.1:${port};
    location / {
      auth_request /_authz_check;
      auth_request_set $authz_principal $upstream_http_x_authz_principal;
      auth_request_set $authz_roles $upstream_http_x_authz_roles;
      auth_request_set $authz_department $upstream_http_x_authz_department;
      proxy_set_header X-Authz-Principal $authz_principal;
      proxy_set_header X-Authz-Roles $authz_roles;
      proxy_set_header X-Authz-Department $authz_department;
      proxy_pass http://127.0.0.1:${upstream};
    }
    location = /_authz_check {
      internal;
      proxy_pass http://${gateway}/_authz/forward-auth;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header X-Forwarded-Method $request_method;
      proxy_set_header X-Forwarded-Uri $request_uri;
    }
  }
}
`,
  );
  const child = spawn(NGINX, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  return running(child, port, folder);
}

/** @param gateway `host:port` of the server with the gateway. */
export async function startCaddy(gateway: string, upstream: number): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-caddy-'));
  const port = await freePort();
  writeFileSync(
    join(folder, 'Caddyfile'),
    `{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  forward_auth ${gateway} {
    uri /_authz/forward-auth
    copy_headers X-Authz-Principal X-Authz-Roles X-Authz-Department
  }
  reverse_proxy 127.0.0.1:${upstream}
}
`,
  );
  const child = spawn(CADDY, ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
    stdio: 'ignore',
    env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  return running(child, port, folder);
}

/** Waits until the proxy accepts connections. */
async function running(child: ChildProcess, port: number, folder: string): Promise<Proxy> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const close = async (): Promise<void> => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  await until(() => {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}`);
    return accepts(port);
  }, `a connection to ${child.spawnfile}`);
  return { port, close };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export function isInstalled(program: string): boolean {
  return existsSync(program);
}

/**
 * Sends bytes on a connection of their own. Returns the statuses of the answers, in order: none if the proxy only closed
 * the connection.
 *
 * @param silence how long a proxy may send nothing, in milliseconds, before the client goes.
 */
export function sendRaw(port: number, bytes: string, silence = LAST_RESORT): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    const done = (): void => {
      socket.destroy();
      const text = Buffer.concat(chunks).toString('latin1');
      resolve([...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status)));
    };
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.once('end', done);
    socket.once('error', done);
    socket.setTimeout(silence, done);
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}
