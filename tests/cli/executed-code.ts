import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The code that a process has loaded from files, as V8 counts it for coverage: the same on every machine. */
export interface ExecutedCode {
  /** How often its functions, and the blocks within them, ran. */
  readonly runs: number;
  readonly bytes: number;
  /** The files that it was bundled from, as source maps name them. */
  readonly sources: readonly string[];
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** The environment of a process of which `executedCode` reads the coverage. Code from a cache is counted less precisely. */
export function countingIn(folder: string): NodeJS.ProcessEnv {
  return { NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' };
}

/** Reads the coverage that processes have written into a folder. */
export function executedCode(folder: string): ExecutedCode {
  const scripts = readdirSync(folder)
    .flatMap((name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as Coverage).result)
    .filter(({ url }) => url.startsWith('file:'))
    .map(({ url, functions }) => ({ path: fileURLToPath(url), functions }));
  return {
    runs: scripts
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0),
    bytes: scripts.reduce((sum, { path }) => sum + readFileSync(path).length, 0),
    sources: scripts.flatMap(({ path }) => sourcesOf(path)),
  };
}

function sourcesOf(path: string): readonly string[] {
  const map = `${path}.map`;
  if (!existsSync(map)) return [path];
  return (JSON.parse(readFileSync(map, 'utf8')) as { readonly sources: readonly string[] }).sources;
}
