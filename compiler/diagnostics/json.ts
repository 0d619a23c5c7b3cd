import type { Code, Severity } from './messages.js';
import { messages } from './messages.js';
import type { Diagnostic, Note } from './diagnostic.js';
import type { Place, Span } from './span.js';

/** The machine-readable report of a run. Absent facts of a problem are omitted. */
export interface Report {
  /** The errors that fail the run, and the disabled documents that may be the cause. */
  readonly errors: readonly ReportedProblem[];
  readonly warnings: readonly ReportedProblem[];
  /** How many more were found than are listed; absent if all are listed. */
  readonly omitted?: { readonly errors: number; readonly warnings: number };
}

/** One diagnostic as plain JSON (docs/spec/policy-language.md#reports). */
export interface ReportedProblem {
  readonly code: Code;
  readonly severity: Severity;
  readonly stage: 'load' | 'compile' | 'rls';
  readonly kind: string;
  readonly file?: string;
  /** The sentence of the report; absent if the facts are sufficient. */
  readonly message?: string;
  /** The sentence for terminals, always present. */
  readonly text: string;
  readonly position?: { readonly line: number; readonly column: number; readonly path?: string };
  readonly policy?: string;
  readonly otherFile?: string;
  readonly descendants?: readonly string[];
  readonly scope?: string;
  readonly span?: ReportedSpan;
  readonly notes?: readonly ReportedNote[];
}

/** Lines and columns are 1-based; columns count UTF-16 units, `end` is the first one outside. */
export interface ReportedSpan {
  readonly start: { readonly line: number; readonly column: number };
  readonly end: { readonly line: number; readonly column: number };
}

export interface ReportedNote {
  readonly message: string;
  readonly file?: string;
  readonly span?: ReportedSpan;
}

/** Renders diagnostics, sorted as they are given, for programs to read. */
export function toReport(diagnostics: readonly Diagnostic[]): Report {
  const omitted = { errors: countOmitted(diagnostics, 'error'), warnings: countOmitted(diagnostics, 'warning') };
  return {
    errors: diagnostics.filter(isOfFailure).map(reported),
    warnings: diagnostics.filter((diagnostic) => !isOfFailure(diagnostic)).map(reported),
    ...(omitted.errors + omitted.warnings > 0 && { omitted }),
  };
}

function countOmitted(diagnostics: readonly Diagnostic[], severity: Severity): number {
  return diagnostics.find((diagnostic) => diagnostic.severity === severity && diagnostic.omitted)?.omitted ?? 0;
}

/** Problems of the set that the report describes by their facts alone (docs/spec/policy-language.md#reports). */
const STATED_BY_FACTS: ReadonlySet<Code> = new Set<Code>([
  'policy/duplicate',
  'policy/disabled',
  'scope/missing',
  'scope/permissions-conflict',
]);

/** Disabled documents are only reported together with errors, as a possible cause. */
function isOfFailure({ severity, code }: Diagnostic): boolean {
  return severity === 'error' || code === 'policy/disabled';
}

function reported(diagnostic: Diagnostic): ReportedProblem {
  const { code, severity, message, source, place, facts, notes } = diagnostic;
  return {
    stage: messages[code].stage,
    kind: messages[code].kind,
    ...(source && { file: source.path }),
    ...(!STATED_BY_FACTS.has(code) && { message }),
    ...(place && { position: toPosition(place) }),
    ...facts,
    code,
    severity,
    text: message,
    ...(place && { span: toReportedSpan(place.span) }),
    ...(notes.length > 0 && { notes: notes.map(toReportedNote) }),
  };
}

function toPosition(place: Place): { line: number; column: number; path?: string } {
  const position = place.span.source.lineAndColumn(place.anchor);
  return place.path === '' ? position : { ...position, path: place.path };
}

function toReportedSpan({ source, start, end }: Span): ReportedSpan {
  return { start: source.lineAndColumn(start), end: source.lineAndColumn(end) };
}

function toReportedNote({ message, span }: Note): ReportedNote {
  return span === undefined ? { message } : { message, file: span.source.path, span: toReportedSpan(span) };
}
