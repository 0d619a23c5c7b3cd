import { type Exported, evaluateModule } from '../../packages/bundle/index.js';
import type { BundleText } from '../bundle/read-bundle.js';
import { ConfigError } from '../config/config-error.js';
import type { Bundle } from '../service/bundle.js';
import { makeBundle } from './bundle.js';

/** Evaluates a bundle that was read. Rejects with a ConfigError that names it. */
export async function evaluateBundleText({ text, name, ...provenance }: BundleText): Promise<Bundle> {
  const bundle = await evaluateBundle(text, name);
  const { manifest } = provenance;
  if (manifest !== undefined && manifest.hash !== bundle.policies.hash)
    throw new ConfigError('does not match its manifest: the hash of its policies differs', name);
  return { ...bundle, provenance };
}

/**
 * Evaluates the text of a bundle. Rejects with a ConfigError that names the file.
 *
 * @param file the file that the text was read from, or its URL: for stack traces and the source map.
 */
export async function evaluateBundle(text: string, file: string): Promise<Bundle> {
  let exported: Exported;
  try {
    exported = await evaluateModule(text, file);
  } catch (error) {
    throw new ConfigError(`cannot be loaded: ${error instanceof Error ? error.message : String(error)}`, file);
  }
  return makeBundle(exported, file);
}
