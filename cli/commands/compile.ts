import { bundle } from '../../compiler/bundle/index.js';
import type { Compilation } from '../../compiler/compile.js';
import { shownPath } from '../../compiler/diagnostics/format.js';
import type { Severity } from '../../compiler/diagnostics/messages.js';
import { visible } from '../../compiler/diagnostics/visible.js';
import type { EmittedFile } from '../../compiler/ir/emitted-file.js';
import type { Program } from '../../compiler/ir/program.js';
import { loadSuites } from '../../compiler/load/index.js';
import { runtimeFolder } from '../../compiler/load/runtime-folder.js';
import { EXIT } from '../exit.js';
import { compareFolder, type Difference } from '../outputs/output-folder.js';
import { writeOutputs } from '../outputs/write-outputs.js';
import { compileFolder, decidesNothing, emptyText } from '../policies/compile.js';
import type { TestOptions } from '../policies/test-options.js';
import { type OutputFormat, printDiagnostics } from '../report.js';

/** The command line options of `authzc compile`. */
export interface CompileOptions extends TestOptions {
  readonly out: string;
  readonly bundle: string;
  readonly check?: boolean;
  /** False with `--no-emit`. */
  readonly emit: boolean;
  readonly output: OutputFormat;
  /** The minimum severity that fails the compilation; errors always do. */
  readonly failOn?: Severity;
  /** Whether attributes that the schemas do not know, or do not require, are errors. */
  readonly strictTypes?: boolean;
  /** Whether only what checks need is emitted: no plans, no strict evaluation. */
  readonly checksOnly?: boolean;
  /** Whether the tests of the folder are skipped. */
  readonly skipTests?: boolean;
  /** Whether a folder without policies is compiled. */
  readonly allowEmpty?: boolean;
}

/**
 * `authzc compile`: compiles a folder of policies to generated modules and a bundle. The tests of the folder run first:
 * if they fail, nothing is written. Returns the exit code.
 */
export async function compileCommand(directory: string, options: CompileOptions): Promise<number> {
  const { strictTypes = false, checksOnly = false } = options;
  const begin = performance.now();
  const compilation = compileFolder(directory, { strictTypes, checksOnly });
  const suites = isTested(options) ? loadSuites(options.tests ?? directory) : [];
  const isRefused =
    compilation.program === undefined || (options.failOn === 'warning' && compilation.diagnostics.length > 0);
  if (suites.length === 0 || isRefused)
    printDiagnostics(compilation.diagnostics, options.output, { folder: directory });
  if (isRefused) return EXIT.refused;
  // Policies that only others import may be validated alone.
  const isEmpty = options.emit ? decidesNothing(compilation) : compilation.sources.length === 0;
  if (isEmpty && options.allowEmpty !== true) {
    console.error(
      `authzc: ${emptyText(directory, compilation)}; name the folder of the policies, or compile it with --allow-empty`,
    );
    return EXIT.failed;
  }
  let tests = 0;
  if (suites.length > 0) {
    // The engine is loaded only if there are tests.
    const { testCompilation } = await import('../policies/test-policies.js');
    // Tests may be strict, which needs what --checks-only leaves out.
    const outcome = await testCompilation(
      suites,
      checksOnly ? compileFolder(directory, { earlier: compilation.sources, strictTypes }) : compilation,
      { ...options, folder: directory },
    );
    if (outcome.code !== EXIT.done) return outcome.code;
    tests = outcome.tests;
  }
  const summarise = (done: string): void =>
    printSummary({ ...compilation, tests, done, milliseconds: performance.now() - begin });
  if (!options.emit) {
    summarise('nothing written');
    return EXIT.done;
  }
  if (options.check === true) {
    const code = await checkFolder(directory, options, await allFiles(compilation));
    if (code === EXIT.done) summarise(`${visible(options.out)} is up to date`);
    return code;
  }
  // esbuild runs in a separate process: it bundles while types are generated and the folder is compared.
  const bundling = bundle(compilation.files, runtimeFolder());
  const written = await writeOutputs(
    { policies: directory, out: options.out, bundle: options.bundle },
    await allFiles(compilation),
    bundling,
  );
  summarise(`${counted(written, 'file')} written`);
  return EXIT.done;
}

/** Without emitting, diagnostics are printed at once, without running tests. */
function isTested({ skipTests = false, emit, tests }: CompileOptions): boolean {
  return !skipTests && (emit || tests !== undefined);
}

/** The emitted files and the types for callers, which only a folder of generated code needs. */
async function allFiles({ files, program }: Compilation): Promise<readonly EmittedFile[]> {
  // ts-morph loads the TypeScript compiler: it is imported on demand, not at every start.
  const { emitTypes } = await import('../../compiler/emit/types.js');
  return program === undefined ? files : [...files, emitTypes(program)];
}

async function checkFolder(
  directory: string,
  { out, checksOnly = false }: CompileOptions,
  files: readonly EmittedFile[],
): Promise<number> {
  const difference = await compareFolder(out, files);
  const lines = describe(difference, out);
  if (lines.length === 0) return EXIT.done;
  const fix = `npx authzc compile ${directory} --out ${out}${checksOnly ? ' --checks-only' : ''}`;
  console.error(`${out} is not what ${directory} compiles to:\n${lines.join('\n')}\nrun: ${fix}`);
  return EXIT.failed;
}

function describe({ missing, changed, stale }: Difference, folder: string): readonly string[] {
  return [
    ...missing.map((path) => `  missing  ${shownPath(path, folder)}`),
    ...changed.map((path) => `  differs  ${shownPath(path, folder)}`),
    ...stale.map((path) => `  stale    ${shownPath(path, folder)}`),
  ];
}

/** The result of a compilation. */
export interface Outcome {
  readonly program: Program | undefined;
  /** How many tests passed. */
  readonly tests: number;
  /** What happened to the files. */
  readonly done: string;
  readonly milliseconds: number;
}

/**
 * Prints a one-line summary to standard error if that is a terminal. Programs that read the output, and logs, see
 * nothing.
 */
export function printSummary(outcome: Outcome): void {
  if (process.stderr.isTTY === true) process.stderr.write(`${summaryLine(outcome)}\n`);
}

/** `12 policies, 40 rules, 31 tests passed, 5 files written in 0.4 s`. */
export function summaryLine({ program, tests, done, milliseconds }: Outcome): string {
  const modules = program?.modules ?? [];
  const rules = modules.flatMap((module) =>
    module.kind === 'derived-roles' ? [] : module.rules.map(({ span }) => `${span.source.path}:${span.start}`),
  );
  const parts = [
    counted(modules.length, 'policy', 'policies'),
    // A rule with several derived roles is lowered to several.
    counted(new Set(rules).size, 'rule'),
    ...(tests > 0 ? [`${counted(tests, 'test')} passed`] : []),
    done,
  ];
  return `${parts.join(', ')} in ${(milliseconds / 1000).toFixed(1)} s`;
}

/** `1 file`, `2 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
