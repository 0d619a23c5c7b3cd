import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { SignatureV4 } from '@smithy/signature-v4';
import type { TestCertificate } from '../certificate.js';

/** The one access key of the storage below. */
export const S3_KEY = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER' } as const;
const REGION = 'us-east-1';

export interface S3Storage {
  readonly endpoint: string;
  /** The contents of all objects by their keys, in the order of the keys. */
  readonly objects: () => ReadonlyMap<string, Buffer>;
  readonly close: () => Promise<void>;
}

export interface S3StorageOptions {
  readonly bucket: string;
  readonly certificate?: Pick<TestCertificate, 'cert' | 'key'>;
  /** Default: a free one. */
  readonly port?: number;
  /** Default: a temporary folder of its own. */
  readonly folder?: string;
}

/** The declarations of the package that are used here; it brings none. */
type S3rver = new (options: {
  readonly address: string;
  readonly port: number;
  readonly silent: boolean;
  readonly directory: string;
  readonly configureBuckets: readonly { readonly name: string }[];
}) => { readonly run: () => Promise<{ readonly port: number }>; readonly close: () => Promise<void> };

/**
 * An S3-compatible storage on loopback, with one bucket in the region us-east-1. The package keeps objects but ignores
 * signatures of version 4, so a server before it verifies them with the signer of the AWS SDK.
 */
export async function startS3({ bucket, certificate, port = 0, folder }: S3StorageOptions): Promise<S3Storage> {
  // @ts-expect-error no declarations
  const { default: S3rver } = (await import('s3rver')) as { readonly default: S3rver };
  const directory = folder ?? mkdtempSync(join(tmpdir(), 'authz-s3-'));
  const options = { address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: bucket }] };
  const storage = new S3rver(options);
  const { port: storagePort } = await storage.run();
  const handle: RequestListener = async (incoming, response) => {
    const body = await buffer(incoming).catch(() => undefined);
    // The client is gone, or the storage is being closed.
    if (body === undefined) return;
    if (!(await isSigned(incoming, body))) {
      response
        .writeHead(403)
        .end('<Error><Code>SignatureDoesNotMatch</Code><Message>wrong signature</Message></Error>');
      return;
    }
    const { method, url, headers } = incoming;
    request({ host: '127.0.0.1', port: storagePort, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(response);
    })
      .on('error', () => response.destroy())
      .end(body);
  };
  const front =
    certificate === undefined
      ? createServer(handle)
      : createSecureServer({ cert: certificate.cert, key: certificate.key }, handle);
  await new Promise<void>((resolve) => front.listen(port, '127.0.0.1', resolve));
  const scheme = certificate === undefined ? 'http' : 'https';
  return {
    endpoint: `${scheme}://127.0.0.1:${(front.address() as AddressInfo).port}`,
    objects: () => objectsIn(join(directory, bucket)),
    close: async () => {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      await storage.close();
      if (folder === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The package keeps the content of an object in a file whose name ends in `._S3rver_object`. */
function objectsIn(folder: string): ReadonlyMap<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(CONTENT));
  return new Map(files.sort().map((name) => [name.slice(0, -CONTENT.length), readFileSync(join(folder, name))]));
}

const CONTENT = '._S3rver_object';

const signer = new SignatureV4({
  service: 's3',
  region: REGION,
  credentials: { accessKeyId: S3_KEY.AWS_ACCESS_KEY_ID, secretAccessKey: S3_KEY.AWS_SECRET_ACCESS_KEY },
  uriEscapePath: false,
  applyChecksum: false,
  sha256: class {
    readonly #hash;

    constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
      this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
    }
    update(data: string | ArrayBuffer | ArrayBufferView): void {
      this.#hash.update(bytesOf(data));
    }
    async digest(): Promise<Uint8Array> {
      return this.#hash.digest();
    }
    reset(): void {}
  },
});

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}

/** Whether a request has the signature that the AWS SDK gives it, over its headers and its body. */
async function isSigned({ method, url, headers }: IncomingMessage, body: Buffer): Promise<boolean> {
  const authorization = headers.authorization ?? '';
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? [];
  const stamp = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date']));
  const digest = headers['x-amz-content-sha256'];
  if (stamp === null || digest !== createHash('sha256').update(body).digest('hex')) return false;
  const [, year, month, day, hour, minute, second] = stamp;
  const { pathname, searchParams } = new URL(`http://localhost${url}`);
  const signed = await signer.sign(
    {
      method: String(method),
      protocol: 'http:',
      hostname: 'localhost',
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
      body,
    },
    { signingDate: `${year}-${month}-${day}T${hour}:${minute}:${second}Z`, signableHeaders: new Set(names) },
  );
  return signed.headers['authorization'] === authorization;
}
