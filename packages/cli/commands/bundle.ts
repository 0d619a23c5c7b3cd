import type { PolicyBundle } from '../../../runtime/policy/index.js';
import { engineRange, readArchive, writeArchive } from '../../bundle/index.js';
import { bundle } from '../../../compiler/bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { Severity } from '../../../compiler/diagnostics/messages.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';
import { version } from '../../../compiler/version.js';
import { ciJob } from '../bundles/ci-job.js';
import { sourceRevision } from '../bundles/source-revision.js';
import { compileCached } from '../cache/cached-compilation.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, printMessage } from '../exit.js';
import { loadOnce } from '../outputs/load-once.js';
import { replaceFiles } from '../outputs/replace-files.js';
import { emptyText } from '../policies/empty-folder.js';
import { ProgressLine } from '../progress.js';
import { printDiagnostics } from '../report.js';

/** The command line options of `authzc bundle`. */
export interface BundleOptions {
  /** The file of the archive. */
  readonly out: string;
  readonly strictTypes?: boolean;
  readonly checksOnly?: boolean;
  readonly explain?: boolean;
  readonly facts?: boolean;
  readonly failOn?: Severity;
  readonly allowEmpty?: boolean;
  /** Whether tests run, or the folder that they are in. */
  readonly tests?: boolean | string;
  readonly sequence?: number;
  /** RFC 3339. */
  readonly notBefore?: string;
  /** RFC 3339. */
  readonly notAfter?: string;
  /** Empty: the archive does not say. */
  readonly builder?: string;
}

/**
 * `authzc bundle`: compiles a folder of policies to an archive. Nothing is written if they do not compile or a test
 * fails. Returns the exit code.
 */
export async function bundleCommand(
  directory: string,
  options: BundleOptions,
  context: CommandContext,
): Promise<number> {
  const { strictTypes = false, checksOnly = false, explain = false, facts = false } = options;
  const progress = new ProgressLine(context.stderr);
  const compilation = await compileCached(directory, {
    strictTypes,
    checksOnly,
    explain,
    facts,
    cache: undefined,
    onStep: progress.show,
  });
  progress.clear();
  const { snapshot, diagnostics } = compilation;
  printDiagnostics(diagnostics, 'pretty', { folder: directory }, context);
  if (snapshot === undefined || (options.failOn === 'warning' && diagnostics.length > 0)) return EXIT.refused;
  if (snapshot.policies === 0 && options.allowEmpty !== true) {
    printMessage(
      context,
      `${emptyText(directory, compilation)}; name the folder of the policies, or bundle it with --allow-empty`,
    );
    return EXIT.failed;
  }
  const tested = await runTests(directory, options, context);
  if (tested?.kind === 'failed') {
    printMessage(context, 'tests failed; no archive was written');
    return tested.code;
  }
  progress.show('bundling');
  const { js, map } = await bundle(snapshot.files, runtimeFolder()).finally(() => progress.clear());
  const { policies } = (await loadOnce(js, options.out)) as { readonly policies: PolicyBundle };
  const builder = options.builder ?? ciJob(context.env);
  const source = await sourceRevision(directory, context);
  const archive = writeArchive({
    js: `${js}//# sourceMappingURL=policies.js.map\n`,
    map,
    manifest: {
      hash: policies.hash,
      compiler: version,
      engine: engineRange,
      ...(source !== undefined && { source }),
      ...(builder !== undefined && builder !== '' && { builder }),
      ...(options.sequence !== undefined && { sequence: options.sequence }),
      ...(options.notBefore !== undefined && { notBefore: options.notBefore }),
      ...(options.notAfter !== undefined && { notAfter: options.notAfter }),
      ...(tested !== undefined && { tests: tested.summary }),
    },
  });
  replaceFiles([{ path: options.out, text: archive, durable: true }]);
  if (source?.dirty === true)
    printNote(context, `warning: \`${visible(directory)}\` has uncommitted changes; the manifest records this`);
  context.stdout.write(`${visible(options.out)}  sha256:${readArchive(archive).digest}\n`);
  return EXIT.done;
}

async function runTests(directory: string, { tests }: BundleOptions, context: CommandContext) {
  if (tests === undefined || tests === false) return undefined;
  // The engine is loaded only if there are tests to run.
  const { testedSet } = await import('../bundles/tested-set.js');
  return testedSet(directory, tests === true ? directory : tests, context);
}
