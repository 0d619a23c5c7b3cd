import { type BundleModule, importBundle } from '../../compiler/bundle/import-bundle.js';
import { bundle } from '../../compiler/bundle/index.js';
import type { Compilation } from '../../compiler/compile.js';
import { shownPath } from '../../compiler/diagnostics/format.js';
import type { Span } from '../../compiler/diagnostics/span.js';
import { runtimeFolder } from '../../compiler/load/runtime-folder.js';

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
