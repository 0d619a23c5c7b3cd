import { type CodeAction, CodeActionKind, type Range, type TextEdit } from 'vscode-languageserver';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import type { Fix } from '../../compiler/diagnostics/fix.js';
import { editorDiagnostic } from './diagnostics.js';
import { toRange } from './positions.js';

/** Everything that needs no decision, in one action that editors can run when they save. */
const FIX_ALL = `${CodeActionKind.SourceFixAll}.authz`;
export const CODE_ACTION_KINDS: string[] = [CodeActionKind.QuickFix, FIX_ALL];

/**
 * The fixes of diagnostics in a range of a document, and one action for all safe fixes of the document.
 *
 * @param diagnostics those of the current text of the document.
 * @param only the kinds that the editor asks for; undefined for all.
 */
export function codeActions(
  diagnostics: readonly Diagnostic[],
  range: Range,
  only: readonly string[] | undefined,
  makeUri: (path: string) => string,
): CodeAction[] {
  const isAsked = (kind: string): boolean =>
    only === undefined || only.some((asked) => kind === asked || kind.startsWith(`${asked}.`));
  const quick = diagnostics.flatMap((diagnostic): readonly CodeAction[] => {
    const shown = editorDiagnostic(diagnostic, makeUri);
    if (diagnostic.fix === undefined || !overlap(shown.range, range)) return [];
    return [
      {
        title: diagnostic.fix.description,
        kind: CodeActionKind.QuickFix,
        diagnostics: [shown],
        isPreferred: diagnostic.fix.isSafe,
        edit: { changes: makeEdits([diagnostic.fix], makeUri) },
      },
    ];
  });
  const safe = withoutOverlaps(diagnostics.flatMap(({ fix }) => (fix?.isSafe === true ? fix : [])));
  const all: CodeAction[] =
    safe.length === 0
      ? []
      : [{ title: 'apply all safe fixes', kind: FIX_ALL, edit: { changes: makeEdits(safe, makeUri) } }];
  return [...(isAsked(CodeActionKind.QuickFix) ? quick : []), ...(isAsked(FIX_ALL) ? all : [])];
}

function withoutOverlaps(fixes: readonly Fix[]): readonly Fix[] {
  let end = -1;
  return fixes
    .toSorted((a, b) => a.span.start - b.span.start)
    .filter(({ span }) => {
      if (span.start < end) return false;
      end = span.end;
      return true;
    });
}

function makeEdits(fixes: readonly Fix[], makeUri: (path: string) => string): { [uri: string]: TextEdit[] } {
  const edits = fixes.map(({ span, text }) => ({
    uri: makeUri(span.source.path),
    range: toRange(span),
    newText: text,
  }));
  const uris = [...new Set(edits.map(({ uri }) => uri))];
  return Object.fromEntries(
    uris.map((own) => [own, edits.flatMap(({ uri, ...edit }) => (uri === own ? edit : []))] as const),
  );
}

function overlap(a: Range, b: Range): boolean {
  return !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

function isBefore(a: Range['start'], b: Range['start']): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
