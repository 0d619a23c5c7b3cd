import { join } from 'node:path';
import type { Config } from '../../../server/config.js';
import type { Bundle } from '../../../server/main.js';
import { evaluateBundle } from '../../../server/swap/evaluate-bundle.js';
import { bundle } from '../../../compiler/bundle/index.js';
import type { Diagnostic } from '../../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../../compiler/diagnostics/format.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import { type CommandContext, printNote } from '../context.js';
import { printMessage } from '../exit.js';
import { compileFolder } from './compile.js';
import { decidesNothing } from './compile.js';
import { emptyText } from './empty-folder.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';

/**
 * Compiles the current content of a folder to a bundle. Returns undefined, after printing the reason, if the policies
 * do not compile or an empty folder is refused.
 */
export type FolderCompiler = () => Promise<Bundle | undefined>;

/** What to do when the folder holds no policies: refuse it, or warn and deny every request. */
export type WhenEmpty = 'refuse' | 'warn';

/** What a bundle has besides policies. */
export interface ServedParts {
  /** Whether the server explains decisions. */
  readonly explain: boolean;
  /** Whether the server asks what decisions read, or decides while facts are unknown. */
  readonly facts: boolean;
}

/** What a server with a configuration asks of a bundle besides decisions. */
export function servedParts({ server, audit, sources }: Config): ServedParts {
  const keepsReadSets = audit.enabled && audit.facts === 'read-set';
  return { explain: server.explain, facts: keepsReadSets || sources !== undefined };
}

/** How a folder is compiled to be served. */
export interface ServedOptions extends ServedParts {
  readonly whenEmpty: WhenEmpty;
  /** Whether warnings about policies that compile are printed; by default they are. */
  readonly warns?: boolean;
}

/** Compiles versions of a folder one after another: unchanged files are not compiled again. */
export function folderCompiler(folder: string, options: ServedOptions, context: CommandContext): FolderCompiler {
  const bundler = folderBundler(folder, options, context);
  return async () => {
    const js = await bundler();
    return js === undefined ? undefined : evaluateBundle(js, join(folder, 'policies.js'));
  };
}

/** The same with the text of the bundle. */
export function folderBundler(
  folder: string,
  { whenEmpty, explain, facts, warns = true }: ServedOptions,
  context: CommandContext,
): () => Promise<string | undefined> {
  let earlier: readonly Source[] = [];
  return async () => {
    const compilation = compileFolder(folder, { earlier, explain, facts });
    earlier = compilation.sources;
    if (warns || compilation.program === undefined) complain(compilation.diagnostics, folder, context);
    if (compilation.program === undefined) return undefined;
    if (decidesNothing(compilation)) {
      const problem = emptyText(folder, compilation);
      if (whenEmpty === 'refuse') {
        printMessage(context, `${problem}; name the folder of the policies, or serve it with --allow-empty`);
        return undefined;
      }
      printNote(context, `warning: ${problem}`);
    }
    return (await bundle(compilation.files, runtimeFolder())).js;
  };
}

/** Standard output is reserved for the line that the server is ready; diagnostics go to standard error. */
function complain(diagnostics: readonly Diagnostic[], folder: string, context: CommandContext): void {
  const color = context.stderr.isTTY === true;
  if (diagnostics.length > 0) printNote(context, formatPretty(diagnostics, { color, folder }));
}
