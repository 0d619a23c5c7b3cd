import { join } from 'node:path';
import { createConnection, ProposedFeatures } from 'vscode-languageserver/node';
import { compile } from '../../../compiler/compile.js';
import { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import type { SuiteFiles } from '../../../compiler/load/index.js';
import type { SuiteResult } from '../../policy-tests/results.js';
import { version } from '../../../compiler/version.js';
import { serveEditor } from '../../editor/server.js';
import type { Workspace } from '../../editor/workspace.js';
import type { CommandContext } from '../context.js';
import { loadPolicies } from '../policies/compile.js';
import { FolderCompiler } from '../../editor/compile/folder-compiler.js';
import { runPolicyTests } from '../policies/test-policies.js';
import { PROJECT_FILE, readVocabulary } from '../policies/vocabulary.js';

/**
 * `authzc lsp --stdio`: serves an editor on standard input and output until it ends the session, or its process ends.
 *
 * @param folder the folder of the policies; by default `policies` in the folders that the editor has open.
 */
export function lspCommand(folder: string | undefined, { stdin, stdout }: CommandContext): void {
  const compilers = new Map<Workspace, FolderCompiler>();
  const findCompiler = (workspace: Workspace): FolderCompiler => {
    const compiler = compilers.get(workspace) ?? new FolderCompiler();
    compilers.set(workspace, compiler);
    return compiler;
  };
  serveEditor(createConnection(ProposedFeatures.all, stdin, stdout), {
    version,
    folder,
    findVocabulary: (root) => readVocabulary(join(root, PROJECT_FILE)),
    diagnoseFolder: (workspace) => findCompiler(workspace).diagnose(workspace),
    runSuite,
    evaluate: (workspace, path, line) =>
      findCompiler(workspace).evaluate(workspace, workspace.suites, { file: path, line }),
  });
}

async function runSuite(workspace: Workspace, suite: SuiteFiles, test: string | undefined): Promise<SuiteResult> {
  const compilation = compile(workspace.sources, new Diagnostics(), { schemaTexts: workspace.schemaTexts });
  if (compilation.program === undefined) throw new Error('the policies have errors: correct them first');
  const policies = await loadPolicies(compilation, workspace.folder);
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
