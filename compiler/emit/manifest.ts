import { createHash } from 'node:crypto';
import type { Source } from '../diagnostics/source.js';
import { type EmittedFile, emittedFile } from '../ir/emitted-file.js';

/**
 * generated/manifest.json: where each rule was written, and the hash of each source. What changes with every edit of a line
 * stands here, so that the modules stay quiet (design 6.3).
 */
export function emitManifest(files: readonly EmittedFile[], sources: readonly Source[], version: string): EmittedFile {
  const rules = new Map<string, string>();
  for (const { rule, span } of files.flatMap(({ origins }) => origins)) {
    if (!rules.has(rule)) rules.set(rule, `${span.source.path}:${span.source.lineAndColumn(span.start).line}`);
  }
  const manifest = {
    generator: `authzc ${version}`,
    sources: Object.fromEntries(sources.map(({ path, text }) => [path, createHash('sha256').update(text).digest('hex')] as const).sort(byFirst)),
    rules: Object.fromEntries([...rules].sort(byFirst)),
  };
  return emittedFile('manifest.json', [{ text: JSON.stringify(manifest, undefined, 2) }]);
}

function byFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
