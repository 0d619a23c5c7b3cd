import { createHash } from 'node:crypto';
import type { Source } from '../diagnostics/source.js';
import { type EmittedFile, emittedFile, reviewedFiles } from '../ir/emitted-file.js';

/** The path of the manifest below the output folder. */
export const MANIFEST = 'manifest.json';

/** Files of the output folder that are written separately: the types for callers, and the manifest itself. */
const MADE_APART = ['types.ts', MANIFEST];

/**
 * generated/manifest.json: the source location of each rule, the hash of each source, and the files of this
 * compilation: the next one deletes those that it no longer writes. Data that changes with every edit of a line is kept
 * here, so that the modules do not change.
 */
export function emitManifest(files: readonly EmittedFile[], sources: readonly Source[], version: string): EmittedFile {
  const rules = new Map<string, string>();
  // File by file: the origins of all files would be much of the memory.
  for (const { origins } of files) {
    for (const { rule, span } of origins)
      if (!rules.has(rule)) rules.set(rule, `${span.source.path}:${span.source.lineAndColumn(span.start).line}`);
  }
  const manifest = {
    generator: `authzc ${version}`,
    files: [...reviewedFiles(files).map(({ path }) => path), ...MADE_APART].sort(),
    sources: Object.fromEntries(sources.map(({ path, text }) => [path, computeDigest(text)] as const).sort(byFirst)),
    rules: Object.fromEntries([...rules].sort(byFirst)),
  };
  return emittedFile(MANIFEST, [{ text: JSON.stringify(manifest, undefined, 2) }]);
}

/** Hashes the text with the line ends that git keeps: those of a checkout on Windows differ. */
function computeDigest(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
}

function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
