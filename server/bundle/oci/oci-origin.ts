import { addSignatures, isArchive } from '../../../packages/bundle/index.js';
import { type OciReference, writeOciReference } from '../../config/oci-reference.js';
import type { HttpClient } from '../../outgoing/http-client.js';
import { type Fetched, type Origin, OriginError } from '../origin.js';
import { attachedSignatures, findArtifact } from './artifact.js';
import type { OciRegistry } from './registry.js';

export interface OciOriginOptions {
  readonly reference: OciReference;
  readonly registry: OciRegistry;
  readonly client: HttpClient;
  /** The largest archive, in bytes. */
  readonly maxSize: number;
}

/**
 * A bundle in a registry. A tag is resolved again for each request, by HEAD. Signatures that are attached to the artifact
 * are added to those of the archive.
 */
export class OciOrigin implements Origin {
  readonly name: string;

  constructor(private readonly options: OciOriginOptions) {
    this.name = writeOciReference(options.reference);
  }

  async fetch(known: string | undefined, signal: AbortSignal): Promise<Fetched> {
    const { registry, reference, maxSize } = this.options;
    const wanted = reference.digest ?? reference.tag ?? 'latest';
    const resolved = reference.digest ?? (await registry.resolve(wanted, signal));
    if (known !== undefined && resolved === known) return { kind: 'unchanged', holds: false };
    const { digest, archive } = await findArtifact(registry, resolved ?? wanted, signal);
    if (digest === known) return { kind: 'unchanged', holds: false };
    if (archive.size > maxSize) throw new OriginError('too_large', `the archive has ${archive.size} bytes`);
    const bytes = await registry.blob(archive, signal);
    const signatures = await attachedSignatures(registry, digest, signal);
    const signed = signatures.length > 0 && isArchive(bytes) ? addSignatures(bytes, signatures) : bytes;
    return { kind: 'fetched', version: digest, bytes: signed, holds: false };
  }

  close(): Promise<void> {
    return this.options.client.close();
  }
}
