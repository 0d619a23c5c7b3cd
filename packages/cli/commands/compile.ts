import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundleDeclarations } from '../../../compiler/bundle/declarations.js';
import type { Bundle } from '../../../compiler/bundle/index.js';
import type { BundlePlace } from '../../../compiler/bundle/source-map.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import type { Diagnostic } from '../../../compiler/diagnostics/diagnostic.js';
import type { Severity } from '../../../compiler/diagnostics/messages.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { type EmittedFile, reviewedFiles } from '../../../compiler/ir/emitted-file.js';
import { loadSuites } from '../../../compiler/load/index.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';
import type { Snapshot } from '../../../compiler/recompile/snapshot.js';
import { compileCached } from '../cache/cached-compilation.js';
import { defaultCacheFolder } from '../cache/folder.js';
import type { WrittenBundle } from '../cache/entry.js';
import { bundleSettings, isWritten, writtenBundle } from '../cache/written-bundle.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, printMessage } from '../exit.js';
import { compareFolder, type Difference } from '../outputs/output-folder.js';
import { realLocation, writeOutputs } from '../outputs/write-outputs.js';
import { compileFolder } from '../policies/compile.js';
import { emptyText } from '../policies/empty-folder.js';
import type { Finding, FindingRule } from '../findings/finding.js';
import type { OnFindings } from '../findings/log.js';
import { ProgressLine } from '../progress.js';
import type { TableOptions } from '../policies/table-options.js';
import { hasTwoOutputs, type TestOptions } from '../policies/test-options.js';
import { type OutputFormat, printDiagnostics, reportInputError } from '../report.js';

/** The command line options of `authzc compile`. */
export interface CompileOptions extends TestOptions, Partial<TableOptions> {
  readonly out: string;
  /** False with `--no-bundle`. */
  readonly bundle: string | false;
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
  /** Whether the bundle can explain its decisions. */
  readonly explain?: boolean;
  /** Whether the bundle can decide while facts are unknown. */
  readonly facts?: boolean;
  /** The view of a browser: `client.yaml`. */
  readonly client?: string;
  /** Where the projection for browsers is written. */
  readonly clientOut?: string;
  /** Whether the tests of the folder are skipped. */
  readonly skipTests?: boolean;
  /** Whether a folder without policies is compiled. */
  readonly allowEmpty?: boolean;
  /** False with `--no-cache`. */
  readonly cache?: boolean;
  /** The folder of the cache. */
  readonly cacheDir?: string;
  /** Takes the findings of a log in place of standard output; of tests only with `skipTests`. */
  readonly onFindings?: OnFindings | undefined;
}

/**
 * `authzc compile`: compiles a folder of policies to generated modules and a bundle. The tests of the folder run first:
 * if they fail, nothing is written. Returns the exit code.
 */
export async function compileCommand(
  directory: string,
  options: CompileOptions,
  context: CommandContext,
): Promise<number> {
  if (hasTwoOutputs(options, context)) return EXIT.usage;
  try {
    return await compiled(directory, options, context);
  } catch (error) {
    return reportInputError(error, context);
  }
}

async function compiled(directory: string, options: CompileOptions, context: CommandContext): Promise<number> {
  const { strictTypes = false, checksOnly = false, explain = false, facts = false } = options;
  const begin = performance.now();
  // What is about all policies is made again each time.
  const isCached = options.cache !== false && !explain && !facts;
  const cache = isCached ? (options.cacheDir ?? defaultCacheFolder()) : undefined;
  const progress = new ProgressLine(context.stderr);
  const compilation = await compileCached(directory, {
    strictTypes,
    checksOnly,
    explain,
    facts,
    cache,
    onStep: progress.show,
  });
  progress.clear();
  const { snapshot, sources } = compilation;
  const tables = await readTables(directory, options, context);
  const ofFacts = facts ? await readFacts(directory, options) : NO_FACTS;
  const diagnostics = [...compilation.diagnostics, ...tables.diagnostics, ...ofFacts.diagnostics];
  const suites = isTested(options) ? loadSuites(options.tests ?? directory) : [];
  const isRefused = options.failOn === 'warning' && diagnostics.length > 0;
  if (suites.length === 0 || isRefused || snapshot === undefined)
    printDiagnostics(diagnostics, options.output, { folder: directory, onFindings: options.onFindings }, context);
  if (isRefused || snapshot === undefined) return EXIT.refused;
  // Policies that only others import may be validated alone.
  const isEmpty = (options.emit ? snapshot.policies : sources.length) === 0;
  if (isEmpty && options.allowEmpty !== true) {
    printMessage(
      context,
      `${emptyText(directory, compilation)}; name the folder of the policies, or compile it with --allow-empty`,
    );
    return EXIT.failed;
  }
  let tests = 0;
  if (suites.length > 0) {
    // The engine is loaded only if there are tests.
    const { testCompilation } = await import('../policies/test-policies.js');
    // Tests may be strict, which needs what --checks-only leaves out.
    const tested = checksOnly
      ? await compileCached(directory, { strictTypes, checksOnly: false, cache: undefined })
      : compilation;
    const outcome = await testCompilation(
      suites,
      { files: tested.snapshot?.files ?? [], diagnostics: tested.diagnostics, sources },
      { ...options, folder: directory },
      context,
    );
    if (outcome.code !== EXIT.done) {
      await compilation.save(compilation.written);
      return outcome.code;
    }
    tests = outcome.tests;
  }
  const summarise = (done: string): void =>
    printSummary({ ...countRules(snapshot), tests, done, milliseconds: performance.now() - begin }, context);
  if (!options.emit) {
    await compilation.save(compilation.written);
    summarise('nothing written');
    return EXIT.done;
  }
  const emitted = tables.addComputed(snapshot.files);
  const types = ofFacts.addTypes(snapshot.types);
  const files = [...reviewedFiles(emitted), types];
  if (options.check === true) {
    await compilation.save(compilation.written);
    const code = checkFolder(directory, options, files, context);
    if (code === EXIT.done) summarise(`${visible(options.out)} is up to date`);
    return code;
  }
  if (options.client !== undefined) {
    const code = await clientWritten(directory, options, context);
    if (code !== EXIT.done) return code;
  }
  const bundle = options.bundle === false ? undefined : options.bundle;
  // The cache knows nothing of tables.
  const known = emitted === snapshot.files ? compilation : { written: undefined };
  const bundled = bundle === undefined ? undefined : await bundleDue(bundle, directory, known, { files: emitted });
  progress.show('bundling and writing files');
  const written = await writeOutputs(
    { policies: directory, out: options.out, bundle },
    {
      modules: files,
      bundling: bundled?.bundling,
      declarations: bundleDeclarations(types, { checksOnly, explain }),
    },
  ).finally(() => progress.clear());
  await compilation.save((emitted === snapshot.files ? await bundled?.record() : undefined) ?? compilation.written);
  const places = [options.out, ...(bundle === undefined ? [] : [bundle])].map(visible);
  summarise(`${counted(written, 'file')} written to ${places.join(' and ')}`);
  return EXIT.done;
}

/** Writes the projection for browsers, unless something about it is not proved. */
async function clientWritten(
  directory: string,
  {
    client = '',
    clientOut = 'dist/client.js',
    output,
    onFindings,
    strictTypes = false,
    checksOnly = false,
    explain = false,
  }: CompileOptions,
  context: CommandContext,
): Promise<number> {
  const [{ writeClient }, { chooseProver }, { CLIENT_DECLARATIONS }] = await Promise.all([
    import('../policies/client.js'),
    import('../policies/solver.js'),
    import('../../analysis/client/declarations.js'),
  ]);
  const view = readFileSync(client, 'utf8');
  const { text, diagnostics, report } = await writeClient(
    // As the bundle is compiled, whose hash the projection has.
    compileFolder(directory, { strictTypes, checksOnly, explain }),
    view,
    chooseProver({}),
  );
  printDiagnostics(diagnostics, output, { folder: directory, onFindings }, context);
  if (text === undefined) return EXIT.refused;
  mkdirSync(dirname(clientOut), { recursive: true });
  writeFileSync(clientOut, text);
  if (JAVASCRIPT.test(clientOut)) writeFileSync(clientOut.replace(JAVASCRIPT, '.d.$1ts'), CLIENT_DECLARATIONS);
  for (const line of report) printNote(context, line);
  return EXIT.done;
}

const JAVASCRIPT = /\.([cm]?)js$/;

/** The bundle of a compilation if it is not at its path yet, and its record for the cache. */
async function bundleDue(
  path: string,
  directory: string,
  { written }: Pick<Awaited<ReturnType<typeof compileCached>>, 'written'>,
  { files }: Pick<Snapshot, 'files'>,
): Promise<{
  readonly bundling: Promise<Bundle> | undefined;
  readonly record: () => Promise<WrittenBundle | undefined>;
}> {
  const place = { folder: realLocation(dirname(path)), policies: realLocation(directory) };
  const settings = bundleSettings(path, place);
  const bundling = (await isWritten(written, path, settings)) ? undefined : makeBundle(files, place);
  return {
    bundling,
    record: async () => (bundling === undefined ? undefined : writtenBundle(await bundling, path, settings)),
  };
}

/** What tables have to do with a compilation. */
interface CompiledTables {
  /** What is wrong with conditions over them. */
  readonly diagnostics: readonly Diagnostic[];
  /** Adds what policies of a database need of an application. The same files if that is nothing. */
  readonly addComputed: (files: readonly EmittedFile[]) => readonly EmittedFile[];
}

async function readTables(
  directory: string,
  { table, dialect = 'postgresql', strictTypes = false }: CompileOptions,
  context: CommandContext,
): Promise<CompiledTables> {
  if (table === undefined) return { diagnostics: [], addComputed: (files) => files };
  const [{ readEnforcedTables }, { computedInTables, diagnosticsOfTables }, { withComputed }] = await Promise.all([
    import('../policies/request-files.js'),
    import('../policies/tables.js'),
    import('../../../compiler/emit/computed.js'),
  ]);
  const compilation = compileFolder(directory, { strictTypes });
  const file = readEnforcedTables(table, context);
  const computed = computedInTables(compilation, file);
  return {
    diagnostics: diagnosticsOfTables(compilation, file.tables, dialect),
    addComputed: (files) => (computed === undefined ? files : withComputed(files, computed.values, computed.program)),
  };
}

/** What `--facts` has to do with a compilation, besides the bundle. */
interface CompiledFacts {
  /** Conditions that read all attributes of a side. */
  readonly diagnostics: readonly Diagnostic[];
  /** Adds the type `Facts` of what decisions read. */
  readonly addTypes: (types: EmittedFile) => EmittedFile;
}

const NO_FACTS: CompiledFacts = { diagnostics: [], addTypes: (types) => types };

async function readFacts(directory: string, { strictTypes = false }: CompileOptions): Promise<CompiledFacts> {
  const { diagnosticsOfFacts, withFactTypes } = await import('../policies/compiled-facts.js');
  const compilation = compileFolder(directory, { strictTypes });
  return {
    diagnostics: diagnosticsOfFacts(compilation),
    addTypes: (types) => withFactTypes(types, compilation),
  };
}

/** esbuild runs in a separate process: it bundles while the output folder is compared. */
async function makeBundle(files: readonly EmittedFile[], place: BundlePlace): Promise<Bundle> {
  // A run that does not bundle does not load esbuild.
  const { bundle } = await import('../../../compiler/bundle/index.js');
  return bundle(files, runtimeFolder(), place);
}

function countRules({ policies, documents }: Snapshot): Pick<Outcome, 'policies' | 'rules'> {
  return { policies, rules: [...documents.values()].reduce((sum, { rules }) => sum + rules, 0) };
}

/** Whether tests run; without emitting, diagnostics are printed at once, without running tests. */
function isTested({ skipTests = false, emit, tests }: CompileOptions): boolean {
  return !skipTests && (emit || tests !== undefined);
}

function checkFolder(
  directory: string,
  { out, checksOnly = false, explain = false, facts = false, onFindings }: CompileOptions,
  files: readonly EmittedFile[],
  context: CommandContext,
): number {
  const difference = compareFolder(out, files);
  const lines = describe(difference, out);
  if (lines.length === 0) return EXIT.done;
  onFindings?.(staleFindings(difference, out, directory), [STALE]);
  const flags = `${checksOnly ? ' --checks-only' : ''}${explain ? ' --explain' : ''}${facts ? ' --facts' : ''}`;
  const fix = `npx authzc compile ${directory} --out ${out}${flags}`;
  printNote(context, `${out} is out of date with ${directory}:\n${lines.join('\n')}\nrun: ${fix}`);
  if (!existsSync(out) && existsSync(join(USUAL_FOLDER, 'manifest.json')))
    printNote(
      context,
      `${USUAL_FOLDER} has generated modules: if they are of these policies, add --out ${USUAL_FOLDER}`,
    );
  return EXIT.failed;
}

/** Where the scripts of `authzc init` compile to. */
const USUAL_FOLDER = 'src/generated';

const STALE: FindingRule = {
  id: 'output/stale',
  level: 'error',
  help: 'A generated file is out of date. Run `authzc compile`.',
};

function staleFindings({ missing, changed, stale }: Difference, out: string, directory: string): readonly Finding[] {
  return [...missing, ...changed, ...stale].map((path) => ({
    rule: STALE.id,
    level: STALE.level,
    message: `out of date with ${directory}; run authzc compile`,
    location: { path: join(out, path) },
  }));
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
  readonly policies: number;
  readonly rules: number;
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
function printSummary(outcome: Outcome, { stderr }: Pick<CommandContext, 'stderr'>): void {
  if (stderr.isTTY === true) stderr.write(`${summaryLine(outcome)}\n`);
}

/** `12 policies, 40 rules, 31 tests passed, 5 files written in 0.4 s`. */
function summaryLine({ policies, rules, tests, done, milliseconds }: Outcome): string {
  const parts = [
    counted(policies, 'policy', 'policies'),
    counted(rules, 'rule'),
    ...(tests > 0 ? [`${counted(tests, 'test')} passed`] : []),
    done,
  ];
  return `${parts.join(', ')} in ${(milliseconds / 1000).toFixed(1)} s`;
}

/** `1 file`, `2 files`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
