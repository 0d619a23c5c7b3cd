import { type Compilation, compile, type CompileOptions } from './compile.js';
import { Diagnostics } from './diagnostics/diagnostic.js';
import { Source } from './diagnostics/source.js';
import { load } from './load/index.js';
import { sourceText } from './load/source-text.js';

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

/**
 * Reads a folder of policies, as `authzc compile` does. Throws when it cannot be read.
 *
 * @example
 * import { compilePolicies, loadPolicies } from 'authz/compiler';
 *
 * const { report } = compilePolicies(loadPolicies('policies'));
 * console.log(report.errors.length); // => 0
 */
export function loadPolicies(directory: string): LoadedPolicies {
  const report = new Diagnostics();
  const { sources, schemas } = load(directory, report);
  return {
    policies: sources.map(({ path, text }) => ({ path, text })),
    schemas: [...schemas].map(([path, text]) => ({ path, text })),
    report,
  };
}

/** Compiles texts, and leaves them as they are: the same ones can be compiled again. */
export function compileTexts(
  texts: PolicyTexts | LoadedPolicies,
  options: Omit<CompileOptions, 'schemaTexts'> = {},
): Compilation {
  const report = new Diagnostics();
  if ('report' in texts) report.adopt(texts.report);
  const sources = texts.policies.map(({ path, text }) => new Source(path, sourceText(text)));
  const schemaTexts = new Map((texts.schemas ?? []).map(({ path, text }) => [path, sourceText(text)]));
  return compile(sources, report, { ...options, schemaTexts });
}
