import type { PolicyBundle, TracedBundle } from '#runtime/policy';

/** What a bundle exports. */
export interface BundleModule {
  readonly policies: PolicyBundle;
  readonly traced: () => Promise<TracedBundle>;
}

/**
 * Loads a bundle that was never written to disk, as the module it is: what runs is code this process has just compiled.
 *
 * @param js the text of the bundle.
 */
export async function importBundle(js: string): Promise<BundleModule> {
  return (await import(`data:text/javascript;base64,${Buffer.from(js).toString('base64')}`)) as BundleModule;
}
