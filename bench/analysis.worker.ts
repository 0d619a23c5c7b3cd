import { CoverageRecorder } from '../packages/analysis/coverage/coverage.js';
import { type LoadedVersion, loadVersion } from '../packages/analysis/decision/policy-version.js';
import { diffVersions } from '../packages/analysis/diff/diff.js';
import { explainDecisions, stoppedClock } from '../packages/analysis/explain/explain-decisions.js';
import { askPolicies } from '../packages/policy-tests/engine/ask-policies.js';
import { makeProver } from '../packages/analysis/solve/prover.js';
import type { Prover } from '../packages/analysis/question/question.js';
import { findZ3, startZ3 } from '../packages/analysis/solve/z3.js';
import { suggestForCoverage } from '../packages/policy-tests/suggest/coverage-suggestions.js';
import { verifyStatements } from '../packages/analysis/verify/verify.js';
import type { Compilation } from '../compiler/compile.js';
import { compileTexts, loadPolicies } from '../compiler/policy-texts.js';
import { createEngine } from '../runtime/engine/index.js';
import { report } from './harness/child.js';
import { ROOT } from './harness/paths.js';
import { CHANGES, changedPolicies } from './workload/changed-policies.js';
import { type PolicyTexts, tenRulePolicies } from './workload/leave-policies.js';

/** The measurements of a cold analysis, in milliseconds. */
export interface AnalysisReport {
  /** From texts to generated code; of a comparison, of both sets. */
  readonly compile: number;
  /** Without bundling and loading. */
  readonly analyse: number;
  /** Each query of a solver. */
  readonly queries: readonly number[];
  /** How many results there are: rows, or tests. */
  readonly results: number;
}

const [what] = process.argv.slice(2) as [string];
await report(await analysed(what));

async function analysed(name: string): Promise<AnalysisReport> {
  if (Object.hasOwn(CHANGES, name)) return compared(name);
  switch (name) {
    case 'verify':
      return verified();
    case 'explain':
      return explained();
    case 'suggest':
      return suggested();
    default:
      throw new Error(`no analysis is called ${name}`);
  }
}

async function compared(change: string): Promise<AnalysisReport> {
  const { value: compilations, milliseconds: compile } = await timed(() =>
    changedPolicies(change).map((texts) => emitted(compileTexts({ policies: listOf(texts) }))),
  );
  const [old, new_] = [await loaded(compilations[0]), await loaded(compilations[1])];
  const queries: number[] = [];
  const { value, milliseconds: analyse } = await timed(() => diffVersions(old, new_, { prover: z3(queries) }));
  if (value.summary.undecided > 0) throw new Error('not decided');
  return { compile, analyse, queries, results: value.rows.length };
}

async function verified(): Promise<AnalysisReport> {
  const { value: compilation, milliseconds: compile } = await timed(() => compileTexts(ownPolicies()));
  const version = await loaded(compilation);
  const queries: number[] = [];
  const { value, milliseconds: analyse } = await timed(() =>
    verifyStatements(version, compilation.invariants, { prover: z3(queries) }),
  );
  return { compile, analyse, queries, results: value.statements.flatMap(({ rows }) => rows).length };
}

/** Out of 100 policies: why a leave is not approved, and what would turn that. */
async function explained(): Promise<AnalysisReport> {
  const { value: compilation, milliseconds: compile } = await timed(() =>
    compileTexts({ policies: listOf(tenRulePolicies(100)) }),
  );
  const version = await loaded(compilation);
  const { lowered } = version;
  const compiled = await version.compiled();
  const attr = { status: 'APPROVED', days: 45, country: 'NL', owner: 'employee-2', department: 'sales' };
  const principal = { id: 'employee-1', roles: ['employee'], attr: { title: 'manager', department: 'sales' } };
  const request = { principal, resource: { kind: 'leave_request_00000', id: 'l1', attr }, action: 'approve' };
  const { value, milliseconds: analyse } = await timed(() => {
    const options = { clock: stoppedClock() };
    const isAllowed = createEngine(compiled, options).isAllowed(request);
    return explainDecisions(lowered, options)(request, isAllowed, { near: 3 });
  });
  return { compile, analyse, queries: [], results: value.nearMisses?.changes.length ?? 0 };
}

async function suggested(): Promise<AnalysisReport> {
  const { value: compilation, milliseconds: compile } = await timed(() => compileTexts(ownPolicies()));
  const version = await loaded(compilation);
  const { lowered, traced } = version;
  const compiled = await version.compiled();
  const engineOptions = { strictEvaluation: false, schemaEnforcement: 'none' } as const;
  const policies = { policies: compiled, traces: await traced(), lowered: () => lowered };
  const { ask } = askPolicies(policies, engineOptions);
  const allowed = { roles: undefined, actions: undefined };
  const subject = { program: lowered, compiled, ask, engineOptions, calls: [], allowed };
  const { value, milliseconds: analyse } = await timed(() =>
    suggestForCoverage(new CoverageRecorder(lowered), subject, () => Promise.resolve(true)),
  );
  return { compile, analyse, queries: [], results: value.tests.length };
}

/** A compilation whose code is emitted, as it otherwise is when its files are first read. */
function emitted(compilation: Compilation): Compilation {
  if (compilation.files.length === 0) throw new Error('the policies do not compile');
  return compilation;
}

async function loaded(compilation: Compilation | undefined): Promise<LoadedVersion> {
  const version = compilation && loadVersion(compilation, 'policies');
  if (version === undefined) throw new Error('the policies do not compile');
  return version;
}

function ownPolicies(): ReturnType<typeof loadPolicies> {
  return loadPolicies(`${ROOT}/policies`);
}

function listOf(texts: PolicyTexts): readonly { readonly path: string; readonly text: string }[] {
  return Object.entries(texts).map(([path, text]) => ({ path, text }));
}

/** z3, whose queries are timed. */
function z3(queries: number[]): () => Promise<Prover> {
  return () => {
    const solver = startZ3(findZ3(ROOT) ?? 'z3-solver is a dependency of benchmarks');
    const run = async (query: string): Promise<string | undefined> => {
      const { value, milliseconds } = await timed(() => solver.run(query));
      queries.push(milliseconds);
      return value;
    };
    return Promise.resolve(makeProver({ ...solver, run, close: () => solver.close() }, { effort: 3 }));
  };
}

async function timed<T>(work: () => T | Promise<T>): Promise<{ readonly value: T; readonly milliseconds: number }> {
  const start = performance.now();
  const value = await work();
  return { value, milliseconds: performance.now() - start };
}
