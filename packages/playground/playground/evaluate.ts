import {
  type CompiledBundle,
  createEngine,
  EvaluationLimitError,
  type PlanResult,
} from '../../../runtime/engine/index.js';
import { planner } from '../../../runtime/engine/parts.js';
import { type SqlDialect, type SqlParameter, type SqlTable, renderSql } from '../../../runtime/residual/filters.js';
import { explainDecisions, stoppedClock } from '../../analysis/explain/explain-decisions.js';
import { askEngine } from '../../policy-tests/engine/ask-engine.js';
import { bundleOf } from '../../analysis/program/bundle.js';
import { filtersOf } from '../../analysis/program/filters.js';
import type { Compilation } from '../../../compiler/compile.js';
import type { Diagnostic } from '../../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { reviewedFiles } from '../../../compiler/ir/emitted-file.js';
import type { Program } from '../../../compiler/ir/program.js';
import { isReadFromPolicies, isSuiteFile, SCHEMAS_DIRECTORY } from '../../../compiler/load/names.js';
import { suitesAmong } from '../../../compiler/load/suite-files.js';
import { fold } from '../../../compiler/optimise/index.js';
import { jsonReport, type TestReport } from '../../policy-tests/report/json.js';
import { runTests } from '../../policy-tests/run-tests.js';
import { compileTexts, type TextFile } from '../../../compiler/policy-texts.js';
import type { ExplainDecisionResponse } from '../../../proto/gen/explain-messages.js';
import { explanationMessage } from '../../../server/service/explanation-message.js';
import { guessedTable } from './guessed-table.js';
import { type PlaygroundRequest, readRequest } from './request.js';

/** What the playground is given: files by their path below the folder of policies, and a request as JSON. */
export interface PlaygroundInput {
  readonly files: readonly TextFile[];
  readonly request: string;
}

/** What the playground shows, as data that a worker can send. */
export interface PlaygroundResult {
  readonly problems: readonly Problem[];
  /** The generated TypeScript; undefined if the policies are refused. */
  readonly generated: readonly TextFile[] | undefined;
  /** Undefined if the policies are refused. */
  readonly answer: Answer | undefined;
  /** Undefined if the policies are refused, or there are no tests. */
  readonly tests: TestReport | undefined;
}

/** A diagnostic with its place. */
export interface Problem {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly text: string;
  readonly notes: readonly string[];
  readonly path?: string;
  /** Lines and columns are 1-based; `start` and `end` are offsets in UTF-16 units. */
  readonly place?: { readonly line: number; readonly column: number; readonly start: number; readonly end: number };
}

/** Decisions and plans for the request, or why there are none. */
export type Answer =
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'answered';
      readonly decisions: readonly { readonly action: string; readonly explanation: ExplainDecisionResponse }[];
      readonly plans: readonly ActionPlan[];
    };

/** The plan of one action. */
export interface ActionPlan {
  readonly action: string;
  /** As PlanResources returns it. */
  readonly response: object;
  readonly table: SqlTable;
  readonly sql: { readonly [dialect in SqlDialect]: SqlText };
}

/** A condition for WHERE, or why there is none. */
export type SqlText =
  | { readonly text: string; readonly parameters: readonly SqlParameter[] }
  | { readonly refused: readonly string[] };

/** Compiles policies, decides and plans a request with an explanation, and runs tests. Evaluates no text as code. */
export function evaluate({ files, request }: PlaygroundInput): PlaygroundResult {
  const compilation = compiled(files);
  const { program, lowered, diagnostics } = compilation;
  const problems = diagnostics.map(problemOf);
  if (program === undefined || lowered === undefined)
    return { problems, generated: undefined, answer: undefined, tests: undefined };
  const bundle = planningBundle(program);
  return {
    problems,
    generated: reviewedFiles(compilation.files).map(({ path, text }) => ({ path, text })),
    answer: answered(request, bundle, lowered),
    tests: tested(files, lowered),
  };
}

let latest: { readonly key: string; readonly compilation: Compilation } | undefined;

/** Compiles the policies among files, unless they are those of the last call. */
function compiled(files: readonly TextFile[]): Compilation {
  const read = files.filter(({ path }) => isReadFromPolicies(path));
  const key = JSON.stringify(read.map(({ path, text }) => [path, text]));
  if (latest?.key === key) return latest.compilation;
  const below = `${SCHEMAS_DIRECTORY}/`;
  const compilation = compileTexts({
    policies: read.filter(({ path }) => !path.startsWith(below)),
    schemas: read.flatMap(({ path, text }) =>
      path.startsWith(below) ? [{ path: path.slice(below.length), text }] : [],
    ),
  });
  latest = { key, compilation };
  return compilation;
}

function planningBundle(program: Program): CompiledBundle {
  const own = bundleOf(program);
  return { ...own.bundle, filters: [filtersOf(own)], planner };
}

/** The search for changes that would turn a decision takes at most this many tries for each action. */
const TRIES = 500;

function answered(text: string, bundle: CompiledBundle, lowered: Program): Answer {
  const read = readRequest(text);
  if (read.kind === 'refused') return read;
  const { principal, resource, actions, auxData } = read.request;
  const options = { clock: stoppedClock(), schemaEnforcement: 'warn' } as const;
  const engine = createEngine(bundle, options);
  const explain = explainDecisions(lowered, options);
  try {
    const decisions = actions.map((action) => {
      const asked = { principal, resource, action, auxData };
      const explanation = explain(asked, engine.isAllowed(asked), { near: 3, tries: TRIES });
      const { validationErrors = [] } = explanation;
      return { action, explanation: explanationMessage(explanation, { validationErrors }) };
    });
    const plans = actions.map((action) => {
      const { kind, scope, policyVersion } = resource;
      const plan = engine.plan({ principal, resource: { kind, scope, policyVersion }, actions: [action], auxData });
      return planOf(action, plan, read.request);
    });
    return { kind: 'answered', decisions, plans };
  } catch (error) {
    // A stack that overflows: a value is nested too deeply.
    const limit = error instanceof RangeError ? new EvaluationLimitError('depth') : error;
    if (limit instanceof EvaluationLimitError) return { kind: 'refused', reason: limit.message };
    throw error;
  }
}

function planOf(action: string, plan: PlanResult, { resource }: PlaygroundRequest): ActionPlan {
  const table = guessedTable(plan.filter, resource);
  const sql = (dialect: SqlDialect): SqlText => {
    const rendered = renderSql(plan.filter, table, { dialect });
    if (rendered.kind === 'sql') return { text: rendered.text, parameters: rendered.parameters };
    return { refused: rendered.problems.map(({ reason, part }) => `${part}: ${reason}`) };
  };
  return {
    action,
    response: {
      action,
      resourceKind: resource.kind,
      filter: plan.filter,
      meta: { filterDebug: plan.filterDebug },
      unplanned: plan.unplanned,
    },
    table,
    sql: { sqlite: sql('sqlite'), postgresql: sql('postgresql'), mysql: sql('mysql') },
  };
}

function tested(files: readonly TextFile[], lowered: Program): TestReport | undefined {
  const suites = suitesAmong(files.map(({ path, text }) => new Source(path, text)));
  if (!files.some(({ path }) => isSuiteFile(path))) return undefined;
  const { bundle: policies, traced: traces } = bundleOf(fold(lowered));
  const { ask } = askEngine({ policies, traces }, { strictEvaluation: false, schemaEnforcement: 'none' });
  return jsonReport(runTests(suites, { filter: new Map(), skipBatching: false, traced: false, ask }));
}

function problemOf({ code, severity, message, shown, source, place, focus, notes }: Diagnostic): Problem {
  const span = focus ?? place?.span;
  return {
    code,
    severity,
    text: shown ?? message,
    notes: notes.map((note) => note.shown ?? note.message),
    ...(source && { path: source.path }),
    ...(span && { place: { ...span.source.lineAndColumn(span.start), start: span.start, end: span.end } }),
  };
}
