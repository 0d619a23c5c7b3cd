import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Builds a program of one file, as programs are. Packages that it imports by a variable stay outside. */
export async function buildProgram(entry: string, outfile: string): Promise<string> {
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  return outfile;
}

/**
 * What the text of a program weighs with all that it imports, minified and gzipped, in bytes.
 * @param folder the packages that it imports are installed there.
 */
export async function weighProgram(contents: string, folder: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'silent',
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length;
}
