import { invariant } from '../../../compiler/diagnostics/invariant.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import type { Program } from '../../../compiler/ir/program.js';
import { suitesAmong } from '../../../compiler/load/suite-files.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { TextFile } from '../../../compiler/policy-texts.js';
import { makeBundle } from '../../analysis/program/bundle.js';
import { askEngine, type MakePartialTests } from '../../policy-tests/engine/ask-engine.js';
import { jsonReport, type TestReport } from '../../policy-tests/report/json.js';
import { runTests, testCalls } from '../../policy-tests/run-tests.js';
import type { Json } from '../json.js';
import { compileFiles } from './compile-files.js';
import type { TestedRequest } from './questions.js';
import { requestText } from './request-text.js';

/** Runs the suites among files. Loaded when there are some. */
export async function tested(files: readonly TextFile[], lowered: Program): Promise<TestReport> {
  const suites = suitesIn(files);
  const isPartial = testCalls(suites, HOW).some(({ question }) => question.unknown !== undefined);
  const partial = isPartial ? await import('../../policy-tests/engine/partial-tests.js') : undefined;
  return jsonReport(runTests(suites, { ...HOW, ask: askerOf(lowered, partial?.decidesPartially) }));
}

/**
 * A request that the tests among files make: the first that is allowed one action and denied another, otherwise the first that
 * is allowed one. Undefined if there is none, or the policies do not compile.
 */
export function begin(files: readonly TextFile[]): TestedRequest | undefined {
  const { lowered } = compileFiles(files);
  if (lowered === undefined) return undefined;
  const ask = askerOf(lowered, undefined);
  let allowed: TestedRequest | undefined;
  for (const { question } of testCalls(suitesIn(files), HOW)) {
    const { principal, resource, actions, auxData, options, unknown } = question;
    const { now, globals = {} } = options;
    // A request of the playground has none of these.
    if (now !== undefined || Object.keys(globals).length > 0 || unknown !== undefined) continue;
    const effects = new Set(ask(question).decisions.map(({ effect }) => effect));
    if (!effects.has('EFFECT_ALLOW')) continue;
    // What tests leave out is not written.
    const request = JSON.parse(JSON.stringify({ principal, resource, actions, auxData })) as Json;
    const found = { kind: resource.kind, request: requestText(request) };
    if (effects.size > 1) return found;
    allowed ??= found;
  }
  return allowed;
}

const HOW = { filter: new Map(), skipBatching: false, traced: false };

function suitesIn(files: readonly TextFile[]): ReturnType<typeof suitesAmong> {
  return suitesAmong(files.map(({ path, text }) => new Source(path, text)));
}

/** @param decidesPartially for suites with tests that do not know some facts. */
function askerOf(
  lowered: Program,
  decidesPartially: ((program: () => Program) => MakePartialTests) | undefined,
): ReturnType<typeof askEngine>['ask'] {
  const { bundle: policies, traced: traces, program } = makeBundle(fold(lowered));
  const partial = decidesPartially?.(() => program) ?? (() => invariant('a test of facts that was not expected'));
  return askEngine({ policies, traces, partial }, { strictEvaluation: false, schemaEnforcement: 'none' }).ask;
}
