import type { BundleModule } from '../../../compiler/bundle/import-bundle.js';
import { type Compilation, compile, type CompileOptions } from '../../../compiler/compile.js';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import { formatPretty, shownPath } from '../../../compiler/diagnostics/format.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import type { Program } from '../../../compiler/ir/program.js';
import { load, type Loaded } from '../../../compiler/load/index.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';
import type { Vocabulary } from '../../../compiler/validate/vocabulary.js';
import { emptyText } from './empty-folder.js';
import { type CommandContext, isColorful } from '../context.js';
import { readVocabulary } from './vocabulary.js';

/** A compilation of a folder, with the sources that were read from it. */
export interface FolderCompilation extends Compilation {
  readonly sources: readonly Source[];
  /** The JSON schemas, by path. */
  readonly schemas: ReadonlyMap<string, string>;
}

/** How a folder is compiled. */
export interface FolderOptions {
  /** The sources of an earlier compilation: unchanged files are not parsed again. */
  readonly earlier?: readonly Source[];
  /** A compilation with the same options, of this or another folder: returned again if the files are the same. */
  readonly before?: FolderCompilation | undefined;
  readonly strictTypes?: boolean;
  /** Vocabulary, by default that of the project. */
  readonly vocabulary?: Vocabulary;
  readonly checksOnly?: boolean;
  readonly explain?: boolean;
  readonly facts?: boolean;
  /** Is told what is being done. */
  readonly onStep?: CompileOptions['onStep'];
}

/** Loads and compiles a folder of policies. Throws when the folder cannot be read. */
export function compileFolder(
  directory: string,
  {
    before,
    earlier = [],
    vocabulary = readVocabulary(),
    strictTypes = false,
    checksOnly = false,
    explain = false,
    facts = false,
    onStep,
  }: FolderOptions = {},
): FolderCompilation {
  const report = new Diagnostics();
  const { sources, schemas } = load(directory, report, before?.sources ?? earlier);
  if (before !== undefined && report.isEmpty && compiles(before, { sources, schemas })) return before;
  const options = { schemaTexts: schemas, strictTypes, vocabulary, checksOnly, explain, facts, onStep };
  // A spread would read the files, and so emit them.
  return Object.assign(compile(sources, report, options), { sources, schemas });
}

/** Whether a compilation succeeded and was of these files. An unchanged file has the same Source object. */
function compiles(before: FolderCompilation, { sources, schemas }: Loaded): boolean {
  return (
    before.program !== undefined &&
    before.sources.length === sources.length &&
    before.schemas.size === schemas.size &&
    sources.every((source, at) => source === before.sources[at]) &&
    [...schemas].every(([path, text]) => before.schemas.get(path) === text)
  );
}

/** Whether policies that compile decide nothing: all files are missing, empty, disabled or only to be imported. */
export function decidesNothing({ program }: Compilation): boolean {
  return program?.modules.length === 0;
}

/**
 * Compiles a folder and writes nothing. Returns undefined when its policies do not compile, after printing the
 * diagnostics to standard error. Throws when the folder cannot be read or holds no policies.
 */
export async function policiesInMemory(
  directory: string,
  context: CommandContext,
): Promise<PoliciesInMemory | undefined> {
  const compilation = compiledFolder(directory, context);
  return compilation && { ...(await loadPolicies(compilation, directory)), lowered: compilation.lowered };
}

/** The same for analyses that run no policies. */
export function compiledFolder(
  directory: string,
  context: CommandContext,
): (FolderCompilation & { readonly lowered: Program }) | undefined {
  return acceptCompilation(compileFolder(directory), directory, context);
}

/**
 * A compilation that was not refused; undefined for others, after printing the diagnostics to standard error. Throws for
 * policies that decide nothing.
 *
 * @param folder the one they were read from.
 */
export function acceptCompilation(
  compilation: FolderCompilation,
  folder: string,
  context: CommandContext,
): (FolderCompilation & { readonly lowered: Program }) | undefined {
  if (decidesNothing(compilation))
    throw new Error(`${emptyText(folder, compilation)}: name the folder of the policies`);
  const { lowered, diagnostics } = compilation;
  if (lowered !== undefined) return compilation as FolderCompilation & { readonly lowered: Program };
  const { stderr } = context;
  stderr.write(formatPretty(diagnostics, { color: isColorful(stderr, context), folder }));
  return undefined;
}

/** Policies that are ready to decide, in this process. */
export interface ReadyPolicies extends BundleModule {
  /** Where each rule was written, as `file:line:column`; empty for a rule that is not there. */
  readonly placeOf: (policy: string, rule: string) => string;
}

/** The same, with what analyses read. */
export interface PoliciesInMemory extends ReadyPolicies {
  /** The program as its authors wrote it, for analyses. */
  readonly lowered: Program;
}

/**
 * The policies of a compilation that was not refused.
 *
 * @param folder the one they were read from.
 */
export async function loadPolicies({ files }: Pick<Compilation, 'files'>, folder: string): Promise<ReadyPolicies> {
  const rules = new Map(files.flatMap(({ origins }) => origins).map(({ rule, span }) => [rule, span]));
  // A command that runs no policies does not load esbuild.
  const { loadEmitted } = await import('../../../compiler/bundle/load-emitted.js');
  return {
    ...(await loadEmitted(files, runtimeFolder())),
    placeOf: (policy, rule) => formatPosition(rules.get(`${policy}#${rule}`), folder),
  };
}

function formatPosition(span: Span | undefined, folder: string): string {
  if (span === undefined) return '';
  const { line, column } = span.source.lineAndColumn(span.start);
  return `${shownPath(span.source.path, folder)}:${line}:${column}`;
}
