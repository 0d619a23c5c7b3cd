import { type Manifest, signArchive, writeArchive } from '../../../packages/bundle/index.js';
import { importBundle } from '../../../compiler/bundle/import-bundle.js';
import type { TestKey } from './keys.js';

/** An archive of a bundle, signed by these keys. */
export async function archive(
  js: string,
  manifest: Partial<Manifest>,
  ...keys: readonly TestKey[]
): Promise<Uint8Array> {
  // A map that is not beside the module cannot be found when it is imported.
  const code = js.replace(/\/\/# sourceMappingURL.*\s*$/, '');
  const { hash } = (await importBundle(code)).policies;
  let bytes: Uint8Array = writeArchive({
    js: code,
    manifest: { hash, compiler: '0.1.0', engine: '~0.1.0', ...manifest },
  });
  for (const key of keys) bytes = await signArchive(bytes, key.signing, Date.now());
  return bytes;
}
