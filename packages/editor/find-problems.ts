import { validateSources } from '../../compiler/compile.js';
import { type Diagnostic, Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import type { Code } from '../../compiler/diagnostics/messages.js';
import type { Source } from '../../compiler/diagnostics/source.js';
import type { Vocabulary } from '../../compiler/validate/vocabulary.js';

/** Policies as an editor has them. */
export interface FolderTexts {
  /** Sources in path order. */
  readonly sources: readonly Source[];
  readonly schemaTexts: ReadonlyMap<string, string>;
  readonly vocabulary: Vocabulary;
}

/**
 * The longest file that is checked while it is edited, in UTF-16 units: thousands of rules. The trees of a much longer one
 * would take hundreds of megabytes, and each edit seconds.
 */
export const LONGEST_CHECKED = 512 * 1024;

/** Whether a file is too large to be checked while it is edited. */
export function isTooLarge({ text }: Source): boolean {
  return text.length > LONGEST_CHECKED;
}

/**
 * The diagnostics of `authzc compile`. A file that is too large to be checked while it is edited has one, which says
 * so, and other files have none that this file might refute.
 */
export function findProblems(
  { sources, schemaTexts, vocabulary }: FolderTexts,
  onStep?: (step: string) => void,
): readonly Diagnostic[] {
  const report = new Diagnostics();
  const checked = sources.filter((source) => !isTooLarge(source));
  validateSources(checked, report, { schemaTexts, vocabulary, onStep });
  const found = report.sorted();
  if (checked.length === sources.length) return found;
  const unchecked = new Diagnostics();
  for (const source of sources.filter(isTooLarge))
    unchecked.add('file/too-large', source, { limit: LONGEST_CHECKED }, { severity: 'warning', notes: [COMPILE] });
  const isCertain = ({ code }: Diagnostic): boolean => !DEPENDS_ON_THE_SET.has(code) && !NAMES_OTHER_FILES.has(code);
  return [...found.filter(isCertain), ...unchecked.sorted()];
}

const COMPILE = { message: 'it is not checked in the editor: run `authzc compile`' };

/** What only a compilation of the whole folder can tell. */
export const DEPENDS_ON_THE_SET: ReadonlySet<Code> = new Set([
  'derived-role/never-used',
  'file/never-imported',
  'invariant/unknown-action',
  'invariant/unknown-kind',
  'invariant/unknown-rule',
  'principal-policy/never-matches',
  'role-policy/never-matches',
  'role-policy/parent-roles-differ',
  'role-policy/parent-roles-in-one-version',
  'scope/permissions-differ',
]);

/** Errors about documents that other files may have. */
const NAMES_OTHER_FILES: ReadonlySet<Code> = new Set([
  'import/missing',
  'policy/disabled',
  'scope/missing',
  'tenant-roles/unknown-action',
  'tenant-roles/unknown-kind',
  'tenant-roles/unknown-role',
]);
