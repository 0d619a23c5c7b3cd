import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { posix, join } from 'node:path';
import { formatPretty } from '../../../compiler/diagnostics/format.js';
import { loadSuites, type SuiteFiles } from '../../../compiler/load/index.js';
import { testFilter } from '../../policy-tests/filter.js';
import type { CommandContext, OutputStream } from '../context.js';
import { EXIT } from '../exit.js';
import { compileFolder, decidesNothing, type PoliciesInMemory, loadPolicies } from '../policies/compile.js';
import { runPolicyTests } from '../policies/test-policies.js';
import { isBelow } from './policy-folders.js';
import type { Plan } from './plan.js';
import type { Tree } from './tree.js';

/** What became of a folder of policies. */
export interface Trial {
  readonly path: string;
  readonly result: 'compiles' | 'refused' | 'tests failed';
  readonly warnings: number;
  readonly tests: number;
  /** Diagnostics and failed tests. */
  readonly text: string;
  /** Undefined if they do not compile. */
  readonly policies: PoliciesInMemory | undefined;
  readonly suites: readonly SuiteFiles[];
}

/**
 * Compiles the folders of a plan as they are after the migration, and runs their tests, in a temporary folder. Tests
 * outside of folders of policies belong to the only folder, if there is one.
 */
export async function tryPlan(
  tree: Tree,
  { folders, testFolders }: Plan,
  { stderr }: Pick<CommandContext, 'stderr'>,
): Promise<readonly Trial[]> {
  const root = mkdtempSync(join(tmpdir(), 'authz-migrate-'));
  try {
    const needed = [...folders.map(({ path }) => path), ...testFolders];
    for (const [path, text] of tree) {
      if (!needed.some((folder) => isBelow(path, folder))) continue;
      mkdirSync(join(root, posix.dirname(path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const trials: Trial[] = [];
    for (const { path } of folders) {
      const others = folders.length === 1 ? testFolders : [];
      trials.push(await tryFolder(root, path, others, stderr));
    }
    return trials;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function tryFolder(
  root: string,
  path: string,
  testFolders: readonly string[],
  stderr: OutputStream,
): Promise<Trial> {
  const folder = join(root, path);
  const compilation = compileFolder(folder, { vocabulary: {} });
  const { diagnostics, lowered } = compilation;
  const suites = [path, ...testFolders].flatMap((tests) => loadSuites(join(root, tests)));
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length;
  const problems = formatPretty(
    diagnostics.filter(({ severity }) => severity === 'error'),
    { color: false, folder: path },
  );
  const trial = { path, warnings, tests: 0, suites };
  if (lowered === undefined || decidesNothing(compilation))
    return { ...trial, result: 'refused', text: problems, policies: undefined };
  const policies = { ...(await loadPolicies(compilation, folder)), lowered };
  if (suites.length === 0) return { ...trial, result: 'compiles', text: '', policies };
  const { code, tests, report } = await runPolicyTests(
    suites,
    { ...policies, lowered: () => lowered },
    {
      filter: testFilter([]),
      skipBatching: false,
      strictEvaluation: false,
      schemaEnforcement: 'reject',
      format: 'list',
      verbose: false,
      color: false,
      folder: path,
      policyFolder: path,
      stderr,
    },
  );
  return code === EXIT.done
    ? { ...trial, result: 'compiles', tests, text: '', policies }
    : { ...trial, result: 'tests failed', tests, text: report, policies };
}
