import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Bundle } from '../../compiler/bundle/index.js';
import { IN_THE_WAY, type Obstacle, standingAt } from './output-folder.js';
import type { OutputFile } from './replace-files.js';

/** The files of a bundle: its map first, for a server that follows the bundle reads both when the bundle changes. */
export function bundleFiles(path: string, { js, map }: Bundle): readonly OutputFile[] {
  return [
    { path: `${path}.map`, text: map, durable: true },
    { path, text: `${js}//# sourceMappingURL=${basename(path)}.map\n`, durable: true },
  ];
}

/** What stands where the bundle and its map are to be written and is not a bundle or a map. */
export async function bundleObstacles(path: string): Promise<readonly Obstacle[]> {
  return [
    ...(await obstacleAt(path, BUNDLE_END, 'is not a bundle of policies')),
    ...(await obstacleAt(`${path}.map`, SOURCE_MAP, 'is not a source map')),
  ];
}

/** A bundle ends with the export of `policies`; the tools that may have minified it since keep that. */
const BUNDLE_END = /\bexport\s*\{[^{}]*\bpolicies\b[^{}]*\};?\s*(?:\/\/# sourceMappingURL=\S*\s*)?$/;

/** Its first property or its last: parts of a map are long. */
const SOURCE_MAP = /^\{\s*"version":\s*3\b|"version":\s*3\s*\}\s*$/;

/** How much of the beginning and the end of a file is looked at. */
const PART = 4096;

async function obstacleAt(path: string, own: RegExp, reason: string): Promise<readonly Obstacle[]> {
  const standing = await standingAt(path);
  if (standing === 'nothing') return [];
  if (standing !== 'file') return [{ path, reason: IN_THE_WAY[standing] }];
  const { start, end } = await partsOf(path);
  return start === '' || own.test(start) || own.test(end) ? [] : [{ path, reason }];
}

async function partsOf(path: string): Promise<{ readonly start: string; readonly end: string }> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const part = async (from: number): Promise<string> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(PART), 0, PART, from);
      return buffer.toString('utf8', 0, bytesRead);
    };
    return { start: await part(0), end: await part(Math.max(0, size - PART)) };
  } finally {
    await handle.close();
  }
}
