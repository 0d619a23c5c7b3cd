import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

type Morph = typeof import('ts-morph');

/*
 * The values of ts-morph that this folder uses. It is an optional peer, which most commands do not need: nothing here
 * may be used before `loadMorph` has ended.
 */
export let Node: Morph['Node'];
export let Project: Morph['Project'];
export let SyntaxKind: Morph['SyntaxKind'];
export let ts: Morph['ts'];

/** Loads the package ts-morph that the application has, or the one beside authz. Throws if there is none. */
export async function loadMorph(application: string): Promise<void> {
  const path = findMorph(application);
  if (path === undefined)
    throw new Error('ts-morph is not installed, and reading TypeScript needs it: npm install --save-dev ts-morph');
  const module = (await import(pathToFileURL(path).href)) as Morph & { readonly default?: Morph };
  ({ Node, Project, SyntaxKind, ts } = module.default ?? module);
}

function findMorph(application: string): string | undefined {
  for (const from of [
    join(application, 'package.json'),
    join(process.cwd(), 'package.json'),
    fileURLToPath(import.meta.url),
  ]) {
    try {
      return createRequire(from).resolve('ts-morph');
    } catch {
      // Not there.
    }
  }
  return undefined;
}
