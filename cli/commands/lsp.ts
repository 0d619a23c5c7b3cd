import { join } from 'node:path';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { type Compilation, compile } from '../../compiler/compile.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import type { Program } from '../../compiler/ir/program.js';
import type { SuiteFiles } from '../../compiler/load/index.js';
import { fold } from '../../compiler/optimise/index.js';
import type { SuiteResult } from '../../compiler/policy-tests/results.js';
import { version } from '../../compiler/version.js';
import type { Evaluation } from '../../editor/evaluations.js';
import { serveEditor } from '../../editor/server.js';
import type { Workspace } from '../../editor/workspace.js';
import { policiesOf } from '../policies/compile.js';
import { evaluateCondition } from '../editor/evaluate-condition.js';
import { FolderDiagnoser } from '../editor/folder-diagnoser.js';
import { runPolicyTests } from '../policies/test-policies.js';
import { PROJECT_FILE, readVocabulary } from '../policies/vocabulary.js';

/**
 * `authzc lsp --stdio`: serves an editor on standard input and output until it ends the session, or its process ends.
 *
 * @param folder the folder of the policies; by default `policies` in the folders that the editor has open.
 */
export function lspCommand(folder: string | undefined): void {
  const diagnosers = new Map<Workspace, FolderDiagnoser>();
  serveEditor(createConnection(ProposedFeatures.all, process.stdin, process.stdout), {
    version,
    folder,
    vocabularyOf: (root) => readVocabulary(join(root, PROJECT_FILE)),
    diagnoseFolder: (workspace) => {
      const diagnoser = diagnosers.get(workspace) ?? new FolderDiagnoser();
      diagnosers.set(workspace, diagnoser);
      return diagnoser.diagnose(workspace);
    },
    runSuite,
    evaluate,
  });
}

/** Throws an Error for policies that do not compile. */
function compiled(workspace: Workspace): Compilation & { readonly lowered: Program } {
  const compilation = compile(workspace.sources, new Diagnostics(), { schemaTexts: workspace.schemaTexts });
  const { lowered } = compilation;
  if (lowered === undefined) throw new Error('the policies have errors: correct them first');
  return { ...compilation, lowered };
}

function evaluate(workspace: Workspace, path: string, line: number): readonly Evaluation[] {
  return evaluateCondition(fold(compiled(workspace).lowered), workspace.suites, { file: path, line });
}

async function runSuite(workspace: Workspace, suite: SuiteFiles, test: string | undefined): Promise<SuiteResult> {
  const compilation = compiled(workspace);
  const policies = await policiesOf(compilation, workspace.folder);
  const { results } = await runPolicyTests(
    [suite],
    { ...policies, lowered: () => compilation.lowered },
    {
      filter: new Map(test === undefined ? [] : [['test', (name: string) => name === test]]),
      skipBatching: false,
      strictEvaluation: false,
      schemaEnforcement: 'none',
      format: 'list',
      verbose: false,
      color: false,
      policyFolder: workspace.folder,
    },
  );
  return results.suites[0] as SuiteResult;
}
