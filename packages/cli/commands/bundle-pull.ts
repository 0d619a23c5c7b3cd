import { addSignatures, readArchive } from '../../bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { attachedSignatures, findArtifact } from '../../../server/bundle/oci/artifact.js';
import { type OciReference, writeOciReference } from '../../../server/config/oci-reference.js';
import { type RegistryOptions, withRegistry } from '../bundles/registry-options.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { replaceFiles } from '../outputs/replace-files.js';

/**
 * `authzc bundle pull`: writes an archive of a registry with the signatures that are attached to it, and prints the
 * reference that is pinned to it. Verifies no signature. Returns the exit code.
 */
export async function bundlePullCommand(
  reference: OciReference,
  file: string,
  options: RegistryOptions,
  context: CommandContext,
): Promise<number> {
  const { digest, bytes } = await withRegistry(reference, 'pull', options, context, async (registry) => {
    const artifact = await findArtifact(registry, reference.digest ?? reference.tag ?? 'latest');
    const archive = await registry.blob(artifact.archive);
    const signatures = await attachedSignatures(registry, artifact.digest);
    const signed = signatures.length === 0 ? archive : addSignatures(archive, signatures);
    readArchive(signed);
    return { digest: artifact.digest, bytes: signed };
  });
  replaceFiles([{ path: file, text: bytes, durable: true }]);
  context.stdout.write(`${visible(file)}  ${writeOciReference({ ...reference, digest })}\n`);
  return EXIT.done;
}
