import { Source } from '../../../compiler/diagnostics/source.js';
import type { Program } from '../../../compiler/ir/program.js';
import { suitesAmong } from '../../../compiler/load/suite-files.js';
import { fold } from '../../../compiler/optimise/index.js';
import type { TextFile } from '../../../compiler/policy-texts.js';
import { makeBundle } from '../../analysis/program/bundle.js';
import { askEngine } from '../../policy-tests/engine/ask-engine.js';
import { jsonReport, type TestReport } from '../../policy-tests/report/json.js';
import { runTests } from '../../policy-tests/run-tests.js';

/** Runs the suites among files. Loaded when there are some. */
export function tested(files: readonly TextFile[], lowered: Program): TestReport {
  const suites = suitesAmong(files.map(({ path, text }) => new Source(path, text)));
  const { bundle: policies, traced: traces } = makeBundle(fold(lowered));
  const { ask } = askEngine({ policies, traces }, { strictEvaluation: false, schemaEnforcement: 'none' });
  return jsonReport(runTests(suites, { filter: new Map(), skipBatching: false, traced: false, ask }));
}
