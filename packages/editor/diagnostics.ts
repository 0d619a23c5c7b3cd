import { DiagnosticSeverity, type Diagnostic as LspDiagnostic, DiagnosticTag } from 'vscode-languageserver';
import type { Diagnostic, Note } from '../../compiler/diagnostics/diagnostic.js';
import type { Code } from '../../compiler/diagnostics/messages.js';
import type { Span } from '../../compiler/diagnostics/span.js';
import { rangeOf } from './positions.js';

/** A diagnostic of the compiler as editors show it. */
export function editorDiagnostic(diagnostic: Diagnostic, uriOf: (path: string) => string): LspDiagnostic {
  const { code, severity, message, shown = message, place, focus = place?.span, notes } = diagnostic;
  const advice = notes.filter(({ span }) => span === undefined).map(textOf);
  const related = notes.flatMap((note) => (note.span === undefined ? [] : { note, span: note.span }));
  const tags = tagsOf(code);
  return {
    range: focus === undefined ? START : rangeOf(focus),
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'authz',
    message: [shown, ...advice].join('\n'),
    ...(tags.length > 0 && { tags }),
    ...(related.length > 0 && {
      relatedInformation: related.map(({ note, span }) => ({
        location: locationOf(span, uriOf),
        message: textOf(note),
      })),
    }),
  };
}

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function textOf({ message, shown = message }: Note): string {
  return shown;
}

function locationOf(span: Span, uriOf: (path: string) => string) {
  return { uri: uriOf(span.source.path), range: rangeOf(span) };
}

function tagsOf(code: Code): DiagnosticTag[] {
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
