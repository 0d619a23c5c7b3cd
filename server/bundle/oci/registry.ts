import { createHash } from 'node:crypto';
import { isLoopback } from '../../config/plain-http.js';
import { type BasicCredentials, basicAuthorization } from '../../outgoing/basic-credentials.js';
import type { HttpClient, HttpRequest, HttpResponse } from '../../outgoing/http-client.js';
import { statusError } from '../http-origin.js';
import { OriginError } from '../origin.js';

export const MEDIA_TYPES = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
  empty: 'application/vnd.oci.empty.v1+json',
} as const;

/** Refers to content of a registry by its digest. */
export interface Descriptor {
  readonly mediaType: string;
  /** `sha256:…` */
  readonly digest: string;
  /** Size in bytes. */
  readonly size: number;
  readonly artifactType?: string;
  readonly annotations?: { readonly [name: string]: string };
}

/** Credentials of a registry: a user's, a token that it accepts itself, or one that its token service exchanges. */
export type RegistryCredentials =
  | ({ readonly kind: 'basic' } & BasicCredentials)
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'refresh'; readonly token: string };

export interface RegistryOptions {
  /** `https://registry.example.com` */
  readonly url: URL;
  readonly repository: string;
  /** What is asked of token services: `pull`, or `pull,push`. */
  readonly actions: 'pull' | 'pull,push';
  readonly client: HttpClient;
  /** Asked whenever the registry refuses a request. */
  readonly credentials: () => Promise<RegistryCredentials | undefined>;
}

/** Limit for manifests, indexes and tokens, in bytes. */
const LARGEST_DOCUMENT = 1024 * 1024;
/** What a token is valid for if its service does not say, and by how much it is replaced early, in milliseconds. */
const TOKEN_LIFETIME = 60_000;
const TOKEN_SLACK = 10_000;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/**
 * A repository of an OCI registry (OCI Distribution 1.1). Content is verified by its digest, whatever the registry says.
 * All methods reject with an OriginError.
 */
export class OciRegistry {
  #authorization: Authorization | undefined;

  constructor(private readonly options: RegistryOptions) {}

  /** The digest that a tag or digest refers to; undefined if the registry has none or does not say. */
  async resolve(reference: string, signal?: AbortSignal): Promise<string | undefined> {
    const response = await this.#send({
      method: 'HEAD',
      path: `manifests/${reference}`,
      headers: { accept: `${MEDIA_TYPES.manifest}, ${MEDIA_TYPES.index}` },
      signal,
    });
    if (response.status === 404) return undefined;
    expectStatus(response, 200);
    const digest = response.headers['docker-content-digest'];
    return digest !== undefined && DIGEST.test(digest) ? digest : undefined;
  }

  /** A manifest or an index by tag or digest; undefined if there is none. */
  async manifest(reference: string, signal?: AbortSignal): Promise<StoredManifest | undefined> {
    const response = await this.#send({
      method: 'GET',
      path: `manifests/${reference}`,
      headers: { accept: `${MEDIA_TYPES.manifest}, ${MEDIA_TYPES.index}` },
      maxSize: LARGEST_DOCUMENT,
      signal,
    });
    if (response.status === 404) return undefined;
    expectStatus(response, 200);
    const digest = computeDigest(response.body);
    const claimed = [response.headers['docker-content-digest'], DIGEST.test(reference) ? reference : undefined];
    for (const expected of claimed) {
      if (expected !== undefined && expected !== digest)
        throw new OriginError('digest', `the manifest \`${expected}\` has the digest \`${digest}\``);
    }
    const mediaType = response.headers['content-type']?.split(';')[0]?.trim() ?? '';
    return { bytes: response.body, digest, mediaType };
  }

  /** The content of a descriptor. */
  async blob({ digest, size }: Descriptor, signal?: AbortSignal): Promise<Buffer> {
    const response = await this.#send({ method: 'GET', path: `blobs/${digest}`, maxSize: size, signal });
    expectStatus(response, 200);
    if (response.body.length !== size)
      throw new OriginError('digest', `the blob \`${digest}\` has ${response.body.length} bytes, not ${size}`);
    const found = computeDigest(response.body);
    if (found !== digest) throw new OriginError('digest', `the blob \`${digest}\` has the digest \`${found}\``);
    return response.body;
  }

  /** Uploads a blob, unless the registry has it. */
  async pushBlob(mediaType: string, bytes: Uint8Array): Promise<Descriptor> {
    const descriptor: Descriptor = { mediaType, digest: computeDigest(bytes), size: bytes.length };
    const present = await this.#send({ method: 'HEAD', path: `blobs/${descriptor.digest}` });
    if (present.status === 200) return descriptor;
    const begun = await this.#send({ method: 'POST', path: 'blobs/uploads/', body: new Uint8Array() });
    expectStatus(begun, 202);
    const location = begun.headers['location'];
    if (location === undefined || !URL.canParse(location, this.options.url.href))
      throw new OriginError('protocol', 'the registry returned no upload location');
    const url = new URL(location, this.options.url);
    if (url.origin !== this.options.url.origin)
      throw new OriginError('redirect', 'the registry redirected an upload to another origin');
    url.searchParams.set('digest', descriptor.digest);
    const done = await this.#sendTo(url, {
      method: 'PUT',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });
    expectStatus(done, 201);
    return descriptor;
  }

  /**
   * Stores a manifest under a tag, or under its digest.
   *
   * @returns its descriptor, and whether the registry lists it for its subject.
   */
  async pushManifest(
    tag: string | undefined,
    mediaType: string,
    bytes: Uint8Array,
  ): Promise<Descriptor & { readonly isListed: boolean }> {
    const digest = computeDigest(bytes);
    const response = await this.#send({
      method: 'PUT',
      path: `manifests/${tag ?? digest}`,
      body: bytes,
      headers: { 'content-type': mediaType },
    });
    expectStatus(response, 201);
    return { mediaType, digest, size: bytes.length, isListed: response.headers['oci-subject'] !== undefined };
  }

  /**
   * What refers to a manifest, such as signatures: from the referrers API, or the tag that stands for it in registries
   * without the API. All descriptors of the list are returned, whatever the registry filters.
   */
  async referrers(digest: string, artifactType: string, signal?: AbortSignal): Promise<readonly Descriptor[]> {
    const response = await this.#send({
      method: 'GET',
      path: `referrers/${digest}?artifactType=${encodeURIComponent(artifactType)}`,
      headers: { accept: MEDIA_TYPES.index },
      maxSize: LARGEST_DOCUMENT,
      signal,
    });
    const type = response.headers['content-type']?.split(';')[0]?.trim();
    const listed = response.status === 200 && type === MEDIA_TYPES.index ? response.body : undefined;
    const list = listed ?? (await this.manifest(fallbackTag(digest), signal))?.bytes;
    return list === undefined ? [] : readIndex(list);
  }

  #send({ path, ...request }: Omit<SentRequest, 'url'> & { readonly path: string }): Promise<HttpResponse> {
    return this.#sendTo(new URL(`/v2/${this.options.repository}/${path}`, this.options.url), request);
  }

  async #sendTo(url: URL, { signal, ...request }: SentRequest): Promise<HttpResponse> {
    const { client } = this.options;
    const send = (authorization: string | undefined): Promise<HttpResponse> =>
      client.send({
        ...request,
        url,
        ...(signal !== undefined && { signal }),
        credentials: authorization === undefined ? undefined : { authorization },
      });
    const current = this.#authorization;
    const isValid = current !== undefined && performance.now() < current.until;
    const response = await send(isValid ? current.header : undefined);
    // Blobs are often elsewhere: whoever a redirect leads to is not answered, whatever it asks for.
    if (response.status !== 401 || !response.isOwn) return response;
    this.#authorization = await this.#authorize(response.headers['www-authenticate'] ?? '', signal);
    return this.#authorization === undefined ? response : send(this.#authorization.header);
  }

  /** Answers a challenge (RFC 9110, and the token authentication of registries). */
  async #authorize(challenge: string, signal: AbortSignal | undefined): Promise<Authorization | undefined> {
    const credentials = await this.options.credentials();
    if (credentials?.kind === 'bearer')
      return { header: `Bearer ${credentials.token}`, until: performance.now() + TOKEN_LIFETIME };
    if (!/^bearer\s/i.test(challenge)) {
      return credentials?.kind === 'basic'
        ? { header: basicAuthorization(credentials), until: Number.POSITIVE_INFINITY }
        : undefined;
    }
    const { realm, service } = parseParameters(challenge);
    if (realm === undefined || !URL.canParse(realm))
      throw new OriginError('protocol', 'the registry did not name a token service');
    const url = new URL(realm);
    if (!this.#mayAuthorize(url)) throw new OriginError('credentials', 'the token service of the registry has no TLS');
    return this.#token(url, service, credentials, signal);
  }

  /**
   * Whether a token service may see credentials. The registry names it, and only its own responses count: it may be any
   * host with TLS. Without TLS, it must be on this machine, and the registry be asked without TLS, too.
   */
  #mayAuthorize(service: URL): boolean {
    return (
      service.protocol === 'https:' ||
      (service.protocol === 'http:' && this.options.url.protocol === 'http:' && isLoopback(service))
    );
  }

  async #token(
    url: URL,
    service: string | undefined,
    credentials: RegistryCredentials | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Authorization | undefined> {
    const { client, repository, actions } = this.options;
    // Never more than this, whatever the challenge asks for.
    const scope = `repository:${repository}:${actions}`;
    const parameters = new URLSearchParams({ scope, client_id: 'authz', ...(service !== undefined && { service }) });
    const common = { maxSize: LARGEST_DOCUMENT, maxRedirects: 0, ...(signal !== undefined && { signal }) };
    const response =
      credentials?.kind === 'refresh'
        ? await client.send({
            ...common,
            method: 'POST',
            url,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: Buffer.from(
              new URLSearchParams([
                ...parameters,
                ['grant_type', 'refresh_token'],
                ['refresh_token', credentials.token],
              ]).toString(),
            ),
          })
        : await client.send({
            ...common,
            method: 'GET',
            url: withParameters(url, parameters),
            credentials: credentials?.kind === 'basic' ? { authorization: basicAuthorization(credentials) } : undefined,
          });
    if (response.status !== 200)
      throw new OriginError('credentials', `the token service answered with status ${response.status}`);
    const { token, access_token: accessToken, expires_in: expiresIn } = readObject(response.body, 'the token');
    const value = token ?? accessToken;
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value))
      throw new OriginError('protocol', 'the token service returned no token');
    const lifetime = typeof expiresIn === 'number' && expiresIn > 0 ? expiresIn * 1000 : TOKEN_LIFETIME;
    return { header: `Bearer ${value}`, until: performance.now() + Math.max(lifetime - TOKEN_SLACK, 0) };
  }
}

/** The header of requests, and until when it is valid, by `performance.now()`. */
interface Authorization {
  readonly header: string;
  readonly until: number;
}

type SentRequest = Pick<HttpRequest, 'method' | 'headers' | 'body' | 'maxSize'> & {
  readonly signal?: AbortSignal | undefined;
};

/** A manifest as a registry stores it. */
export interface StoredManifest {
  readonly bytes: Buffer;
  /** Digest of the bytes. */
  readonly digest: string;
  readonly mediaType: string;
}

/** The tag of the list of what refers to a manifest, in registries without the referrers API. */
export function fallbackTag(digest: string): string {
  return digest.replace(':', '-');
}

/** The descriptors of an index. Throws an OriginError if it is not one. */
export function readIndex(bytes: Buffer): readonly Descriptor[] {
  const { manifests } = readObject(bytes, 'the index');
  if (!Array.isArray(manifests)) throw new OriginError('protocol', 'the index of the registry has no manifests');
  return manifests.map(readDescriptor);
}

/** Throws an OriginError if the value is not a descriptor. */
export function readDescriptor(value: unknown): Descriptor {
  const descriptor = value as Descriptor | null | undefined;
  if (
    typeof descriptor !== 'object' ||
    descriptor === null ||
    typeof descriptor.mediaType !== 'string' ||
    typeof descriptor.digest !== 'string' ||
    !DIGEST.test(descriptor.digest) ||
    !Number.isSafeInteger(descriptor.size) ||
    descriptor.size < 0
  )
    throw new OriginError('protocol', 'the registry returned an invalid descriptor');
  return descriptor;
}

/** The properties of a JSON object. Throws an OriginError that names it. */
export function readObject(bytes: Buffer, what: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as { readonly [name: string]: unknown };
  } catch {
    // Reported below.
  }
  throw new OriginError('protocol', `${what} of the registry is not a JSON object`);
}

export function computeDigest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function expectStatus(response: HttpResponse, status: number): void {
  if (response.status !== status) throw statusError(response);
}

function parseParameters(challenge: string): { readonly [name: string]: string | undefined } {
  return Object.fromEntries(
    [...challenge.matchAll(/([A-Za-z]+)="([^"]*)"/g)].map(([, name = '', value]) => [name.toLowerCase(), value]),
  );
}

function withParameters(url: URL, parameters: URLSearchParams): URL {
  const next = new URL(url);
  for (const [name, value] of parameters) next.searchParams.set(name, value);
  return next;
}
