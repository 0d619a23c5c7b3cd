import { type BundleModule, importBundle } from '../bundle/import-bundle.js';
import { bundle } from '../bundle/index.js';
import { formatPretty } from '../diagnostics/format.js';
import type { Span } from '../diagnostics/span.js';
import { compileFolder } from './compile-command.js';
import { runtimeFolder } from './runtime-folder.js';

/** The policies of a folder, ready to decide. */
export interface PoliciesInMemory extends BundleModule {
  /** Where each rule was written, as `file:line:column`; empty for a rule that is not there. */
  readonly placeOf: (policy: string, rule: string) => string;
}

/** Compiles a folder and writes nothing. Undefined when its policies do not compile, which is said on standard error. Throws when it cannot be read. */
export async function policiesInMemory(directory: string): Promise<PoliciesInMemory | undefined> {
  const { diagnostics, program, files } = compileFolder(directory);
  if (program === undefined) {
    process.stderr.write(formatPretty(diagnostics, { color: isColorful() }));
    return undefined;
  }
  const { js } = await bundle(files, runtimeFolder());
  const rules = new Map(files.flatMap(({ origins }) => origins).map(({ rule, span }) => [rule, span]));
  return { ...(await importBundle(js)), placeOf: (policy, rule) => positionOf(rules.get(`${policy}#${rule}`)) };
}

function positionOf(span: Span | undefined): string {
  if (span === undefined) return '';
  const { line, column } = span.source.lineAndColumn(span.start);
  return `${span.source.path}:${line}:${column}`;
}

/** Whether standard error is a terminal that may be coloured. */
export function isColorful(): boolean {
  return process.stderr.isTTY === true && process.env.NO_COLOR === undefined;
}
