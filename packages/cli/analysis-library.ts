import {
  type AccessRequest,
  createEngine,
  type EngineOptions,
  type SchemaEnforcement,
} from '../../runtime/engine/index.js';
import type { Explanation, SearchOptions } from '../../runtime/engine/parts.js';
import type { SqlDialect, SqlTable } from '../../runtime/residual/sql/index.js';
import type { Compilation } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { formatList } from '../../compiler/diagnostics/format.js';
import { type Report, toReport } from '../../compiler/diagnostics/json.js';
import { plain } from '../../compiler/diagnostics/paint.js';
import { invariant } from '../../compiler/diagnostics/invariant.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { loadSuites, sourceText, type SuiteFiles, suitesAmong } from '../../compiler/load/index.js';
import { fold } from '../../compiler/optimise/index.js';
import { listReads } from './policies/read-changes.js';
import { testFilter } from '../policy-tests/filter.js';
import { jsonReport, type TestReport } from '../policy-tests/report/json.js';
import { runTests } from '../policy-tests/run-tests.js';
import { compileTexts, type LoadedPolicies, type PolicyTexts, type TextFile } from '../../compiler/policy-texts.js';
import { type Coverage, CoverageRecorder } from '../analysis/coverage/coverage.js';
import { type LoadedVersion, loadVersion } from '../analysis/decision/policy-version.js';
import { diffVersions } from '../analysis/diff/diff.js';
import type { DiffOptions } from '../analysis/diff/options.js';
import type { DiffReport } from '../analysis/diff/report.js';
import { type FactsReportOptions, makeFactsReport } from '../analysis/facts/facts-report.js';
import { factsJson, type ReadSetReport } from '../analysis/facts/report/json.js';
import { currentInstant } from '../analysis/explain/explain.js';
import { explainDecisions } from '../analysis/explain/explain-decisions.js';
import { askPolicies } from '../policy-tests/engine/ask-policies.js';
import { explainFailures } from '../policy-tests/engine/explained-tests.js';
import type { Solver } from '../analysis/solve/solver.js';
import { reportUnfilteredRules } from '../analysis/tables/unfiltered-rules.js';
import { findZ3, startZ3 } from '../analysis/solve/z3.js';
import type { VerifyReport } from '../analysis/verify/report.js';
import { verifyStatements } from '../analysis/verify/verify.js';

export type { Explanation } from '../../runtime/engine/parts.js';
export type { Report } from '../../compiler/diagnostics/json.js';
export type { TestReport } from '../policy-tests/report/json.js';
export { type LoadedPolicies, loadPolicies, type PolicyTexts, type TextFile } from '../../compiler/policy-texts.js';
export type { Coverage } from '../analysis/coverage/coverage.js';
export type { ReadSetOfDecision, ReadSetReport, ReadSetTable } from '../analysis/facts/report/json.js';
export type { TableHeading } from '../analysis/matrix/matrix.js';
export type { DiffReport, DiffRow, DiffVerdict, WitnessRequest } from '../analysis/diff/report.js';
export type { Solver } from '../analysis/solve/solver.js';
export type { StatementAnswer, VerifiedRow, VerifiedStatement, VerifyReport } from '../analysis/verify/report.js';

/** Policies as texts, or as `loadPolicies` has read them. */
export type Policies = PolicyTexts | LoadedPolicies;

/** How proofs about all requests are made. */
export interface ProofOptions extends Pick<DiffOptions, 'kind' | 'action' | 'scope' | 'effort'> {
  /** How the engine decides. Without `globals` any are possible. Strict evaluation cannot be proved about yet. */
  readonly engine?: DiffOptions['engine'] & { readonly strictEvaluation?: false };
  /**
   * Starts a solver, such as `z3`, when a question first needs one; it is closed at the end. Without it, what decision
   * diagrams and a search leave open is undecided.
   */
  readonly solver?: () => Promise<Solver>;
  /** Ends the analysis early: what is left is undecided. */
  readonly signal?: AbortSignal;
}

/**
 * What changes between two sets of policies, as `authzc diff -o json` prints it: for each kind, version, scope and class
 * of actions, whether a request is denied before and allowed after, and the reverse. Each answer is proved, or shown by
 * a request that the compiled policies of both sets decide so, or undecided.
 *
 * Rejects with a PolicyError if a set does not compile, with the error of a solver that does not start, and with an
 * Error for more than 200,000 rows: narrow what is compared with `kind`, `action` or `scope`.
 *
 * @example
 * import { diffPolicies } from 'authz/analysis';
 *
 * const policies = (role: string) => {
 *   const rule = `{ name: readers, actions: [read], effect: EFFECT_ALLOW, roles: [${role}] }`;
 *   const resourcePolicy = `{ resource: note, version: default, rules: [${rule}] }`;
 *   const text = `{ apiVersion: api.authz.dev/v1, resourcePolicy: ${resourcePolicy} }`;
 *   return { policies: [{ path: 'note.yaml', text }] };
 * };
 * const { summary } = await diffPolicies(policies('user'), policies('"*"'));
 * console.log(summary.widened, summary.narrowed); // => 1 0
 */
export async function diffPolicies(old: Policies, new_: Policies, options: ProofOptions = {}): Promise<DiffReport> {
  const sets = compiledSets({ old, new: new_ });
  const compared = diffOptions(options);
  return diffVersions(sets.old, sets.new, { ...compared, listReads: listReads(compared.engine) });
}

/**
 * Proves or refutes the statements of the `invariants` documents of a set of policies, as `authzc verify -o json` prints
 * it. A set without such documents has no statements.
 *
 * Rejects as `diffPolicies` does.
 *
 * @example
 * import { verifyPolicies } from 'authz/analysis';
 * import { loadPolicies } from 'authz/compiler';
 *
 * const { statements } = await verifyPolicies(loadPolicies('policies'));
 * console.log(statements.map(({ answer }) => answer)); // => [ 'proved', 'proved', 'proved', 'proved' ]
 */
export async function verifyPolicies(policies: Policies, options: ProofOptions = {}): Promise<VerifyReport> {
  const sets = compiledSets({ policies });
  return verifyStatements(sets.policies, sets.policies.invariants, diffOptions(options));
}

/** Which decisions read sets are of. Kinds, actions and roles are globs. */
export interface ReadSetsOptions
  extends Pick<FactsReportOptions, 'level' | 'kind' | 'action' | 'role' | 'scope' | 'version'> {
  /** How the engine decides. */
  readonly engine?: Pick<
    EngineOptions,
    'defaultPolicyVersion' | 'defaultScope' | 'lenientScopeSearch' | 'strictEvaluation' | 'schemaEnforcement'
  >;
}

/**
 * What each decision can read of a request: what `authzc facts -o json` prints. Programs that have a bundle ask
 * `readSetOf` of `authz/facts`.
 *
 * Rejects with a PolicyError if the policies do not compile.
 *
 * @example
 * import { listReadSets } from 'authz/analysis';
 * import { loadPolicies } from 'authz/compiler';
 *
 * const { tables } = await listReadSets(loadPolicies('policies'), { kind: ['album'], action: ['edit'], role: ['user'] });
 * console.log(tables[0]?.decisions[0]?.facts); // => [ 'resource.attr.owner', 'resource.attr.status' ]
 */
export async function listReadSets(
  policies: Policies,
  { engine = {}, ...options }: ReadSetsOptions = {},
): Promise<ReadSetReport> {
  const { lowered } = compiledSets({ policies }).policies;
  return factsJson(makeFactsReport(fold(lowered), { ...engine, ...options }));
}

/** How a decision is made and explained. */
export interface ExplainDecisionOptions extends Partial<Pick<SearchOptions, 'near' | 'keep'>> {
  readonly engine?: Omit<EngineOptions, 'traced' | 'plan'>;
}

/**
 * Decides one action, and tells why, and which smallest changes of the request would turn the decision: what `authzc
 * explain -o json` prints. A bundle that is compiled with `explain` does the same for many requests.
 *
 * Rejects with a PolicyError if the policies do not compile, and with an EvaluationLimitError as `isAllowed` throws it.
 *
 * @example
 * import { explainDecision } from 'authz/analysis';
 * import { loadPolicies } from 'authz/compiler';
 *
 * const explanation = await explainDecision(loadPolicies('policies'), {
 *   principal: { id: 'ann', roles: ['user'] },
 *   resource: { kind: 'contact', id: 'c1' },
 *   action: 'delete',
 * });
 * console.log(explanation.decision); // => DENY
 */
export async function explainDecision(
  policies: Policies,
  request: AccessRequest,
  { engine = {}, near = 3, keep }: ExplainDecisionOptions = {},
): Promise<Explanation> {
  const { compiled, lowered, traced } = compiledSets({ policies }).policies;
  const now = (engine.clock ?? currentInstant)();
  const options = { ...engine, clock: () => now, traced: await traced() };
  const isAllowed = createEngine(await compiled(), options).isAllowed(request);
  return explainDecisions(lowered, options)(request, isAllowed, { near, keep });
}

/**
 * The conditions of rules that have no SQL over the tables of their kinds, whichever principal asks: what `authzc compile
 * --table -o json` reports of them. For tables that are declared in TypeScript, in a test of the program.
 *
 * Throws a PolicyError if the policies do not compile.
 *
 * @example
 * import { rulesWithoutSql } from 'authz/analysis';
 * import { loadPolicies } from 'authz/compiler';
 *
 * const columns = { owner: { column: 'owner_id', type: 'text' } } as const;
 * const tables = { album: { name: 'albums', columns } };
 * const { warnings } = rulesWithoutSql(loadPolicies('policies'), tables, { dialect: 'postgresql' });
 * console.log(warnings[0]?.code); // => rule/not-in-sql
 *
 * @param tables the table of each kind of resource.
 */
export function rulesWithoutSql(
  policies: Policies,
  tables: { readonly [kind: string]: SqlTable },
  { dialect }: { readonly dialect: SqlDialect },
): Report {
  const { lowered, diagnostics } = compileTexts(policies);
  if (lowered === undefined) throw policyError([{ name: 'policies', diagnostics }]);
  const report = new Diagnostics();
  reportUnfilteredRules(fold(lowered), new Map(Object.entries(tables)), dialect, report);
  return toReport(report.sorted());
}

/** Tests that `loadTests` has read. */
export interface LoadedTests {
  readonly suites: readonly SuiteFiles[];
}

/**
 * Reads the tests of a folder, as `authzc test` does. Throws when it cannot be read.
 *
 * @example
 * import { coverTests, loadTests } from 'authz/analysis';
 * import { loadPolicies } from 'authz/compiler';
 *
 * const { tests } = await coverTests(loadPolicies('policies'), loadTests('policies'));
 * console.log(tests.suites?.length); // => 3
 */
export function loadTests(directory: string): LoadedTests {
  return { suites: loadSuites(directory) };
}

/** How tests are run. */
export interface CoverTestsOptions {
  /** Which tests run: `test=Alice*;action=view,edit`. */
  readonly filter?: string;
  /** Whether every test is strict. A test can turn strict evaluation on, but not off. */
  readonly strictEvaluation?: boolean;
  /** Default: `none`. */
  readonly schemaEnforcement?: SchemaEnforcement;
}

/** The results of tests, and what they exercise. */
export interface TestCoverage {
  /** What `authzc test -o json` prints. */
  readonly tests: TestReport;
  /** What `authzc test --coverage --coverage-output json` writes. */
  readonly coverage: Coverage;
}

/**
 * Runs tests of policies, and records which rules and clauses of conditions they exercise, whether or not they pass.
 *
 * Rejects with a PolicyError if the policies do not compile, and with an Error for a filter that is malformed. A suite
 * that cannot be run is one of the results.
 *
 * @example
 * import { coverTests, loadTests } from 'authz/analysis';
 * import { loadPolicies } from 'authz/compiler';
 *
 * const { tests, coverage } = await coverTests(loadPolicies('policies'), loadTests('policies'));
 * console.log(tests.summary.overallResult, coverage.total.rules); // => RESULT_PASSED { covered: 15, all: 15 }
 *
 * @param tests the suites (`*_test.yaml`) and the fixtures in folders `testdata` beside them.
 */
export async function coverTests(
  policies: Policies,
  tests: readonly TextFile[] | LoadedTests,
  { filter = '', strictEvaluation = false, schemaEnforcement = 'none' }: CoverTestsOptions = {},
): Promise<TestCoverage> {
  const { compiled, lowered, traced } = compiledSets({ policies }).policies;
  const suites =
    'suites' in tests ? tests.suites : suitesAmong(tests.map(({ path, text }) => new Source(path, sourceText(text))));
  const recorder = new CoverageRecorder(lowered);
  const options = { strictEvaluation, schemaEnforcement };
  const { ask } = askPolicies(
    { policies: await compiled(), traces: await traced(), lowered: () => lowered },
    options,
    (request, engineOptions) => recorder.record(request, engineOptions),
  );
  const results = runTests(suites, { filter: testFilter([filter]), skipBatching: false, traced: false, ask });
  const style = { paint: plain, pathOf: (file: string) => file, full: true };
  return {
    tests: jsonReport(explainFailures(results, lowered, options, style)),
    coverage: recorder.coverage(),
  };
}

/**
 * Starts z3 in a process of its own: `diffPolicies(old, new, { solver: z3 })`. The package `z3-solver` is looked for in
 * the working directory, and where authz is installed.
 *
 * Rejects if it is not installed, or in a version that is not known to work.
 *
 * @example
 * import { diffPolicies, z3 } from 'authz/analysis';
 *
 * const policies = (role: string) => {
 *   const rule = `{ name: readers, actions: [read], effect: EFFECT_ALLOW, roles: [${role}] }`;
 *   const resourcePolicy = `{ resource: note, version: default, rules: [${rule}] }`;
 *   const text = `{ apiVersion: api.authz.dev/v1, resourcePolicy: ${resourcePolicy} }`;
 *   return { policies: [{ path: 'note.yaml', text }] };
 * };
 * // z3 starts when decision diagrams leave a question open.
 * const { summary } = await diffPolicies(policies('user'), policies('"*"'), { solver: z3 });
 * console.log(summary.widened, summary.narrowed); // => 1 0
 */
export async function z3(): Promise<Solver> {
  const directory = findZ3(process.cwd());
  if (directory === undefined)
    throw new Error('z3-solver is not installed: add it with `npm install --save-dev z3-solver`');
  return startZ3(directory);
}

/** Thrown for policies that do not compile. Its message has the first error of each set. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';

  /** @param reports those of the sets that do not compile, by the name of the parameter. */
  constructor(
    message: string,
    readonly reports: { readonly [set: string]: Report },
  ) {
    super(message);
  }
}

function diffOptions({ solver, signal, ...options }: ProofOptions): DiffOptions {
  // A proof about other decisions than those of the engine would be wrong.
  if ((options.engine as EngineOptions | undefined)?.strictEvaluation === true)
    throw new Error('strict evaluation is not supported yet: proofs assume default evaluation');
  return {
    ...options,
    isOver: () => signal?.aborted === true && (isTimeout(signal) ? 'time' : 'interrupted'),
    ...(solver !== undefined && {
      prover: async () => {
        const { makeProver } = await import('../analysis/solve/prover.js');
        return makeProver(await solver(), { effort: options.effort ?? 3 });
      },
    }),
  };
}

/** Whether `AbortSignal.timeout` has ended it. */
function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** Policies that are compiled and loaded, with the statements about them. */
type CompiledSet = LoadedVersion & Pick<Compilation, 'invariants'>;

/** Compiles sets of policies, each under the name that messages and reports have for it. Throws a PolicyError. */
function compiledSets<Name extends string>(
  sets: Readonly<Record<Name, Policies>>,
): Readonly<Record<Name, CompiledSet>> {
  const compilations = Object.entries<Policies>(sets).map(([name, texts]) => [name, compileTexts(texts)] as const);
  const refused = compilations.flatMap(([name, { program, diagnostics }]) =>
    program === undefined ? [{ name, diagnostics }] : [],
  );
  if (refused.length > 0) throw policyError(refused);
  const compiled = compilations.map(([name, compilation]) => {
    const version = loadVersion(compilation, name) ?? invariant('what has a program was compiled');
    return [name, { ...version, invariants: compilation.invariants }];
  });
  return Object.fromEntries(compiled);
}

function policyError(refused: readonly (Pick<Compilation, 'diagnostics'> & { readonly name: string })[]): PolicyError {
  const messages = refused.map(({ name, diagnostics }) => {
    const [first] = diagnostics.filter(({ severity }) => severity === 'error');
    return `${name}: ${formatList(first === undefined ? [] : [first]).trim()}`;
  });
  const reports = refused.map(({ name, diagnostics }) => [name, toReport(diagnostics)]);
  return new PolicyError(messages.join('\n'), Object.fromEntries(reports));
}
