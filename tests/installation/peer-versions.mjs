import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { devDependencies, dependencies } = read('../../package.json');

export const SETS = read('peers.json');

export const BESIDE = ['reflect-metadata', 'rxjs'];

export function otherVersions(set) {
  const own = { ...devDependencies, ...dependencies };
  const entries = Object.entries(SETS[set]);
  return Object.fromEntries(entries.filter(([name, version]) => own[name] !== version || BESIDE.includes(name)));
}

// What .ci/run installs, before it has the dependencies that run TypeScript.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const versions = Object.entries(otherVersions(process.argv[2]));
  console.log(versions.map((each) => each.join('@')).join(' '));
}

function read(path) {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}
