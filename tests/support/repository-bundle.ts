import { join } from 'node:path';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import type { CompiledBundle } from '../../runtime/engine/index.js';
import type { Bundle } from '../../server/service/bundle.js';
import { loaded, ROOT } from './compiled.js';

/** Loads the bundle of policies of this repository, with the conditions that `generated` does not have. */
export async function loadRepositoryBundle(folder = 'policies'): Promise<Bundle> {
  const { policies, traced } = await loaded(compileFolder(join(ROOT, folder)));
  return { policies: policies as CompiledBundle, traced };
}
