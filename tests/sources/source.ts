import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as assert from 'uvu/assert';

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
