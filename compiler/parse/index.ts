import type { PolicyFile } from '../ast/policy.js';
import { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import { policyFile } from './build/policy.js';
import { decodeObject } from './decode.js';
import { DOCUMENT } from './schema/tables.js';
import type { ObjectValue } from './schema/value.js';
import { validateSemantics } from './semantics.js';
import { validateStructure } from './structure.js';
import { readDocument } from './yaml/read.js';

/** Parse results by source: an unchanged source is not parsed again when a folder is recompiled. */
const parsed = new WeakMap<Source, { readonly file: PolicyFile | undefined; readonly report: Diagnostics }>();

/**
 * Parses a policy file into a tree (docs/spec/policy-language.md#compilation-phases: each phase runs only if the
 * previous ones found no errors). Undefined for an empty file, and for one with errors, which are reported. A disabled
 * policy is validated only structurally.
 */
export function parse(source: Source, report: Diagnostics): PolicyFile | undefined {
  let result = parsed.get(source);
  if (result === undefined) {
    const own = new Diagnostics();
    result = { file: parseSource(source, own), report: own };
    parsed.set(source, result);
  }
  report.adopt(result.report);
  return result.file;
}

function parseSource(source: Source, report: Diagnostics): PolicyFile | undefined {
  const document = documentOf(source, report);
  if (document === undefined || !validateStructure(document, source, report)) return undefined;
  const file = policyFile(document, source);
  return file.disabled || validateSemantics(file, document, report) ? file : undefined;
}

function documentOf(source: Source, report: Diagnostics): ObjectValue | undefined {
  const read = readDocument(source, report);
  if (read === undefined) return undefined;
  const { root, problems } = read;
  const document = decodeObject(root, DOCUMENT, problems);
  problems.reportTo(report);
  return problems.found ? undefined : document;
}
