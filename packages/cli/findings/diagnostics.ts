import { join } from 'node:path';
import type { Diagnostic, Note } from '../../../compiler/diagnostics/diagnostic.js';
import { messages } from '../../../compiler/diagnostics/messages.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import { regionOfSpan, findStart } from './region.js';
import type { Finding, FindingRule, Location } from './finding.js';

/** A rule for each code of a diagnostic: its page in docs/diagnostics. */
export const DIAGNOSTIC_RULES: readonly FindingRule[] = Object.entries(messages).map(
  ([id, { severity, explanation }]) => ({ id, level: severity, help: explanation }),
);

/** @param folder the folder of the policies. */
export function toFindings(diagnostics: readonly Diagnostic[], folder: string): readonly Finding[] {
  return diagnostics.map((diagnostic) => toFinding(diagnostic, folder));
}

function toFinding(diagnostic: Diagnostic, folder: string): Finding {
  const { code, severity, message, shown = message, notes, fix } = diagnostic;
  const related = notes.flatMap((note) =>
    note.span === undefined ? [] : { ...toLocation(note.span, folder), message: formatNote(note) },
  );
  const advice = notes.flatMap((note) => (note.span === undefined ? [formatNote(note)] : []));
  return {
    rule: code,
    level: severity,
    message: [shown, ...advice].join('\n'),
    location: locate(diagnostic, folder),
    related,
    ...(fix && { fix: { description: fix.description, region: regionOfSpan(fix.span), text: fix.text } }),
  };
}

function formatNote({ message, shown = message }: Note): string {
  return shown;
}

/** A problem of the whole set is one of the folder. */
function locate({ source, place, focus = place?.span }: Diagnostic, folder: string): Location {
  if (focus !== undefined) return toLocation(focus, folder);
  if (source === undefined) return { path: join(folder, '/') };
  return { path: join(folder, source.path), region: findStart(source) };
}

function toLocation(span: Span, folder: string): Location {
  return { path: join(folder, span.source.path), region: regionOfSpan(span) };
}
