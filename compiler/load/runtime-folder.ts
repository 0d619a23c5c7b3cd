import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with the runtime sources that ship with this compiler: generated code imports them as `authz/runtime/...`. */
export function runtimeFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'runtime', 'policy', 'index.ts'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the runtime of authzc is missing from its package');
    folder = parent;
  }
  return join(folder, 'runtime');
}
