import { bundleClient } from '../../../compiler/bundle/client.js';
import { type Diagnostic, Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import type { Program } from '../../../compiler/ir/program.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import { runtimeFolder } from '../../../compiler/load/runtime-folder.js';
import { emitClient } from '../../analysis/client/emit.js';
import { withMarkedAttributes } from '../../analysis/client/marked.js';
import { type ClientProjection, projectClient } from '../../analysis/client/project.js';
import { reportProjection } from '../../analysis/client/report.js';
import { type ClientView, readClientView } from '../../analysis/client/view.js';

import type { Prover } from '../../analysis/question/question.js';
import type { FolderCompilation } from './compile.js';
import { InputError } from '../report.js';

/** A projection for browsers, or why there is none. */
export interface WrittenClient {
  /** The module; undefined if something is not proved. */
  readonly text: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** What a client can tell by itself, for each kind, scope and action. */
  readonly report: readonly string[];
}

/** Projects compiled policies to what a view shows, and proves that no answer is ever wrong. */
export async function writeClient(
  { lowered, files, schemas }: Pick<FolderCompilation, 'lowered' | 'files' | 'schemas'>,
  viewText: string,
  startProver: (() => Promise<Prover>) | undefined,
): Promise<WrittenClient> {
  if (lowered === undefined) return { text: undefined, diagnostics: [], report: [] };
  const view = withMarkedAttributes(readView(viewText), lowered, schemas);
  const prover = await startProver?.();
  try {
    const projection = await projectClient(lowered, view, prover);
    const diagnostics = unprovedIn(projection, lowered);
    const text =
      diagnostics.length > 0
        ? undefined
        : await bundleClient(emitClient(projection, view, readBundleHash(files)), runtimeFolder());
    return { text, diagnostics, report: reportProjection(projection, view) };
  } finally {
    await prover?.close();
  }
}

function readView(text: string): ClientView {
  try {
    return readClientView(text);
  } catch (error) {
    if (error instanceof TypeError) throw new InputError(error.message, undefined);
    throw error;
  }
}

/** The hash that servers of the bundle send. */
function readBundleHash(files: FolderCompilation['files']): string {
  const text = files.find(({ path }) => path === 'hash.ts')?.text ?? '';
  return /hash = '(\w+)'/.exec(text)?.[1] ?? invariant('a compilation has a hash');
}

const NO_SOLVER = 'no solver';

function unprovedIn({ unproved }: ClientProjection, program: Program): readonly Diagnostic[] {
  const report = new Diagnostics();
  const found = new Map(unproved.map((one) => [JSON.stringify([one.kind, one.action, one.claim]), one]));
  const all = [...found.values()];
  // Without a solver nothing is proved, so that one error says it.
  const unsolved = all.find(({ reason }) => reason === NO_SOLVER);
  for (const { kind, action, claim, reason } of unsolved === undefined ? all : [unsolved]) {
    const module = program.modules.find((one) => one.kind === 'resource' && one.kindName === kind);
    const span = module?.kind === 'resource' ? module.rules[0]?.span : undefined;
    const notes =
      reason === NO_SOLVER
        ? [{ message: 'projections are proved by a solver: `npm install --save-dev z3-solver`' }]
        : [];
    if (span === undefined) throw new Error(`authzc has a bug: no policy of \`${kind}\` to report`);
    report.add('client/unproved', { span, anchor: span.start, path: '' }, { kind, action, claim, reason }, { notes });
  }
  return report.sorted();
}
