import { Source } from '../../../compiler/diagnostics/source.js';
import type { Program } from '../../../compiler/ir/program.js';
import { suitesAmong } from '../../../compiler/load/suite-files.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { TextFile } from '../../../compiler/policy-texts.js';
import { makeBundle } from '../../analysis/program/bundle.js';
import { askEngine } from '../../policy-tests/engine/ask-engine.js';
import { jsonReport, type TestReport } from '../../policy-tests/report/json.js';
import { runTests, testCalls } from '../../policy-tests/run-tests.js';
import type { Json } from '../json.js';
import { compileFiles } from './compile-files.js';
import type { TestedRequest } from './questions.js';
import { requestText } from './request-text.js';

/** Runs the suites among files. Loaded when there are some. */
export function tested(files: readonly TextFile[], lowered: Program): TestReport {
  return jsonReport(runTests(suitesIn(files), { ...HOW, ask: askerOf(lowered) }));
}

/**
 * A request that the tests among files make: the first that is allowed one action and denied another, otherwise the first that
 * is allowed one. Undefined if there is none, or the policies do not compile.
 */
export function begin(files: readonly TextFile[]): TestedRequest | undefined {
  const { lowered } = compileFiles(files);
  if (lowered === undefined) return undefined;
  const ask = askerOf(lowered);
  let allowed: TestedRequest | undefined;
  for (const { question } of testCalls(suitesIn(files), HOW)) {
    const { principal, resource, actions, auxData, options } = question;
    const { now, globals = {} } = options;
    // A request of the playground has neither.
    if (now !== undefined || Object.keys(globals).length > 0) continue;
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

function askerOf(lowered: Program): ReturnType<typeof askEngine>['ask'] {
  const { bundle: policies, traced: traces } = makeBundle(fold(lowered));
  return askEngine({ policies, traces }, { strictEvaluation: false, schemaEnforcement: 'none' }).ask;
}
