import {
  chainOf,
  type CompiledBundle,
  createEngine,
  delegation,
  EvaluationLimitError,
} from '../../../runtime/engine/index.js';
import { planner } from '../../../runtime/engine/parts.js';
import { explainDecisions, stoppedClock } from '../../analysis/explain/explain-decisions.js';
import { makeBundle } from '../../analysis/program/bundle.js';
import { makeFilters } from '../../analysis/program/filters.js';
import type { Compilation } from '../../../compiler/compile.js';
import type { Diagnostic } from '../../../compiler/diagnostics/diagnostic.js';
import { reviewedFiles } from '../../../compiler/ir/emitted-file.js';
import type { Program } from '../../../compiler/ir/program.js';
import { isReadFromPolicies, isSuiteFile } from '../../../compiler/load/names.js';
import type { TextFile } from '../../../compiler/policy-texts.js';
import { explanationMessage } from '../../../server/service/explanation-message.js';
import { compileFiles } from './compile-files.js';
import { readRequest } from './request.js';
import type { Answer, PlaygroundInput, PlaygroundResult, Problem } from './result.js';

/** Compiles policies, decides and plans a request with an explanation, and runs tests. Evaluates no text as code. */
export async function evaluate({ files, request }: PlaygroundInput): Promise<PlaygroundResult> {
  const compilation = compiled(files);
  const { program, lowered, diagnostics } = compilation;
  const problems = diagnostics.map(toProblem);
  if (program === undefined || lowered === undefined)
    return { problems, generated: undefined, answer: undefined, tests: undefined };
  const bundle = planningBundle(program);
  return {
    problems,
    generated: reviewedFiles(compilation.files).map(({ path, text }) => ({ path, text })),
    answer: await answered(request, bundle, lowered),
    tests: files.some(({ path }) => isSuiteFile(path))
      ? await (await import('./later.js')).tested(files, lowered)
      : undefined,
  };
}

let latest: { readonly key: string; readonly compilation: Compilation } | undefined;

/** Compiles the policies among files, unless they are those of the last call. */
function compiled(files: readonly TextFile[]): Compilation {
  const key = JSON.stringify(
    files.filter(({ path }) => isReadFromPolicies(path)).map(({ path, text }) => [path, text]),
  );
  if (latest?.key !== key) latest = { key, compilation: compileFiles(files) };
  return latest.compilation;
}

function planningBundle(program: Program): CompiledBundle {
  const own = makeBundle(program);
  return { ...own.bundle, filters: [makeFilters(own)], planner };
}

/** The search for changes that would turn a decision takes at most this many tries for each action. */
const TRIES = 500;

async function answered(text: string, bundle: CompiledBundle, lowered: Program): Promise<Answer> {
  const { toActionPlan } = await import('./later.js');
  const read = readRequest(text);
  if (read.kind === 'refused') return read;
  const { principal, resource, actions, auxData, now } = read.request;
  const options = { clock: stoppedClock(now), schemaEnforcement: 'warn' } as const;
  const engine = createEngine(bundle, { ...options, use: [delegation()] });
  const explain = explainDecisions(lowered, options);
  try {
    const decisions = actions.map((action) => {
      const isAllowed = engine.isAllowed({ principal, resource, action, auxData });
      const explanations = chainOf(principal).map((who) => {
        const asked = { principal: who, resource, action, auxData };
        const explanation = explain(asked, engine.isAllowed(asked), { near: 3, tries: TRIES });
        const { validationErrors = [] } = explanation;
        return { id: who.id, explanation: explanationMessage(explanation, { validationErrors }) };
      });
      return { action, isAllowed, explanations };
    });
    const plans = actions.map((action) => {
      const { kind, scope, policyVersion } = resource;
      const plan = engine.plan({ principal, resource: { kind, scope, policyVersion }, actions: [action], auxData });
      return toActionPlan(action, plan, read.request);
    });
    return {
      kind: 'answered',
      decisions,
      plans,
    };
  } catch (error) {
    // A stack that overflows: a value is nested too deeply.
    const limit = error instanceof RangeError ? new EvaluationLimitError('depth') : error;
    if (limit instanceof EvaluationLimitError) return { kind: 'refused', reason: limit.message };
    throw error;
  }
}

function toProblem({ code, severity, message, shown, source, place, focus, notes }: Diagnostic): Problem {
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
