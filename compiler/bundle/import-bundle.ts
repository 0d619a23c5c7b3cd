import type { EvaluatedRow, Filter } from '../../runtime/residual/index.js';
import type { PolicyBundle, TracedBundle } from '../../runtime/policy/index.js';

/** The exports of a bundle. */
export interface BundleModule {
  readonly policies: PolicyBundle;
  readonly traced: () => Promise<TracedBundle>;
  /** Whether a filter of these policies selects a row; undefined if they were compiled for checks only. */
  readonly selects: ((filter: Filter, row: EvaluatedRow) => boolean) | undefined;
}

/**
 * Loads a bundle that was never written to disk as a module: it only runs code that this process has just compiled.
 * @param js the code of the bundle.
 */
export function importBundle(js: string): Promise<BundleModule> {
  return importModule(js);
}

/** Loads code that this process has just compiled as a module. */
export async function importModule<Module>(js: string): Promise<Module> {
  return (await import(`data:text/javascript;base64,${Buffer.from(js).toString('base64')}`)) as Module;
}
