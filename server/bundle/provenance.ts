import type { BundleProvenance } from '../../proto/gen/messages.js';
import type { Provenance } from '../service/bundle.js';

/** When a bundle expires, in milliseconds since 1970, apart from clock skew; undefined if it does not. */
export function findExpiry({ manifest, verified }: Provenance): number | undefined {
  return verified === undefined ? parseTime(manifest?.notAfter) : verified.expires;
}

/** The provenance as audit entries and ServerInfo show it; undefined if the bundle did not come in an archive. */
export function provenanceMessage(provenance: Provenance): BundleProvenance | undefined {
  const { digest, manifest, verified } = provenance;
  if (manifest === undefined) return undefined;
  const { source = {}, builder = '', sequence, compiler } = manifest;
  const expires = findExpiry(provenance);
  const revision = source.revision ?? '';
  return {
    digest,
    compiler,
    repository: source.repository ?? '',
    revision: revision !== '' && source.dirty === true ? `${revision}-dirty` : revision,
    path: source.path ?? '',
    builder,
    sequence: sequence === undefined ? '' : String(sequence),
    expires: expires === undefined ? '' : new Date(expires).toISOString(),
    keys: verified?.keys ?? [],
  };
}

/** The provenance as the log shows it, without what is not known. */
export function provenanceFields(provenance: Provenance): { readonly [field: string]: string } {
  const { revision, builder, sequence, expires, keys } = provenanceMessage(provenance) ?? {};
  const fields = { revision, builder, sequence, expires, keys: keys?.join(' ') };
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

function parseTime(written: string | undefined): number | undefined {
  return written === undefined ? undefined : Date.parse(written);
}
