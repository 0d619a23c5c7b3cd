import { join } from 'node:path';
import type { Diagnostic, Note } from '../../compiler/diagnostics/diagnostic.js';
import { messages } from '../../compiler/diagnostics/messages.js';
import type { Span } from '../../compiler/diagnostics/span.js';
import { regionOfSpan, startOf } from './region.js';
import type { Finding, FindingRule, Fix, Location } from './sarif.js';

/** A rule for each code of a diagnostic: its page in docs/diagnostics. */
export const DIAGNOSTIC_RULES: readonly FindingRule[] = Object.entries(messages).map(
  ([id, { severity, explanation }]) => ({ id, level: severity, help: explanation }),
);

/** @param folder the folder of the policies. */
export function findingsOf(diagnostics: readonly Diagnostic[], folder: string): readonly Finding[] {
  return diagnostics.map((diagnostic) => findingOf(diagnostic, folder));
}

function findingOf(diagnostic: Diagnostic, folder: string): Finding {
  const { code, severity, message, shown = message, notes } = diagnostic;
  const related = notes.flatMap((note) =>
    note.span === undefined ? [] : { ...locationOf(note.span, folder), message: textOf(note) },
  );
  const advice = notes.flatMap((note) => (note.span === undefined ? [textOf(note)] : []));
  const fix = fixOf(diagnostic);
  return {
    rule: code,
    level: severity,
    message: [shown, ...advice].join('\n'),
    location: whereOf(diagnostic, folder),
    related,
    ...(fix && { fix }),
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

/**
 * Replaces a misspelt name where it is written, if the text of the problem has it once and as it is. Names that may
 * need quotes are left to the author.
 */
function fixOf({ place, focus = place?.span, notes }: Diagnostic): Fix | undefined {
  const suggestion = notes.find((note) => note.suggestion !== undefined)?.suggestion;
  if (focus === undefined || suggestion === undefined) return undefined;
  const { written, nearest } = suggestion;
  const parts = focus.source.text.slice(focus.start, focus.end).split(written);
  const [before = ''] = parts;
  if (parts.length !== 2 || !/^[\w.-]+$/.test(nearest)) return undefined;
  const start = focus.start + before.length;
  return {
    description: `replace \`${written}\` with \`${nearest}\``,
    region: regionOfSpan({ source: focus.source, start, end: start + written.length }),
    text: nearest,
  };
}
