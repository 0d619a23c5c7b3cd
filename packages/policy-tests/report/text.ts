import { shownPath } from '../../../compiler/diagnostics/format.js';
import { formatFrame } from '../../../compiler/diagnostics/frame.js';
import { colored, type Paint, plain } from '../../../compiler/diagnostics/paint.js';
import type { Place } from '../../../compiler/diagnostics/span.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import type { InvalidSuite } from '../invalid-suite.js';
import {
  type CaseResult,
  type CaseExplanation,
  type Details,
  errorText,
  type IndentedLine,
  type Outcome,
  OUTCOMES,
  type ProducedOutput,
  type SuiteResult,
  type Summary,
  type TestResults,
  type Trace,
  type UnmetOutput,
} from '../results.js';
import { nested } from './nested.js';
import { sortedKeys } from './sorted-keys.js';

/** The options of the text format. */
export interface TextStyle {
  readonly format: 'tree' | 'list';
  /** Whether to include passed tests, and how decisions were made. */
  readonly verbose: boolean;
  readonly color: boolean;
  /**
   * The folder of the tests: file names are then relative to the working directory; without it they are relative to
   * that folder.
   */
  readonly folder?: string | undefined;
}

/**
 * The report for people (docs/spec/server.md#test-results): the failures, by suite, test, principal, resource and
 * action; then the counts. Ends with a line break.
 */
export function textReport({ suites, summary }: TestResults, style: TextStyle): string {
  const tag = chooseTag(style);
  const paint = style.color ? colored : plain;
  const shown = suites.filter(
    ({ summary: { overall }, cases, error }) => error !== undefined || (overall !== undefined && cases.some(isCounted)),
  );
  const outlines = shown.map((suite) =>
    suiteOutline(suite, { verbose: style.verbose, folder: style.folder, tag, paint }),
  );
  const blocks = outlines.flatMap(style.format === 'tree' ? treeLines : (outline) => listLines(outline));
  const total = `${summary.count} ${summary.count === 1 ? 'test' : 'tests'} executed${tallies(summary, tag)}`;
  return `${['Test results', '', ...(blocks.length > 0 ? [...blocks, ''] : []), ...(style.verbose ? traceLines(suites) : []), total].join('\n')}\n`;
}

/** `[OK]`, in color if enabled. */
type Tag = (outcome: Outcome, text: string) => string;

const WORDS: Readonly<Record<Outcome, string>> = {
  skipped: 'SKIPPED',
  passed: 'OK',
  failed: 'FAILED',
  errored: 'ERROR',
};

function chooseTag({ color }: TextStyle): Tag {
  const paint = color ? colored : plain;
  return (outcome, text) => {
    switch (outcome) {
      case 'failed':
      case 'errored':
        return paint.severity('error', `[${text}]`);
      case 'skipped':
        return paint.severity('warning', `[${text}]`);
      case 'passed':
        return paint.strong(`[${text}]`);
    }
  };
}

/** The counts after `14 tests`: ` [11 OK] [3 FAILED]`. */
function tallies({ counts }: Summary, tag: Tag): string {
  return OUTCOMES.map((outcome) => ({ outcome, count: counts.get(outcome) ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ outcome, count }) => ` ${tag(outcome, `${count} ${WORDS[outcome]}`)}`)
    .join('');
}

function isCounted({ details }: CaseResult): boolean {
  return details.kind !== 'skipped' || !details.filtered;
}

interface SuiteStyle {
  readonly verbose: boolean;
  readonly folder: string | undefined;
  readonly tag: Tag;
  readonly paint: Paint;
}

function suiteOutline({ name, file, summary, error, invalid, cases }: SuiteResult, style: SuiteStyle): Outline {
  const { verbose, tag } = style;
  const title = `${visible(name)} (${shownPath(file, style.folder)})`;
  if (error !== undefined) {
    const below =
      invalid === undefined ? error.split('\n').map((text) => line(visible(text))) : invalidLines(invalid, style);
    return { text: `${title} ${tag('errored', WORDS.errored)}`, below };
  }
  const shown = cases.filter((own) => isCounted(own) && (verbose || own.details.kind !== 'passed'));
  return {
    text: `${title}${tallies(summary, tag)}`,
    below: nested(
      shown,
      ({ test }) => test,
      (test, own) => testOutline(test, own, tag),
    ),
  };
}

/** The errors of a suite, each followed by the affected lines and its notes. */
function invalidLines({ prefix, complaints }: InvalidSuite, { paint, folder }: SuiteStyle): readonly Outline[] {
  return complaints.flatMap(({ text, shown = text, place, notes = [] }, index) => {
    const lines = `${index === 0 ? prefix : ''}${shown}`.split('\n').map((one) => line(visible(one)));
    const last = lines.pop() as Outline;
    const frame =
      place === undefined ? [] : [line(formatPosition(place, folder)), ...formatFrame(place.span, paint).map(line)];
    const below = [
      ...frame,
      ...notes.map(({ message, shown: note = message }) => line(`${paint.strong('note:')} ${visible(note)}`)),
    ];
    return [...lines, { ...last, below }];
  });
}

function formatPosition({ span: { source, start } }: Place, folder: string | undefined): string {
  const { line: row, column } = source.lineAndColumn(start);
  return `${shownPath(source.path, folder)}:${row}:${column}`;
}

function testOutline(test: string, cases: readonly CaseResult[], tag: Tag): Outline {
  return {
    text: visible(test),
    below: nested(
      cases,
      ({ principal }) => principal,
      (principal, own) => principalOutline(principal, own, tag),
    ),
  };
}

function principalOutline(principal: string, cases: readonly CaseResult[], tag: Tag): Outline {
  return {
    text: visible(principal),
    below: nested(
      cases,
      ({ resource }) => resource,
      (resource, own) => resourceOutline(resource, own, tag),
    ),
  };
}

function resourceOutline(resource: string, cases: readonly CaseResult[], tag: Tag): Outline {
  return {
    text: visible(resource),
    below: cases.map(({ action, details }) => ({
      text: `${visible(action)} ${tag(details.kind, WORDS[details.kind])}`,
      below: detailLines(details),
    })),
  };
}

function detailLines(details: Details): readonly Outline[] {
  switch (details.kind) {
    case 'passed':
      return [
        line(`RESULT: ${details.effect}`),
        ...needsLines(details.needs),
        ...(details.outputs.length === 0 ? [] : [{ text: 'OUTPUTS:', below: details.outputs.map(producedLine) }]),
      ];
    case 'failed':
      return [
        details.outputs.length === 0
          ? line(`OUTCOME: expected: ${details.expected}, actual: ${details.actual}`)
          : { text: 'OUTCOME: output expectation unsatisfied', below: details.outputs.map(unmetOutline) },
        ...needsLines(details.needs),
        ...explanationLines(details.explanation),
      ];
    case 'errored':
      return [line(`ERROR: ${visible(errorText(details))}`)];
    case 'skipped':
      return details.reason === '' ? [] : [line(visible(details.reason))];
  }
}

function needsLines(needs: readonly string[] = []): readonly Outline[] {
  return needs.length === 0 ? [] : [line(`NEEDS: ${visible(needs.join(', '))}`)];
}

function explanationLines(explanation: CaseExplanation | undefined): readonly Outline[] {
  return makeOutlines(explanation?.lines ?? [], 0);
}

/** The lines of a depth, each with the deeper ones that follow it. */
function makeOutlines(lines: readonly IndentedLine[], depth: number): readonly Outline[] {
  const starts = lines.flatMap((one, index) => (one.depth === depth ? [index] : []));
  return starts.map((start, nth) => ({
    text: (lines[start] as IndentedLine).text,
    below: makeOutlines(lines.slice(start + 1, starts[nth + 1]), depth + 1),
  }));
}

function producedLine(output: ProducedOutput): Outline {
  return line(
    `${visible(output.src)}: ${'val' in output ? visibleJson(sortedKeys(output.val)) : `ERROR: ${visible(output.error)}`}`,
  );
}

function unmetOutline(output: UnmetOutput): Outline {
  const expected = output.expected === undefined ? 'NOTHING' : visibleJson(sortedKeys(output.expected));
  return { text: visible(output.src), below: [line(`EXPECTED: ${expected}`), line(`ACTUAL: ${formatActual(output)}`)] };
}

function formatActual(output: UnmetOutput): string {
  switch (output.kind) {
    case 'missing':
      return 'MISSING';
    case 'mismatched':
      return visibleJson(sortedKeys(output.actual));
    case 'errored':
      return `ERROR: ${visible(output.error)}`;
  }
}

function line(text: string): Outline {
  return { text, below: [] };
}

/** A line with nested lines. */
interface Outline {
  readonly text: string;
  readonly below: readonly Outline[];
}

/** Formats an outline as a tree with the root at the margin. */
function treeLines({ text, below }: Outline): readonly string[] {
  return [text, ...below.flatMap((child, index) => branchLines(child, '', index === below.length - 1))];
}

/** The same without branches, indented by two spaces a level. */
function listLines({ text, below }: Outline, indent = ''): readonly string[] {
  return [`${indent}${text}`, ...below.flatMap((child) => listLines(child, `${indent}  `))];
}

function branchLines({ text, below }: Outline, indent: string, isLast: boolean): readonly string[] {
  const inner = `${indent}${isLast ? '   ' : '│  '}`;
  return [
    `${indent}${isLast ? '└─ ' : '├─ '}${text}`,
    ...below.flatMap((child, index) => branchLines(child, inner, index === below.length - 1)),
  ];
}

/**
 * The section `TRACES`: for each failed action, which policy decided, through which derived roles, and what could not
 * be evaluated. The engine does not record single steps. Ends with an empty line unless the section is empty.
 */
function traceLines(suites: readonly SuiteResult[]): readonly string[] {
  const traced = suites.flatMap(({ name, cases }) =>
    cases.flatMap((own) => (own.trace === undefined || !isFailure(own) ? [] : formatBlock(name, own, own.trace))),
  );
  return traced.length === 0 ? [] : ['TRACES', ...traced, ''];
}

function isFailure({ details }: CaseResult): boolean {
  return details.kind === 'failed' || details.kind === 'errored';
}

function formatBlock(
  suite: string,
  { test, principal, resource, action }: CaseResult,
  trace: Trace,
): readonly string[] {
  const { matchedPolicy, matchedScope, effectiveDerivedRoles, evaluationErrors, validationErrors } = trace;
  return [
    visible([suite, test, principal, resource, action].join(' > ')),
    `  decided by ${visible(matchedPolicy)}${matchedScope === '' ? '' : `, scope ${visible(matchedScope)}`}`,
    ...(effectiveDerivedRoles.length === 0 ? [] : [`  derived roles: ${visible(effectiveDerivedRoles.join(', '))}`]),
    ...evaluationErrors.map(
      ({ policy, rule, expression, message }) =>
        `  ${visible(`${policy}#${rule}: \`${expression}\` could not be evaluated, so it does not hold: ${message}`)}`,
    ),
    ...validationErrors.map(
      ({ source, path, message }) =>
        `  ${visible(`schema violation, ${source === 'SOURCE_PRINCIPAL' ? 'principal' : 'resource'} ${path}: ${message}`)}`,
    ),
  ];
}
