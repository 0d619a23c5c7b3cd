import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** What a module weighs with all that it imports, minified and gzipped. */
export async function gzippedBytes(path: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length;
}
