import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { importedMembersOnly, isMadeOfBuiltin } from './builtin-modules.js';
import { explorerFiles } from './explorer-files.js';

/**
 * Not bundled: packages that load files of their own, those of OpenTelemetry, which most servers do not load, and
 * grpc-js, whose classes their exporters share.
 */
const external = [
  'esbuild',
  'node-sqlite3-wasm',
  '@platformatic/kafka',
  'pg',
  'mysql2',
  '@opentelemetry/*',
  '@grpc/grpc-js',
];

/**
 * Bundles `@opentelemetry/api` for prom-client, which requires it as soon as it is loaded. Metrics then need no package
 * beside the program. Other imports of it stay outside: they share it with the exporters.
 */
const apiOfMetrics: Plugin = {
  name: 'api-of-metrics',
  setup({ onResolve }) {
    onResolve({ filter: /^@opentelemetry\/api$/ }, ({ importer }) =>
      !/[\\/]node_modules[\\/]prom-client[\\/]/.test(importer)
        ? undefined
        : { path: createRequire(importer).resolve('@opentelemetry/api') },
    );
  },
};

/**
 * Threads that programs start, beside the chunks that start them: the path below the folder without its ending, and the
 * source.
 */
export type Threads = { readonly [path: string]: string };

/** What `buildPrograms` writes besides the programs. */
export interface ProgramOptions {
  readonly threads?: Threads;
  /** Whether source maps are written. */
  readonly sourcemap: boolean;
}

/**
 * Bundles programs with most of their dependencies into one folder: a start reads few files
 * (docs/decisions/packages-page-and-tools.md#0050). Adds the page that the
 * server shows, and the licenses of what they contain.
 * @param programs the source of each, by the name of its file without `.js`.
 * @returns what the programs import from outside: packages and modules of Node.
 */
export async function buildPrograms(
  programs: Programs,
  folder: string,
  { threads = {}, sourcemap }: ProgramOptions,
): Promise<readonly string[]> {
  const { metafile } = await build({
    ...bundlingInto(folder),
    entryPoints: { ...programs, ...threads },
    plugins: [apiOfMetrics, importedMembersOnly],
    sourcemap,
    // A program without source maps is for running: names stay as they are, for stack traces.
    minifyWhitespace: !sourcemap,
    metafile: true,
  });
  await makeExecutable(programs, folder);
  const inputs = Object.keys(metafile.inputs).filter((input) => !isMadeOfBuiltin(input));
  const page = await writePage(folder);
  writeFileSync(join(folder, 'third-party-licenses.txt'), licensesOf([...inputs, ...page]));
  return Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ external: isOutside }) => isOutside).map(({ path }) => path),
  );
}

/**
 * Bundles programs that run where they are built. Their packages stay in `node_modules`, and there are no source maps:
 * it takes half as long (docs/decisions/packages-page-and-tools.md#0152).
 * @param programs the source of each, by the name of its file without `.js`.
 */
export async function buildProgramsToStart(programs: Programs, folder: string, threads: Threads): Promise<void> {
  await build({ ...bundlingInto(folder), entryPoints: { ...programs, ...threads }, packages: 'external' });
  await makeExecutable(programs, folder);
}

/** The source of each program, by the name of its file without `.js`. */
type Programs = { readonly [name: string]: string };

/** The options of all bundles of programs. */
function bundlingInto(folder: string) {
  return {
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external,
    // Its main module cannot be bundled: it requires others by names that are computed.
    alias: { 'jsonc-parser': createRequire(import.meta.url).resolve('jsonc-parser/lib/esm/main.js') },
    // CommonJS packages require modules of Node.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'warning',
    define: { AUTHZ_RELEASE: JSON.stringify(releaseOf()) },
  } satisfies BuildOptions;
}

async function makeExecutable(programs: Programs, folder: string): Promise<void> {
  for (const name of Object.keys(programs)) await chmod(join(folder, `${name}.js`), 0o755);
}

/** Writes the page with playground and explorer beside programs, and returns the sources that its scripts contain. */
export async function writePage(programs: string): Promise<readonly string[]> {
  const folder = join(programs, 'explorer');
  const { files, inputs } = await explorerFiles();
  rmSync(folder, { recursive: true, force: true });
  for (const { path, contents } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
  return inputs;
}

/**
 * What ServerInfo answers: the version of the package, the commit and its date; a build outside git knows only the
 * first.
 */
function releaseOf(): { readonly version: string; readonly commit: string; readonly buildDate: string } {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const git = (...args: readonly string[]): string => {
    try {
      return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    } catch {
      return 'unknown';
    }
  };
  return { version, commit: git('rev-parse', '--short', 'HEAD'), buildDate: git('log', '-1', '--format=%cI') };
}

/** The licenses of the packages that the programs contain, which ask to be distributed with them. */
export function licensesOf(modules: readonly string[]): string {
  const packages = modules.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const texts = [...new Set(packages)].sort().map((root) => {
    const { name, version, license } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
      readonly [key: string]: string;
    };
    const files = readdirSync(root).filter((file) => /^(licen[cs]e|notice)/i.test(file));
    return [`${name} ${version}: ${license}`, ...files.map((file) => readFileSync(`${root}/${file}`, 'utf8'))].join(
      '\n\n',
    );
  });
  return texts.join(`\n\n${'-'.repeat(80)}\n\n`);
}
