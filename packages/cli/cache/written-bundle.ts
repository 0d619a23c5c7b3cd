import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Bundle } from '../../../compiler/bundle/index.js';
import type { BundlePlace } from '../../../compiler/bundle/source-map.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';
import { bundleFiles } from '../outputs/write-outputs.js';
import type { WrittenBundle } from './entry.js';

/** All that a bundle and its map depend on besides the policies and the program. */
export function bundleSettings(path: string, place: BundlePlace): string {
  return JSON.stringify([runtimeFolder(), path, place.folder, place.policies]);
}

/** The record of a bundle that is written to a path. */
export function writtenBundle(bundle: Bundle, path: string, settings: string): WrittenBundle {
  const [map, js] = bundleFiles(path, bundle).map(({ text }) => digest(text));
  return { settings, js: js as string, map: map as string };
}

/** Whether a path has the files of a bundle that was written earlier. */
export async function isWritten(written: WrittenBundle | undefined, path: string, settings: string): Promise<boolean> {
  if (written?.settings !== settings) return false;
  try {
    return digest([await readFile(path)]) === written.js && digest([await readFile(`${path}.map`)]) === written.map;
  } catch {
    return false;
  }
}

function digest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
