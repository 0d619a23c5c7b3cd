import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, posix } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { EmittedFile } from '../../compiler/ir/emitted-file.js';
import { ROOT } from '../support/compiled.js';
import type { Caught } from './probe.js';

/** A mistake planted in the planner: a text of one of its files, replaced. */
export interface Mutant {
  readonly name: string;
  /** Relative to the repository. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** What the probe said of a planner; `by` tells who noticed a difference, or that the planner threw. */
export type Verdict = Caught | undefined;

/** The emitted modules of each store, by path. */
export type Emissions = readonly { readonly [path: string]: string }[];

/** What is wrong with a mutant itself: its text is not, or not exactly once, where it should be. Undefined when it can be planted. */
export function misfit({ name, file, find, replace }: Mutant): string | undefined {
  const count = readFileSync(join(ROOT, file), 'utf8').split(find).length - 1;
  if (count !== 1) return `${name}: \`${find}\` stands ${count} times in ${file}; give the mutant another text`;
  return find === replace ? `${name} changes nothing` : undefined;
}

/** A folder inside the repository, so that programs find their packages, which is removed at the end. */
export function workFolder(): string {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'mutants-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What the emitter makes of all stores; with a mutant, the mutated one. Nothing of the tree is changed. */
export async function emissions(folder: string, mutant?: Mutant): Promise<Emissions> {
  const entry = `import { emitStores } from ${JSON.stringify(join(ROOT, 'tests/mutants/emit-stores.ts'))};\nprocess.stdout.write(JSON.stringify(emitStores()));`;
  return JSON.parse(await run(await program(folder, entry, mutant, []))) as Emissions;
}

/** Runs the probe with all stores in one program, the mutant planted in it. */
export async function probed(folder: string, stores: Emissions, hazards: number, mutant?: Mutant): Promise<Verdict> {
  const imports = stores.map((_, index) => `import * as s${index} from 'store:${index}/index.ts';`);
  const probe = JSON.stringify(join(ROOT, 'tests/mutants/probe.ts'));
  const asked = `probe([${stores.map((_, index) => `s${index}`).join(', ')}], ${hazards}).then((caught) => process.stdout.write(JSON.stringify(caught ?? null)))`;
  const entry = `import { probe } from ${probe};\n${imports.join('\n')}\n${asked};`;
  const file = await program(folder, entry, mutant, [storeModules(stores)]);
  try {
    return (JSON.parse(await run(file)) as Caught | null) ?? undefined;
  } catch (error) {
    return { by: 'the planner throws', detail: String(error instanceof Error ? error.message : error) };
  }
}

/** The files of a compilation that make its bundle. */
export function modulesOf(files: readonly EmittedFile[]): Emissions[number] {
  return Object.fromEntries(files.filter(({ path }) => path.endsWith('.ts')).map(({ path, text }) => [path, text]));
}

/** Bundles a program, the mutant planted in it; gives its file. Throws when the mutant is no code: then it has not been caught. */
async function program(folder: string, entry: string, mutant: Mutant | undefined, plugins: readonly Plugin[]): Promise<string> {
  // As deep in the repository as tests/support, which tells from its own place where the repository is.
  const file = join(folder, `${randomUUID()}.mjs`);
  await build({
    stdin: { contents: entry, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    outfile: file,
    logLevel: 'silent',
    plugins: [runtimeImports(), ...(mutant === undefined ? [] : [planted(mutant)]), ...plugins],
  });
  return file;
}

function runtimeImports(): Plugin {
  return {
    name: 'runtime',
    setup({ onResolve }) {
      onResolve({ filter: /^#runtime\// }, ({ path }) => ({ path: join(ROOT, path.slice(1), 'index.ts') }));
    },
  };
}

function planted({ file, find, replace }: Mutant): Plugin {
  const path = join(ROOT, file);
  return {
    name: 'mutant',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, (loaded) => (loaded.path === path ? { contents: readFileSync(path, 'utf8').replace(find, () => replace), loader: 'ts' } : undefined));
    },
  };
}

function storeModules(stores: Emissions): Plugin {
  return {
    name: 'stores',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^store:/ }, ({ path }) => ({ path: path.slice('store:'.length), namespace: 'store' }));
      onResolve({ filter: /^\./, namespace: 'store' }, ({ path, importer }) => ({ path: posix.join(posix.dirname(importer), path).replace(/\.js$/, '.ts'), namespace: 'store' }));
      onLoad({ filter: /.*/, namespace: 'store' }, ({ path }) => {
        const slash = path.indexOf('/');
        return { contents: stores[Number(path.slice(0, slash))]?.[path.slice(slash + 1)] ?? '', loader: 'ts', resolveDir: ROOT };
      });
    },
  };
}

function run(file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000 });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('close', (code) => (code === 0 ? resolve(stdout) : reject(new Error(stderr.split('\n').find((line) => /Error/.test(line)) ?? `ended with ${code}`))));
  });
}
