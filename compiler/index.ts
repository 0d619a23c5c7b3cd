import { bundle, type Bundle } from './bundle/index.js';
import { type Report, toReport } from './diagnostics/json.js';
import { emitTypes } from './emit/types.js';
import { type EmittedFile, reviewedFiles } from './ir/emitted-file.js';
import { runtimeFolder } from './load/runtime-folder.js';
import { compileTexts, type LoadedPolicies, type PolicyTexts, type TextFile } from './policy-texts.js';

export type { Bundle } from './bundle/index.js';
export type { Report, ReportedNote, ReportedProblem, ReportedSpan } from './diagnostics/json.js';
export { type LoadedPolicies, loadPolicies, type PolicyTexts, type TextFile } from './policy-texts.js';

export interface CompilePoliciesOptions {
  /** Whether attributes that the schemas do not know, or do not require, are errors. */
  readonly strictTypes?: boolean;
  /** Whether the bundle can decide while facts are unknown, as `authz/facts` needs. */
  readonly facts?: boolean;
  /** Whether the generated code and the bundle can explain decisions: they then export `explainer`. */
  readonly explain?: boolean;
}

/** Generated code, or the reasons why there is none. */
export interface CompiledPolicies {
  /** Sorted by path, with `types.ts`; undefined when the policies are refused. */
  readonly files: readonly TextFile[] | undefined;
  readonly report: Report;
  /**
   * One ESM module that exports `policies`, `traced` and what was asked for, and runs anywhere. Rejects when the
   * policies are refused.
   */
  readonly bundle: () => Promise<Bundle>;
}

/**
 * Compiles policies, without a disk: what `authzc compile` does between reading and writing. Equal texts give equal
 * files.
 *
 * @example
 * import { compilePolicies } from 'authz/compiler';
 *
 * const text = `
 * apiVersion: api.authz.dev/v1
 * resourcePolicy:
 *   resource: note
 *   version: default
 *   rules:
 *     - { name: readers, actions: [read], effect: EFFECT_ALLOW, roles: [user] }
 * `;
 * const { files, report } = compilePolicies({ policies: [{ path: 'note.yaml', text }] });
 * console.log(report.errors.length, files?.some(({ path }) => path === 'resource/note.ts')); // => 0 true
 */
export function compilePolicies(
  texts: PolicyTexts | LoadedPolicies,
  { strictTypes = false, explain = false, facts = false }: CompilePoliciesOptions = {},
): CompiledPolicies {
  const { files, program, diagnostics } = compileTexts(texts, { strictTypes, explain, facts });
  const emitted = program === undefined ? undefined : [...reviewedFiles(files), emitTypes(program)];
  return {
    files: emitted?.map(({ path, text }) => ({ path, text })).sort((a, b) => (a.path < b.path ? -1 : 1)),
    report: toReport(diagnostics),
    bundle: () => bundled(program === undefined ? undefined : files),
  };
}

async function bundled(files: readonly EmittedFile[] | undefined): Promise<Bundle> {
  if (files === undefined) throw new Error('policies that are refused have no bundle');
  return bundle(files, runtimeFolder());
}
