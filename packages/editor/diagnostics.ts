import { DiagnosticSeverity, type Diagnostic as LspDiagnostic, DiagnosticTag } from 'vscode-languageserver';
import type { Diagnostic, Note } from '../../compiler/diagnostics/diagnostic.js';
import type { Code } from '../../compiler/diagnostics/messages.js';
import type { Span } from '../../compiler/diagnostics/span.js';
import { toRange } from './positions.js';

/** A diagnostic of the compiler as editors show it. */
export function editorDiagnostic(diagnostic: Diagnostic, makeUri: (path: string) => string): LspDiagnostic {
  const { code, severity, message, shown = message, place, focus = place?.span, notes } = diagnostic;
  const advice = notes.filter(({ span }) => span === undefined).map(formatNote);
  const related = notes.flatMap((note) => (note.span === undefined ? [] : { note, span: note.span }));
  const tags = chooseTags(code);
  return {
    range: focus === undefined ? START : toRange(focus),
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'authz',
    message: [shown, ...advice].join('\n'),
    ...(tags.length > 0 && { tags }),
    ...(related.length > 0 && {
      relatedInformation: related.map(({ note, span }) => ({
        location: toLocation(span, makeUri),
        message: formatNote(note),
      })),
    }),
  };
}

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function formatNote({ message, shown = message }: Note): string {
  return shown;
}

function toLocation(span: Span, makeUri: (path: string) => string) {
  return { uri: makeUri(span.source.path), range: toRange(span) };
}

function chooseTags(code: Code): DiagnosticTag[] {
  if (code.startsWith('deprecated/')) return [DiagnosticTag.Deprecated];
  return UNNECESSARY.has(code) ? [DiagnosticTag.Unnecessary] : [];
}

/** Editors fade what these point at. */
const UNNECESSARY: ReadonlySet<Code> = new Set([
  'constant/unused',
  'derived-role/never-used',
  'import/unused',
  'rule/repeated',
  'rule/unreachable',
  'variable/unused',
]);
