import { type BundleModule, importBundle } from '../../compiler/bundle/import-bundle.js';
import { bundle } from '../../compiler/bundle/index.js';
import { type Compilation, compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { formatPretty, shownPath } from '../../compiler/diagnostics/format.js';
import type { Source } from '../../compiler/diagnostics/source.js';
import type { Span } from '../../compiler/diagnostics/span.js';
import { visible } from '../../compiler/diagnostics/visible.js';
import { load } from '../../compiler/load/index.js';
import { runtimeFolder } from '../../compiler/load/runtime-folder.js';
import { isColorful } from '../report.js';

/** A compilation of a folder, with the sources that were read from it. */
export interface FolderCompilation extends Compilation {
  readonly sources: readonly Source[];
}

/** How a folder is compiled. */
export interface FolderOptions {
  /** The sources of an earlier compilation: unchanged files are not compiled again. */
  readonly earlier?: readonly Source[];
  readonly strictTypes?: boolean;
  readonly checksOnly?: boolean;
}

/** Loads and compiles a folder of policies. Throws when the folder cannot be read. */
export function compileFolder(
  directory: string,
  { earlier = [], strictTypes = false, checksOnly = false }: FolderOptions = {},
): FolderCompilation {
  const report = new Diagnostics();
  const { sources, schemas } = load(directory, report, earlier);
  return { ...compile(sources, report, { schemaTexts: schemas, strictTypes, checksOnly }), sources };
}

/** Whether policies that compile decide nothing: all files are missing, empty, disabled or only to be imported. */
export function decidesNothing({ program }: Compilation): boolean {
  return program?.modules.length === 0;
}

/** The message about a folder that decides nothing, without the fix. */
export function emptyText(directory: string, { sources }: FolderCompilation): string {
  const missing = sources.length === 0 ? 'policies' : 'enabled policies';
  return `\`${visible(directory)}\` holds no ${missing}, so every request would be denied`;
}

/**
 * Compiles a folder and writes nothing. Returns undefined when its policies do not compile, after printing the
 * diagnostics to standard error. Throws when the folder cannot be read or holds no policies.
 */
export async function policiesInMemory(directory: string): Promise<PoliciesInMemory | undefined> {
  const compilation = compileFolder(directory);
  if (decidesNothing(compilation))
    throw new Error(`${emptyText(directory, compilation)}: name the folder of the policies`);
  if (compilation.program !== undefined) return policiesOf(compilation, directory);
  process.stderr.write(formatPretty(compilation.diagnostics, { color: isColorful(process.stderr), folder: directory }));
  return undefined;
}

/** Policies that are ready to decide, in this process. */
export interface PoliciesInMemory extends BundleModule {
  /** Where each rule was written, as `file:line:column`; empty for a rule that is not there. */
  readonly placeOf: (policy: string, rule: string) => string;
}

/**
 * The policies of a compilation that was not refused.
 *
 * @param folder the one they were read from.
 */
export async function policiesOf({ files }: Compilation, folder: string): Promise<PoliciesInMemory> {
  const { js } = await bundle(files, runtimeFolder());
  const rules = new Map(files.flatMap(({ origins }) => origins).map(({ rule, span }) => [rule, span]));
  return { ...(await importBundle(js)), placeOf: (policy, rule) => positionOf(rules.get(`${policy}#${rule}`), folder) };
}

function positionOf(span: Span | undefined, folder: string): string {
  if (span === undefined) return '';
  const { line, column } = span.source.lineAndColumn(span.start);
  return `${shownPath(span.source.path, folder)}:${line}:${column}`;
}
