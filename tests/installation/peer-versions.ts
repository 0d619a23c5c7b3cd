import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Versions of libraries by name. */
export type Versions = { readonly [name: string]: string };

const { devDependencies, dependencies } = read('../../package.json') as {
  readonly devDependencies: Versions;
  readonly dependencies: Versions;
};

/** The oldest and the newest version of each library that an application may have. */
export const SETS = read('peers.json') as { readonly oldest: Versions; readonly newest: Versions };

/** Libraries that others of a set load, whatever their own version is. */
export const BESIDE: readonly string[] = ['reflect-metadata', 'rxjs'];

/** The versions of a set that differ from those of package.json, with which the same tests run anyway. */
export function otherVersions(set: keyof typeof SETS): Versions {
  const own: Versions = { ...devDependencies, ...dependencies };
  const entries = Object.entries(SETS[set]);
  return Object.fromEntries(entries.filter(([name, version]) => own[name] !== version || BESIDE.includes(name)));
}

// What .ci/run installs.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const versions = Object.entries(otherVersions(process.argv[2] as keyof typeof SETS));
  console.log(versions.map((each) => each.join('@')).join(' '));
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}
