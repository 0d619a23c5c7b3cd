import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions, type Metafile } from 'esbuild';

/** A file of the page, by its path below the folder that is served. */
export interface ExplorerFile {
  readonly path: string;
  readonly contents: Uint8Array;
}

/** The page with the playground and the explorer, as static files, and the sources that its scripts contain. */
export interface ExplorerFiles {
  readonly files: readonly ExplorerFile[];
  readonly inputs: readonly string[];
}

/**
 * Builds the page from packages/playground/. Its first script is small; it loads the playground when that is shown, and the
 * playground starts the compiler in a worker. Equal sources give equal files.
 */
export async function explorerFiles(): Promise<ExplorerFiles> {
  const worker = await scripts(
    { worker: 'playground/worker.ts' },
    {
      splitting: true,
      entryNames: '[name]-[hash]',
      chunkNames: 'worker-[name]-[hash]',
      external: ['node:fs'],
      inject: [fileURLToPath(new URL('node/set-immediate.ts', SOURCES))],
    },
  );
  const workerName = worker.files.find(({ path }) => /\/worker-[0-9A-Z]{8}\.js$/.test(path))?.path.slice(FOLDER.length);
  if (workerName === undefined) throw new Error('the worker has not been built');
  const page = await scripts(
    { explorer: 'explorer.ts' },
    { splitting: true, define: { PLAYGROUND_WORKER: JSON.stringify(`./${workerName}`) } },
  );
  const copied = [
    ['index.html', 'index.html'],
    [`${FOLDER}explorer.css`, 'explorer.css'],
    [`${FOLDER}playground.css`, 'playground/playground.css'],
    [`${FOLDER}icon.svg`, 'icon.svg'],
  ].map(([path = '', source = '']) => ({ path, contents: readFileSync(new URL(source, SOURCES)) }));
  return { files: [...copied, ...page.files, ...worker.files], inputs: [...page.inputs, ...worker.inputs] };
}

const SOURCES = new URL('../packages/playground/', import.meta.url);
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Where the page's files are, beside `index.html`. */
const FOLDER = 'explorer/';

async function scripts(
  entries: { readonly [name: string]: string },
  options: BuildOptions,
): Promise<{ readonly files: readonly ExplorerFile[]; readonly inputs: readonly string[] }> {
  const { outputFiles = [], metafile } = await build({
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([name, path]) => [name, fileURLToPath(new URL(path, SOURCES))]),
    ),
    absWorkingDir: ROOT,
    outdir: 'dist/explorer',
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    chunkNames: '[name]-[hash]',
    loader: { '.yaml': 'text' },
    // What the compiler uses of Node. The functions that read the disk are not part of the page.
    alias: {
      'node:crypto': fileURLToPath(new URL('node/crypto.ts', SOURCES)),
      'node:path': fileURLToPath(new URL('node/path.ts', SOURCES)),
      'vscode-languageserver': fileURLToPath(new URL('node/languageserver.ts', SOURCES)),
    },
    metafile: true,
    logLevel: 'warning',
    ...options,
  });
  return {
    files: outputFiles.map(({ path, contents }) => ({ path: FOLDER + (path.split(/[\\/]/).at(-1) ?? ''), contents })),
    inputs: Object.keys((metafile as Metafile).inputs),
  };
}
