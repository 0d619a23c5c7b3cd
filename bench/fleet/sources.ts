import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pushArchive } from '../../server/bundle/oci/artifact.js';
import { openRegistry } from '../../server/bundle/oci/open-registry.js';
import { bundleConfig } from '../../tests/support/sources/config.js';
import { type Daemon, startFileServer, startRegistry } from '../../tests/support/sources/daemons.js';
import type { PolledSource } from './pollers.js';

/** A source on loopback that many servers ask. */
export interface FleetSource {
  readonly name: string;
  readonly polled: PolledSource;
  readonly publish: (archive: Uint8Array) => Promise<void>;
  /** Its CPU time since it started, in milliseconds. Undefined if its process does other work, too. */
  readonly cpu: () => number | undefined;
  /** Stops it for some time. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Nginx, which serves the bundle as a file. */
export async function nginx(): Promise<FleetSource> {
  const files = mkdtempSync(join(tmpdir(), 'authz-fleet-'));
  const daemon = await startFileServer({ files });
  return {
    name: 'nginx',
    polled: { kind: 'http', url: `http://127.0.0.1:${daemon.port}/policies.authzbundle` },
    publish: async (archive) => {
      const next = join(files, randomUUID());
      writeFileSync(next, archive, { mode: 0o644 });
      renameSync(next, join(files, 'policies.authzbundle'));
    },
    ...controlOf(daemon),
    close: async () => {
      await daemon.close();
      rmSync(files, { recursive: true, force: true });
    },
  };
}

/** The registry of Docker, with the bundle under a tag. */
export async function dockerRegistry(): Promise<FleetSource> {
  const daemon = await startRegistry();
  const host = `127.0.0.1:${daemon.port}`;
  const config = bundleConfig(`oci://${host}/policies/shop`, { 'oci.plainHttp': 'true' });
  if (config.source.kind !== 'oci') throw new Error('not a registry');
  const { registry, client } = openRegistry({ ...config, reference: config.source.reference, actions: 'pull,push' });
  return {
    name: 'docker-registry',
    polled: { kind: 'oci', url: `http://${host}/policies/shop:live` },
    publish: async (archive) => {
      await pushArchive(registry, { tag: 'live', archive, fileName: 'policies.authzbundle', annotations: {} });
    },
    ...controlOf(daemon),
    close: async () => {
      await client.close();
      await daemon.close();
    },
  };
}

/** A server that holds requests until there is a new version (`Prefer: wait`), in this process. */
export async function holdingServer(): Promise<FleetSource> {
  let current: { readonly etag: string; readonly archive: Uint8Array } | undefined;
  const held = new Map<ServerResponse, NodeJS.Timeout>();
  const answer = (response: ServerResponse, known: string | undefined): void => {
    if (current === undefined) response.writeHead(404).end();
    else if (current.etag === known) response.writeHead(304).end();
    else {
      response.writeHead(200, { etag: current.etag, 'preference-applied': 'wait' });
      response.end(current.archive);
    }
  };
  const server = createServer(({ headers }, response) => {
    const known = headers['if-none-match'];
    const wait = Number(/\bwait=(\d+)/.exec(String(headers['prefer']))?.[1] ?? 0);
    if (wait === 0 || known !== current?.etag) return answer(response, known);
    held.set(
      response,
      setTimeout(() => release(response), wait * 1000),
    );
    response.once('close', () => {
      clearTimeout(held.get(response));
      held.delete(response);
    });
  });
  const release = (response: ServerResponse): void => {
    clearTimeout(held.get(response));
    held.delete(response);
    answer(response, response.req.headers['if-none-match']);
  };
  const { port } = await new Promise<AddressInfo>((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => resolve(server.address() as AddressInfo));
  });
  const unsupported = async (): Promise<void> => {
    throw new Error('cannot be stopped');
  };
  return {
    name: 'long polling',
    polled: { kind: 'http', url: `http://127.0.0.1:${port}/policies.authzbundle` },
    publish: async (archive) => {
      current = { etag: `"${randomUUID()}"`, archive };
      for (const response of [...held.keys()]) release(response);
    },
    cpu: () => undefined,
    stop: unsupported,
    start: unsupported,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function controlOf({ pid, start, stop }: Daemon): Pick<FleetSource, 'cpu' | 'start' | 'stop'> {
  return {
    start,
    stop,
    cpu: () => {
      const parent = pid();
      return parent === undefined ? undefined : [parent, ...childrenOf(parent)].reduce((sum, id) => sum + cpuOf(id), 0);
    },
  };
}

/** In milliseconds. The kernel counts in hundredths of a second. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function childrenOf(pid: number): readonly number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return list === '' ? [] : list.split(' ').map(Number);
}
