import type { Diagnostic as LspDiagnostic } from 'vscode-languageserver';
import { editorDiagnostic } from './diagnostics.js';
import { findProblems, type FolderTexts } from './find-problems.js';

/** The diagnostics of files, by path; their locations have the path of a file in place of its URI. */
export type FolderDiagnostics = ReadonlyMap<string, readonly LspDiagnostic[]>;

/** What is wrong with a folder: the diagnostics of `authzc compile`, as editors show them. */
export function folderDiagnostics(folder: FolderTexts): FolderDiagnostics {
  const byPath = new Map<string, LspDiagnostic[]>();
  for (const diagnostic of findProblems(folder)) {
    const path = diagnostic.source?.path;
    if (path === undefined) continue;
    const own = byPath.get(path) ?? [];
    byPath.set(path, own);
    own.push(editorDiagnostic(diagnostic, (other) => other));
  }
  return byPath;
}

/** A diagnostic with the URIs of the files that it refers to. */
export function withUris(diagnostic: LspDiagnostic, makeUri: (path: string) => string): LspDiagnostic {
  const { relatedInformation } = diagnostic;
  if (relatedInformation === undefined) return diagnostic;
  return {
    ...diagnostic,
    relatedInformation: relatedInformation.map(({ message, location: { uri, range } }) => ({
      message,
      location: { uri: makeUri(uri), range },
    })),
  };
}
