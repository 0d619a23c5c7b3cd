import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { RUNTIME_IMPORT, runtimeModule } from '../../compiler/bundle/index.js';
import type { EmittedFile } from '../../compiler/ir/emitted-file.js';
import { ROOT } from '../support/compiled.js';
import type { Caught } from './probe.js';

/** A mistake to plant in the planner: a text in one of its files and its replacement. */
export interface Mutant {
  readonly name: string;
  /** Relative to the repository. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}

/**
 * The verdict of the probe about a planner. `by` says which comparison noticed a difference, or that the planner threw.
 */
export type Verdict = Caught | undefined;

/** The emitted modules of each store, by path. */
export type Emissions = readonly { readonly [path: string]: string }[];

/** Why a mutant cannot be planted: its text is missing or ambiguous. Undefined when it can be planted. */
export function misfit({ name, file, find, replace }: Mutant): string | undefined {
  const count = readFileSync(join(ROOT, file), 'utf8').split(find).length - 1;
  if (count !== 1) return `${name}: \`${find}\` stands ${count} times in ${file}; give the mutant another text`;
  return find === replace ? `${name} changes nothing` : undefined;
}

/** A folder inside the repository, so that programs find their packages. It is removed at the end. */
export function workFolder(): string {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'mutants-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The emitter's output for all stores, with the mutant if there is one. The source tree does not change. */
export async function emissions(folder: string, mutant?: Mutant): Promise<Emissions> {
  const entry = `import { emitStores } from ${JSON.stringify(join(ROOT, 'tests/mutants/emit-stores.ts'))};\nprocess.stdout.write(JSON.stringify(emitStores()));`;
  return JSON.parse(await run(await program(folder, entry, mutant))) as Emissions;
}

/** The probe with all stores as one program, without the planner. It is built once, and each mutant adds a planner. */
export async function probeOf(stores: Emissions, hazards: number): Promise<string> {
  const imports = stores.map((_, index) => `import * as s${index} from 'store:${index}/bundle.ts';`);
  const probe = JSON.stringify(join(ROOT, 'tests/mutants/probe.ts'));
  const asked = `probe([${stores.map((_, index) => `s${index}`).join(', ')}], ${hazards}).then((caught) => process.stdout.write(JSON.stringify(caught ?? null)))`;
  const entry = `import { probe } from ${probe};\n${imports.join('\n')}\n${asked};`;
  const { outputFiles } = await build({
    ...PROGRAM,
    stdin: { contents: entry, resolveDir: ROOT, loader: 'ts' },
    write: false,
    plugins: [runtimeElsewhere(), storeModules(stores)],
  });
  return outputFiles[0]?.text ?? '';
}

/**
 * Runs a probe with the runtime and the planted mutant. Throws when the mutant does not compile: then it has not been
 * caught.
 */
export async function probed(folder: string, probe: string, mutant?: Mutant): Promise<Verdict> {
  const id = randomUUID();
  await build({
    ...PROGRAM,
    entryPoints: Object.fromEntries(PARTS.map((part) => [part, runtimeModule(RUNTIME, `authz/runtime/${part}`)])),
    outdir: join(folder, id),
    outExtension: { '.js': '.mjs' },
    splitting: true,
    plugins: mutant === undefined ? [] : [planted(mutant)],
  });
  // As deep in the repository as tests/support, which derives the repository's path from its own.
  const file = join(folder, `${id}.mjs`);
  writeFileSync(file, probe.replaceAll(ELSEWHERE, `./${id}/`));
  try {
    return (JSON.parse(await run(file)) as Caught | null) ?? undefined;
  } catch (error) {
    if (error instanceof TimedOut) throw error;
    return { by: 'the planner throws', detail: String(error instanceof Error ? error.message : error) };
  }
}

/** The parts of the runtime that stores and the probe import. */
const PARTS = ['cel', 'policy', 'residual', 'engine', 'parts'];

const RUNTIME = join(ROOT, 'runtime');

/** Where a probe finds its runtime, until it is told. */
const ELSEWHERE = './runtime-elsewhere/';

const PROGRAM = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'silent',
} as const;

/** The files of a compilation that make up its bundle. */
export function modulesOf(files: readonly EmittedFile[]): Emissions[number] {
  return Object.fromEntries(files.filter(({ path }) => path.endsWith('.ts')).map(({ path, text }) => [path, text]));
}

/**
 * Bundles a program with the planted mutant and returns its file. Throws when the mutant does not compile: then it has
 * not been caught.
 */
async function program(folder: string, entry: string, mutant: Mutant | undefined): Promise<string> {
  // As deep in the repository as tests/support, which derives the repository's path from its own.
  const file = join(folder, `${randomUUID()}.mjs`);
  await build({
    ...PROGRAM,
    stdin: { contents: entry, resolveDir: ROOT, loader: 'ts' },
    outfile: file,
    plugins: [runtimeImports(), ...(mutant === undefined ? [] : [planted(mutant)])],
  });
  return file;
}

function runtimeImports(): Plugin {
  return {
    name: 'runtime',
    setup({ onResolve }) {
      onResolve({ filter: RUNTIME_IMPORT }, ({ path }) => ({ path: runtimeModule(RUNTIME, path) }));
    },
  };
}

function runtimeElsewhere(): Plugin {
  return {
    name: 'runtime elsewhere',
    setup({ onResolve }) {
      onResolve({ filter: RUNTIME_IMPORT }, ({ path }) => ({
        path: `${ELSEWHERE}${path.replace(RUNTIME_IMPORT, '')}.mjs`,
        external: true,
      }));
    },
  };
}

function planted({ file, find, replace }: Mutant): Plugin {
  const path = join(ROOT, file);
  return {
    name: 'mutant',
    setup({ onLoad }) {
      onLoad({ filter: new RegExp(`/${posix.basename(file)}$`) }, (loaded) =>
        loaded.path === path
          ? { contents: readFileSync(path, 'utf8').replace(find, () => replace), loader: 'ts' }
          : undefined,
      );
    },
  };
}

function storeModules(stores: Emissions): Plugin {
  return {
    name: 'stores',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^store:/ }, ({ path }) => ({ path: path.slice('store:'.length), namespace: 'store' }));
      onResolve({ filter: /^\./, namespace: 'store' }, ({ path, importer }) => ({
        path: posix.join(posix.dirname(importer), path).replace(/\.js$/, '.ts'),
        namespace: 'store',
      }));
      onLoad({ filter: /.*/, namespace: 'store' }, ({ path }) => {
        const slash = path.indexOf('/');
        return {
          contents: stores[Number(path.slice(0, slash))]?.[path.slice(slash + 1)] ?? '',
          loader: 'ts',
          resolveDir: ROOT,
        };
      });
    },
  };
}

/** Stops a program that never ends; far longer than a busy machine needs. In milliseconds. */
const LONGEST_RUN = 600_000;

/** A program was stopped before it had a result, so its mutant has not been caught. */
class TimedOut extends Error {}

function run(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'], timeout: LONGEST_RUN });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('close', (code, signal) => {
      if (code === 0) resolve(stdout);
      else if (signal === 'SIGTERM') reject(new TimedOut(`${file} did not end within ${LONGEST_RUN} ms`));
      else reject(new Error(stderr.split('\n').find((line) => /Error/.test(line)) ?? `ended with ${code ?? signal}`));
    });
  });
}
