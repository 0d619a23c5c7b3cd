import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_WORKLOAD } from '../harness/paths.js';

/** Resource policies in one copy of the load-test set. */
const POLICIES_A_COPY = 6;

/**
 * Writes the load-test policies: as many copies of the first set as are needed for this number of resource policies.
 * The kinds of each copy are its own.
 */
export function writePolicySet(folder: string, policies: number): { readonly resourcePolicies: number } {
  const copies = Math.ceil(policies / POLICIES_A_COPY);
  const texts = firstCopy();
  mkdirSync(join(folder, '_schemas'), { recursive: true });
  for (let copy = 0; copy < copies; copy++) {
    const number = String(copy).padStart(FIRST.length, '0');
    for (const [path, text] of texts)
      writeFileSync(join(folder, path.replaceAll(FIRST, number)), text.replaceAll(FIRST, number));
  }
  return { resourcePolicies: copies * POLICIES_A_COPY };
}

/** The same policies under the names that the reference PDP uses. */
export function writeForReference(folder: string, target: string): void {
  cpSync(folder, target, { recursive: true });
  for (const path of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    const file = join(target, path);
    if (statSync(file).isDirectory()) continue;
    writeFileSync(
      file,
      readFileSync(file, 'utf8')
        .replaceAll('api.authz.dev/v1', 'api.cerbos.dev/v1')
        .replaceAll('authz:///', 'cerbos:///'),
    );
  }
}

/** The number that the set gives its first copy. */
const FIRST = '00000';

function firstCopy(): readonly (readonly [string, string])[] {
  const folder = join(SHARED_WORKLOAD, 'policies_2');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes(FIRST))
    .sort()
    .map((path) => [path, readFileSync(join(folder, path), 'utf8')]);
}
