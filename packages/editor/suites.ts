import { posix } from 'node:path';
import { type CodeLens, type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver';
import type { SuiteFiles } from '../../compiler/load/index.js';
import { type Complaint, InvalidSuite } from '../policy-tests/invalid-suite.js';
import { readSuite } from '../policy-tests/read-suite.js';
import { type CaseResult, errorText, type SuiteResult } from '../policy-tests/results.js';
import { runTests } from '../policy-tests/run-tests.js';
import { toRange } from './positions.js';
import type { Workspace } from './workspace.js';

/** The command that runs the tests of a suite, or one of them. Its arguments: the URI, the name of the test. */
export const RUN_TESTS = 'authzc.runTests';

/** The suites that a test file concerns: itself, or those that use it as fixtures. */
export function findSuites(workspace: Workspace, path: string): readonly SuiteFiles[] {
  return workspace.suites.filter((suite) => suite.path === path || suite.fixtureFolder === posix.dirname(path));
}

/** The mistakes in a suite, as far as they are known without running it. */
export function findProblems(suite: SuiteFiles): readonly Diagnostic[] {
  const { suites } = runTests([suite], {
    ask: () => ({ decisions: [], missedTime: false }),
    filter: new Map(),
    skipBatching: false,
    traced: false,
  });
  const [{ invalid } = { invalid: undefined }] = suites;
  return (invalid?.complaints ?? []).map((complaint) => toProblem(complaint, suite.path));
}

function toProblem({ text, shown = text, place, notes = [] }: Complaint, path: string): Diagnostic {
  const isHere = place?.span.source.path === path;
  const where = place === undefined || isHere ? '' : `${place.span.source.path}: `;
  return {
    range: isHere ? toRange(place.span) : START,
    severity: DiagnosticSeverity.Error,
    source: 'authz',
    message: [`${where}${shown}`, ...notes.map((note) => note.shown ?? note.message)].join('\n'),
  };
}

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** A lens on each test of a suite that runs it, and one for all. */
export function makeLenses(suite: SuiteFiles, uri: string): CodeLens[] {
  const tests = testsIn(suite);
  return [
    ...(tests.length === 0
      ? []
      : [{ range: START, command: { title: 'run all tests', command: RUN_TESTS, arguments: [uri] } }]),
    ...tests.map(({ name, place }) => ({
      range: toRange(place.span),
      command: { title: 'run test', command: RUN_TESTS, arguments: [uri, name] },
    })),
  ];
}

function testsIn(suite: SuiteFiles) {
  try {
    return readSuite(suite).tests;
  } catch (error) {
    if (error instanceof InvalidSuite) return [];
    throw error;
  }
}

/** The cases that failed, where their tests are, with the reason for the decision. */
export function listFailures({ cases, invalid, file }: SuiteResult): readonly Diagnostic[] {
  const failed = cases.flatMap((result): readonly Diagnostic[] => {
    const message = formatFailure(result);
    if (message === undefined) return [];
    return [{ range: toRange(result.place.span), severity: DiagnosticSeverity.Error, source: 'authz test', message }];
  });
  return [...(invalid?.complaints ?? []).map((complaint) => toProblem(complaint, file)), ...failed];
}

function formatFailure({ principal, resource, action, details }: CaseResult): string | undefined {
  const about = `${principal}, ${resource}, ${action}`;
  if (details.kind === 'errored') return `${about}: ${errorText(details)}`;
  if (details.kind !== 'failed') return undefined;
  const { expected, actual, outputs, needs = [], explanation } = details;
  const needed = needs.length === 0 ? '' : `, which needs ${needs.join(', ')}`;
  const what =
    expected === actual
      ? `outputs differ: ${outputs.map(({ src }) => src).join(', ')}`
      : `expected ${expected}, but the decision is ${actual}${needed}`;
  const why = (explanation?.lines ?? []).map(({ depth, text }) => `${'  '.repeat(depth)}${text}`);
  return [`${about}: ${what}`, ...why].join('\n');
}
