import { bundle, type Bundle } from './bundle/index.js';
import { runtimeFolder } from './load/runtime-folder.js';
import { compile } from './compile.js';
import { Diagnostics } from './diagnostics/diagnostic.js';
import { type Report, toReport } from './diagnostics/json.js';
import { Source } from './diagnostics/source.js';
import { emitTypes } from './emit/types.js';
import type { EmittedFile } from './ir/emitted-file.js';
import { load } from './load/index.js';

export type { Bundle } from './bundle/index.js';
export type { Report, ReportedNote, ReportedProblem, ReportedSpan } from './diagnostics/json.js';

/** A text and where it stands: below the folder of the policies, or below the folder of generated code; with `/`. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** What is compiled. */
export interface PolicyTexts {
  /** YAML or JSON. */
  readonly policies: readonly TextFile[];
  /** JSON schemas, by path below `_schemas`. */
  readonly schemas?: readonly TextFile[];
}

/** What a folder holds. Its report says what could not be read, and goes into that of the compilation. */
export interface LoadedPolicies extends PolicyTexts {
  readonly report: Diagnostics;
}

export interface CompilePoliciesOptions {
  /** Whether attributes that the schemas do not know, or do not require, are errors. */
  readonly strictTypes?: boolean;
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

/** Reads a folder of policies, as `authzc compile` does. Throws when it cannot be read. */
export function loadPolicies(directory: string): LoadedPolicies {
  const report = new Diagnostics();
  const { sources, schemas } = load(directory, report);
  return {
    policies: sources.map(({ path, text }) => ({ path, text })),
    schemas: [...schemas].map(([path, text]) => ({ path, text })),
    report,
  };
}

/**
 * Compiles policies, without a disk: what `authzc compile` does between reading and writing. Equal texts give equal
 * files.
 */
export function compilePolicies(
  texts: PolicyTexts | LoadedPolicies,
  { strictTypes = false, explain = false }: CompilePoliciesOptions = {},
): CompiledPolicies {
  const schemaTexts = new Map((texts.schemas ?? []).map(({ path, text }) => [path, text]));
  const sources = texts.policies.map(({ path, text }) => new Source(path, text));
  const report = 'report' in texts ? texts.report : new Diagnostics();
  const { files, program, diagnostics } = compile(sources, report, { schemaTexts, strictTypes, explain });
  const emitted = program === undefined ? undefined : [...files, emitTypes(program)];
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
