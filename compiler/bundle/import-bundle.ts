import type { PolicyBundle, TracedBundle } from '#runtime/policy';

/** The exports of a bundle. */
export interface BundleModule {
  readonly policies: PolicyBundle;
  readonly traced: () => Promise<TracedBundle>;
}

/**
 * Loads a bundle that was never written to disk as a module: it only runs code that this process has just compiled.
 * @param js the code of the bundle.
 */
export async function importBundle(js: string): Promise<BundleModule> {
  return (await import(`data:text/javascript;base64,${Buffer.from(js).toString('base64')}`)) as BundleModule;
}
