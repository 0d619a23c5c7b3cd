import { join } from 'node:path';
import type { Explanation, FilePlace } from '../../../runtime/engine/parts.js';
import type { Coverage } from '../../analysis/coverage/coverage.js';
import { findGaps } from '../../analysis/coverage/gaps.js';
import type { MutationReport } from '../../policy-tests/mutate/mutate.js';
import { witnessText } from '../../policy-tests/mutate/report/text.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import type { CaseResult, Details, SuiteResult, TestResults, UnmetOutput } from '../../policy-tests/results.js';
import { regionAt, regionOfSpan } from './region.js';
import type { Finding, FindingRule, Location } from './finding.js';

/** What tests of policies find. */
export const TEST_RULES: readonly FindingRule[] = [
  {
    id: 'test/failed',
    level: 'error',
    help: `
A policy test expects another decision, or another output, than the policies give. Either the policies or the test is wrong.

\`authzc test\` shows which rules matched and how their conditions evaluated.
`,
  },
  {
    id: 'test/error',
    level: 'error',
    help: `
A policy test cannot be run. The file has a mistake, or a condition needs the time and the options of the test have no \`now\`.
`,
  },
  {
    id: 'test/not-covered',
    level: 'note',
    help: `
No policy test exercises this rule, or this part of its condition. A mistake in it would not be noticed.

Add a test in which the rule applies, or in which the part of the condition has the missing value.
`,
  },
  {
    id: 'test/surviving-mutant',
    level: 'warning',
    help: `
No policy test catches this change to the policies.

Add a test with the request in the message.
`,
  },
];

/** Where the files of tests and policies are. */
export interface Folders {
  readonly tests: string;
  readonly policies: string;
  /** The policies by path. */
  readonly sources: ReadonlyMap<string, Source>;
}

/** @param tests the folder of the tests. */
export function listFolders(
  { sources }: { readonly sources: readonly Source[] },
  policies: string,
  tests = policies,
): Folders {
  return { policies, tests, sources: new Map(sources.map((source) => [source.path, source])) };
}

/** What a run of tests gave; coverage and mutants if they were asked for. */
export interface TestRun {
  readonly results: TestResults;
  readonly coverage: Coverage | undefined;
  readonly mutants: MutationReport | undefined;
}

/** What a run of tests found. */
export function runFindings({ results, coverage, mutants }: TestRun, folders: Folders): readonly Finding[] {
  return [
    ...testFindings(results, folders),
    ...(coverage === undefined ? [] : coverageFindings(coverage, folders)),
    ...(mutants === undefined ? [] : mutantFindings(mutants, folders)),
  ];
}

/** The tests that failed, and those that could not be run. */
export function testFindings({ suites }: TestResults, folders: Folders): readonly Finding[] {
  return suites.flatMap((suite) => [
    ...suiteFindings(suite, folders),
    ...suite.cases.flatMap((own) => caseFinding(own, folders) ?? []),
  ]);
}

function suiteFindings({ file, invalid }: SuiteResult, { tests }: Folders): readonly Finding[] {
  return (invalid?.complaints ?? []).map(({ text, shown = text, place }) => ({
    rule: 'test/error',
    level: 'error',
    message: `${invalid?.prefix ?? ''}${shown}`,
    location:
      place === undefined
        ? { path: join(tests, file) }
        : { path: join(tests, place.span.source.path), region: regionOfSpan(place.span) },
  }));
}

function caseFinding(own: CaseResult, folders: Folders): Finding | undefined {
  const { test, principal, resource, action, place, details } = own;
  if (details.kind !== 'failed' && details.kind !== 'errored') return undefined;
  const title = `${test}: ${principal} ${action} ${resource}`;
  return {
    rule: details.kind === 'failed' ? 'test/failed' : 'test/error',
    level: 'error',
    message: `${title}: ${details.kind === 'failed' ? failureText(details) : details.error}`,
    location: { path: join(folders.tests, place.span.source.path), region: regionOfSpan(place.span) },
    related: details.kind === 'failed' ? decidingRules(details, folders) : [],
  };
}

type Failed = Extract<Details, { readonly kind: 'failed' }>;

function failureText({ expected, actual, outputs, needs = [], explanation }: Failed): string {
  const needed = needs.length === 0 ? '' : `, which needs ${needs.join(', ')}`;
  const what =
    outputs.length === 0 ? `expected ${expected}, got ${actual}${needed}` : outputs.map(outputText).join('; ');
  const why = (explanation?.lines ?? []).map(({ depth, text }) => `${'  '.repeat(depth)}${text}`);
  return [what, ...why].join('\n');
}

function outputText(output: UnmetOutput): string {
  const { src, kind, expected } = output;
  const wanted = expected === undefined ? '' : `, expected ${JSON.stringify(expected)}`;
  switch (kind) {
    case 'missing':
      return `no output of ${src}${wanted}`;
    case 'mismatched':
      return `output of ${src} is ${JSON.stringify(output.actual)}${wanted}`;
    case 'errored':
      return `output of ${src} fails: ${output.error}${wanted}`;
  }
}

function decidingRules({ explanation }: Failed, folders: Folders): NonNullable<Finding['related']> {
  const { decidedBy = [] } = (explanation?.data ?? {}) as Partial<Explanation>;
  return decidedBy.map(({ rule, place, result }) => ({
    ...locationAt(place, folders),
    message: `${rule} ${result}`,
  }));
}

/** Rules and clauses that no test exercises. */
function coverageFindings({ files }: Coverage, folders: Folders): readonly Finding[] {
  return files.flatMap(({ rules }) =>
    rules.flatMap(findGaps).map(({ place, text }) => ({
      rule: 'test/not-covered',
      level: 'note' as const,
      message: text,
      location: locationAt(place, folders),
    })),
  );
}

/** Changes of policies that no test notices. */
function mutantFindings({ mutants }: MutationReport, folders: Folders): readonly Finding[] {
  return mutants
    .filter(({ result }) => result === 'survived')
    .map(({ place, before, after, witness }) => ({
      rule: 'test/surviving-mutant',
      level: 'warning',
      message: `no test catches the change from \`${oneLine(before)}\` to \`${oneLine(after)}\`\n${witnessText(witness)}`,
      location: locationAt(place, folders),
    }));
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function locationAt(place: FilePlace, { policies, sources }: Folders): Location {
  const source = sources.get(place.file);
  return { path: join(policies, place.file), ...(source && { region: regionAt(place, source) }) };
}
