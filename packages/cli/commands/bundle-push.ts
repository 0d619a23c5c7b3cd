import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { readArchive } from '../../bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { attachSignatures, findArtifact, pushArchive } from '../../../server/bundle/oci/artifact.js';
import { type OciReference, writeOciReference } from '../../../server/config/oci-reference.js';
import { named } from '../bundles/archive-file.js';
import { type RegistryOptions, withRegistry } from '../bundles/registry-options.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit.js';

/** `authzc bundle push`: uploads an archive, and prints the reference that is pinned to it. Returns the exit code. */
export async function bundlePushCommand(
  reference: OciReference,
  file: string,
  options: RegistryOptions,
  context: CommandContext,
): Promise<number> {
  if (reference.digest !== undefined) throw new UsageError('a reference with a digest cannot be pushed to; name a tag');
  const { bytes, manifest } = named(file, () => {
    const content = readFileSync(file);
    return { bytes: content, manifest: readArchive(content).manifest };
  });
  const { repository, revision } = manifest.source ?? {};
  const annotations = {
    ...(repository !== undefined && { 'org.opencontainers.image.source': repository }),
    ...(revision !== undefined && { 'org.opencontainers.image.revision': revision }),
  };
  const tag = reference.tag ?? 'latest';
  const { digest } = await withRegistry(reference, 'pull,push', options, context, (registry) =>
    pushArchive(registry, { tag, archive: bytes, fileName: basename(file), annotations }),
  );
  context.stdout.write(`${writeOciReference({ ...reference, tag, digest })}\n`);
  return EXIT.done;
}

/**
 * `authzc bundle attach`: attaches the signatures of an archive to the same archive in a registry. Returns the exit code.
 */
export async function bundleAttachCommand(
  reference: OciReference,
  file: string,
  options: RegistryOptions,
  context: CommandContext,
): Promise<number> {
  const archive = named(file, () => readArchive(readFileSync(file)));
  const { signatureBytes } = archive;
  if (signatureBytes === undefined)
    throw new Error(`\`${visible(file)}\` is not signed; sign it with \`authzc bundle sign\``);
  const digest = await withRegistry(reference, 'pull,push', options, context, async (registry) => {
    const artifact = await findArtifact(registry, reference.digest ?? reference.tag ?? 'latest');
    const stored = readArchive(await registry.blob(artifact.archive));
    if (stored.digest !== archive.digest) throw new Error(`it is not the archive \`${visible(file)}\``);
    return (await attachSignatures(registry, artifact, signatureBytes)).digest;
  });
  context.stdout.write(`${writeOciReference({ ...reference, tag: undefined, digest })}\n`);
  return EXIT.done;
}
