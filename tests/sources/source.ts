import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { newKey, type TestKey } from '../support/archives/keys.js';
import { freePort } from '../support/free-port.js';
import {
  type Bundles,
  compileBundles,
  discard,
  remove,
  type Server,
  startConfigured,
} from '../support/workers/server.js';

/** A source on a fixed port that can be away, and says what it is told to say. */
export class Source {
  requests = 0;
  answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  #server = this.#create();

  constructor(readonly port: number) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}/policies.js`;
  }

  /** Serves a bundle by an ETag that differs for each content. */
  serve(bytes: string | Uint8Array): void {
    const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
    this.answer = (request, response) => {
      if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
      else response.writeHead(200, { etag }).end(bytes);
    };
  }

  async start(): Promise<void> {
    this.#server = this.#create();
    await new Promise<void>((resolve) => this.#server.listen(this.port, '127.0.0.1', resolve));
    assert.is((this.#server.address() as AddressInfo).port, this.port);
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  #create(): ReturnType<typeof createServer> {
    return createServer((request, response) => {
      this.requests += 1;
      this.answer(request, response);
    });
  }
}

/** What the tests of a suite have: servers that trust a key and ask one source. */
export interface SignedSource {
  readonly bundles: Bundles;
  readonly key: TestKey;
  /** With the public key. */
  readonly keyFile: string;
  readonly source: Source;
  readonly start: (...sets: readonly string[]) => Promise<Server>;
  /** Of the current test. */
  readonly servers: Server[];
  readonly newCache: () => string;
}

/** Starts a source for each test of a suite, and ends it with the servers of the test. */
export async function signedSource(test: Test): Promise<SignedSource> {
  const bundles = compileBundles();
  const key = await newKey('ed25519');
  const keyFile = join(bundles.folder, 'keys.pem');
  writeFileSync(keyFile, key.publicPem);
  const servers: Server[] = [];
  const source = new Source(await freePort());
  test.before.each(() => source.start());
  test.after.each(async () => {
    discard(servers);
    await source.stop().catch(() => undefined);
  });
  test.after(() => remove(bundles.folder));
  return {
    bundles,
    key,
    keyFile,
    source,
    servers,
    start: async (...sets) => {
      const server = await startConfigured(bundles.folder, [
        `bundle.source=${source.url}`,
        'server.workers=1',
        'bundle.poll.interval=1s,bundle.poll.jitter=0,bundle.poll.timeout=2m,bundle.startTimeout=0s,bundle.proxy.url=',
        `bundle.trust.keys[0]=${keyFile}`,
        ...sets,
      ]);
      servers.push(server);
      return server;
    },
    newCache: () => mkdtempSync(join(bundles.folder, 'cache-')),
  };
}
