import { OriginError } from '../origin.js';
import {
  type Descriptor,
  fallbackTag,
  MEDIA_TYPES,
  type OciRegistry,
  readDescriptor,
  readIndex,
  readObject,
} from './registry.js';

/** What the artifacts of authz are called in registries. */
const ARTIFACT = {
  bundle: 'application/vnd.authz.bundle.v1',
  archive: 'application/vnd.authz.bundle.v1+zip',
  signature: 'application/vnd.authz.bundle.signature.v1',
  jws: 'application/jose+json',
} as const;

/** An archive in a registry. */
export interface BundleArtifact {
  /** Digest of the manifest of the registry: what a reference is pinned to. */
  readonly digest: string;
  readonly archive: Descriptor;
}

/** Signatures that are read for one artifact; more are ignored. */
const MOST_SIGNATURES = 16;
const LARGEST_SIGNATURE = 64 * 1024;

/** Uploads an archive under a tag. Rejects with an OriginError. */
export async function pushArchive(
  registry: OciRegistry,
  { tag, archive, fileName, annotations }: PushOptions,
): Promise<BundleArtifact> {
  const config = await registry.pushBlob(MEDIA_TYPES.empty, EMPTY);
  const layer = await registry.pushBlob(ARTIFACT.archive, archive);
  const manifest = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    artifactType: ARTIFACT.bundle,
    config,
    layers: [{ ...layer, annotations: { 'org.opencontainers.image.title': fileName } }],
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
  const { digest } = await registry.pushManifest(tag, MEDIA_TYPES.manifest, toJson(manifest));
  return { digest, archive: layer };
}

export interface PushOptions {
  readonly tag: string | undefined;
  readonly archive: Uint8Array;
  /** That the layer is called when it is pulled. */
  readonly fileName: string;
  readonly annotations: { readonly [name: string]: string };
}

/** The artifact under a tag or digest. Rejects with an OriginError, also if it is not a bundle. */
export async function findArtifact(
  registry: OciRegistry,
  reference: string,
  signal?: AbortSignal,
): Promise<BundleArtifact> {
  const stored = await registry.manifest(reference, signal);
  if (stored === undefined) throw new OriginError('status', `the registry has no \`${reference}\``);
  const manifest = readObject(stored.bytes, 'the manifest');
  const config = manifest['config'] as { readonly mediaType?: unknown } | undefined;
  const type = manifest['artifactType'] ?? config?.mediaType;
  const layers = manifest['layers'];
  if (type !== ARTIFACT.bundle || !Array.isArray(layers))
    throw new OriginError('protocol', `\`${reference}\` is not a bundle, but \`${String(type).slice(0, 100)}\``);
  const archives = layers.map(readDescriptor).filter(({ mediaType }) => mediaType === ARTIFACT.archive);
  const [archive] = archives;
  if (archive === undefined || archives.length > 1)
    throw new OriginError('protocol', `\`${reference}\` has ${archives.length} archives, not one`);
  return { digest: stored.digest, archive };
}

/**
 * Attaches signatures to an artifact: as an artifact that refers to it, and in registries without the referrers API, in
 * the list under its tag. Rejects with an OriginError.
 */
export async function attachSignatures(
  registry: OciRegistry,
  { digest }: BundleArtifact,
  signatures: Uint8Array,
): Promise<Descriptor> {
  const subject = await registry.manifest(digest);
  if (subject === undefined) throw new OriginError('status', `the registry has no \`${digest}\``);
  const config = await registry.pushBlob(MEDIA_TYPES.empty, EMPTY);
  const layer = await registry.pushBlob(ARTIFACT.jws, signatures);
  const manifest = {
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.manifest,
    artifactType: ARTIFACT.signature,
    config,
    layers: [layer],
    subject: { mediaType: MEDIA_TYPES.manifest, digest, size: subject.bytes.length },
  };
  const { isListed, ...pushed } = await registry.pushManifest(undefined, MEDIA_TYPES.manifest, toJson(manifest));
  const descriptor: Descriptor = { ...pushed, artifactType: ARTIFACT.signature };
  if (!isListed) await addToFallback(registry, digest, descriptor);
  return descriptor;
}

/** The signatures that are attached to an artifact, each as it was attached. Rejects with an OriginError. */
export async function attachedSignatures(
  registry: OciRegistry,
  digest: string,
  signal?: AbortSignal,
): Promise<readonly Buffer[]> {
  const listed = await registry.referrers(digest, ARTIFACT.signature, signal);
  const referring = listed.filter(({ artifactType }) => artifactType === ARTIFACT.signature).slice(0, MOST_SIGNATURES);
  const signatures: Buffer[] = [];
  for (const { digest: reference } of referring) {
    const stored = await registry.manifest(reference, signal);
    if (stored === undefined) continue;
    const { layers, subject } = readObject(stored.bytes, 'the manifest');
    const [layer] = Array.isArray(layers) ? layers.map(readDescriptor) : [];
    const isOfThis = (subject as Descriptor | undefined)?.digest === digest;
    if (!isOfThis || layer?.mediaType !== ARTIFACT.jws || layer.size > LARGEST_SIGNATURE) continue;
    signatures.push(await registry.blob(layer, signal));
  }
  return signatures;
}

async function addToFallback(registry: OciRegistry, digest: string, descriptor: Descriptor): Promise<void> {
  const tag = fallbackTag(digest);
  const stored = await registry.manifest(tag);
  const listed = stored === undefined ? [] : readIndex(stored.bytes);
  if (listed.some((known) => known.digest === descriptor.digest)) return;
  const index = { schemaVersion: 2, mediaType: MEDIA_TYPES.index, manifests: [...listed, descriptor] };
  await registry.pushManifest(tag, MEDIA_TYPES.index, toJson(index));
}

/** The configuration of an artifact that has none. */
const EMPTY = Buffer.from('{}');

function toJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
