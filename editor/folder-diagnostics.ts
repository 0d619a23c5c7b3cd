import type { Diagnostic as LspDiagnostic } from 'vscode-languageserver';
import { programOf } from '../compiler/compile.js';
import { Diagnostics } from '../compiler/diagnostics/diagnostic.js';
import type { Source } from '../compiler/diagnostics/source.js';
import type { Vocabulary } from '../compiler/validate/vocabulary.js';
import { editorDiagnostic } from './diagnostics.js';

/** A folder of policies as an editor has it. */
export interface FolderTexts {
  /** In path order. */
  readonly sources: readonly Source[];
  readonly schemaTexts: ReadonlyMap<string, string>;
  readonly vocabulary: Vocabulary;
}

/** The diagnostics of files, by path; their locations have the path of a file in place of its URI. */
export type FolderDiagnostics = ReadonlyMap<string, readonly LspDiagnostic[]>;

/** What is wrong with a folder: the diagnostics of `authzc compile`, as editors show them. */
export function folderDiagnostics({ sources, schemaTexts, vocabulary }: FolderTexts): FolderDiagnostics {
  const report = new Diagnostics();
  programOf(sources, report, { schemaTexts, vocabulary });
  const byPath = new Map<string, LspDiagnostic[]>();
  for (const diagnostic of report.sorted()) {
    const path = diagnostic.source?.path;
    if (path === undefined) continue;
    const own = byPath.get(path) ?? [];
    byPath.set(path, own);
    own.push(editorDiagnostic(diagnostic, (other) => other));
  }
  return byPath;
}

/** A diagnostic with the URIs of the files that it refers to. */
export function withUris(diagnostic: LspDiagnostic, uriOf: (path: string) => string): LspDiagnostic {
  const { relatedInformation } = diagnostic;
  if (relatedInformation === undefined) return diagnostic;
  return {
    ...diagnostic,
    relatedInformation: relatedInformation.map(({ message, location: { uri, range } }) => ({
      message,
      location: { uri: uriOf(uri), range },
    })),
  };
}
