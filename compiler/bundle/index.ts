import { dirname, join, posix } from 'node:path';
import { encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { build, type Plugin } from 'esbuild';
import type { EmittedFile } from '../ir/emitted-file.js';

/** The policies as one JavaScript module, and the map from it back to the lines of the policies, which the module does not link. */
export interface Bundle {
  readonly js: string;
  /** A source map (version 3) as JSON. */
  readonly map: string;
}

/**
 * Bundles emitted files into one ESM module that runs anywhere: it exports `policies` and `traced`.
 *
 * @param runtime the folder of the runtime's sources, which generated code imports as `#runtime/...`.
 */
export async function bundle(files: readonly EmittedFile[], runtime: string): Promise<Bundle> {
  const result = await build({
    entryPoints: ['index.ts'],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    mainFields: ['module', 'main'],
    sourcemap: 'external',
    legalComments: 'none',
    outfile: 'policies.js',
    write: false,
    logLevel: 'silent',
    plugins: [emittedFiles(files, runtime)],
  });
  const text = (ending: string): string => result.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? '';
  return { js: text('.js'), map: text('.map') };
}

/** Serves the emitted files from memory: a bundle can be made without a generated folder. */
function emittedFiles(files: readonly EmittedFile[], runtime: string): Plugin {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return {
    name: 'emitted-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^#runtime\// }, ({ path }) => ({ path: join(runtime, path.slice('#runtime/'.length), 'index.ts') }));
      onResolve({ filter: /^index\.ts$/ }, ({ kind }) => (kind === 'entry-point' ? { path: 'index.ts', namespace: 'emitted' } : undefined));
      onResolve({ filter: /\.js$/, namespace: 'emitted' }, ({ path, importer }) => ({
        path: posix.join(posix.dirname(importer), path).replace(/\.js$/, '.ts'),
        namespace: 'emitted',
      }));
      onLoad({ filter: /.*/, namespace: 'emitted' }, ({ path }) => {
        const file = byPath.get(path);
        if (file === undefined) return { errors: [{ text: `${path} was not emitted` }] };
        return { contents: `${file.text}${inlineMap(file)}`, loader: 'ts', resolveDir: dirname(runtime) };
      });
    },
  };
}

/** The map from the lines of a file to the policies' rules, as a comment that esbuild follows. */
function inlineMap(file: EmittedFile): string {
  if (file.origins.length === 0) return '';
  const sources = [...new Set(file.origins.map(({ span }) => span.source))];
  const lines: SourceMapSegment[][] = file.text.split('\n').map(() => []);
  for (const { line, lines: count, span } of file.origins) {
    const place = span.source.lineAndColumn(span.start);
    const segment: SourceMapSegment = [0, sources.indexOf(span.source), place.line - 1, place.column - 1];
    for (let i = line; i < line + count; i += 1) lines[i] = [segment];
  }
  const map = {
    version: 3,
    sources: sources.map(({ path }) => path),
    sourcesContent: sources.map(({ text }) => text),
    names: [],
    mappings: encode(lines),
  };
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}\n`;
}
