import { join } from 'node:path';
import type { Diagnostic, Note } from '../../../compiler/diagnostics/diagnostic.js';
import { messages } from '../../../compiler/diagnostics/messages.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import { regionOfSpan, startOf } from './region.js';
import type { Finding, FindingRule, Location } from './finding.js';

/** A rule for each code of a diagnostic: its page in docs/diagnostics. */
export const DIAGNOSTIC_RULES: readonly FindingRule[] = Object.entries(messages).map(
  ([id, { severity, explanation }]) => ({ id, level: severity, help: explanation }),
);

/** @param folder the folder of the policies. */
export function findingsOf(diagnostics: readonly Diagnostic[], folder: string): readonly Finding[] {
  return diagnostics.map((diagnostic) => findingOf(diagnostic, folder));
}

function findingOf(diagnostic: Diagnostic, folder: string): Finding {
  const { code, severity, message, shown = message, notes, fix } = diagnostic;
  const related = notes.flatMap((note) =>
    note.span === undefined ? [] : { ...locationOf(note.span, folder), message: textOf(note) },
  );
  const advice = notes.flatMap((note) => (note.span === undefined ? [textOf(note)] : []));
  return {
    rule: code,
    level: severity,
    message: [shown, ...advice].join('\n'),
    location: whereOf(diagnostic, folder),
    related,
    ...(fix && { fix: { description: fix.description, region: regionOfSpan(fix.span), text: fix.text } }),
  };
}

function textOf({ message, shown = message }: Note): string {
  return shown;
}

/** A problem of the whole set is one of the folder. */
function whereOf({ source, place, focus = place?.span }: Diagnostic, folder: string): Location {
  if (focus !== undefined) return locationOf(focus, folder);
  if (source === undefined) return { path: join(folder, '/') };
  return { path: join(folder, source.path), region: startOf(source) };
}

function locationOf(span: Span, folder: string): Location {
  return { path: join(folder, span.source.path), region: regionOfSpan(span) };
}
