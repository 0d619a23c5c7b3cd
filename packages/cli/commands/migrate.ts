import { relative, resolve, sep } from 'node:path';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { applyWrites } from '../migrate/apply.js';
import { compareWithServer, isReferenceServer } from '../migrate/compare.js';
import { type Plan, migratedTree, planMigration } from '../migrate/plan.js';
import { counted, type Outcome, reportText } from '../migrate/report.js';
import { serverSettings } from '../migrate/server-settings.js';
import { BACKUP_FOLDER, readTree } from '../migrate/tree.js';
import { type Trial, tryPlan } from '../migrate/trial.js';
import { visibleJson } from '../../../compiler/diagnostics/visible.js';

/** The command line options of `authzc migrate`. */
export interface MigrateOptions {
  readonly config?: string;
  readonly compose?: string;
  readonly write?: boolean;
  /** The URL of a server of the reference PDP; false: none is asked. */
  readonly server?: string | boolean;
  readonly output: 'text' | 'json';
}

/**
 * `authzc migrate`: plans how a repository moves from the reference PDP, compiles and tests the result, and compares its
 * decisions with a server of that PDP if one answers. Writes only with `--write`. Returns the exit code.
 */
export async function migrateCommand(
  directory: string,
  options: MigrateOptions,
  context: CommandContext,
): Promise<number> {
  const tree = readTree(directory);
  const plan = planMigration(tree, {
    config: pathIn(directory, options.config, tree),
    compose: pathIn(directory, options.compose, tree),
  });
  const trials = await tryPlan(migratedTree(tree, plan), plan, context);
  const compared = await comparison(plan, trials, options, context);
  const written =
    options.write === true && plan.writes.length > 0
      ? writtenText(plan, await applyWrites(directory, tree, plan.writes, context))
      : undefined;
  const outcome = { plan, trials, ...compared, written };
  context.stdout.write(options.output === 'json' ? formatJson(outcome) : reportText(outcome));
  return chooseExitCode(outcome);
}

/** The path of a named file inside of the folder, with `/`. Throws if it is not there. */
function pathIn(directory: string, named: string | undefined, tree: ReadonlyMap<string, string>): string | undefined {
  if (named === undefined) return undefined;
  for (const from of ['.', directory]) {
    const path = relative(resolve(directory), resolve(from, named)).split(sep).join('/');
    if (tree.has(path)) return path;
  }
  throw new Error(`\`${named}\` is not a text file in \`${directory}\``);
}

async function comparison(
  { configs: [config] }: Plan,
  trials: readonly Trial[],
  { server: named }: MigrateOptions,
  { env }: CommandContext,
): Promise<Pick<Outcome, 'server' | 'silent'>> {
  const tried = trials.filter(({ policies }) => policies !== undefined);
  if (named === false || tried.length === 0) return { server: undefined, silent: undefined };
  const settings = serverSettings(config?.text);
  const url = (typeof named === 'string' ? named : (env['CERBOS_HTTP'] ?? settings.url)).replace(/\/+$/, '');
  if (!(await isReferenceServer(url))) {
    if (typeof named === 'string') throw new Error(`\`${url}\` does not respond like a Cerbos server`);
    return { server: undefined, silent: url };
  }
  const comparisons = [];
  for (const trial of tried) comparisons.push(await compareWithServer(url, trial, settings.engine));
  return { server: { url, comparisons }, silent: undefined };
}

function writtenText({ writes }: Plan, originals: 'git' | 'backup'): string {
  const kept = originals === 'git' ? 'git has the originals' : `the originals are in ${BACKUP_FOLDER}`;
  return `${counted(writes.length, 'file')} changed; ${kept}.`;
}

/** Whether the policies compile, their tests pass, and nothing is left that changes decisions. */
function chooseExitCode({ plan, trials, server }: Outcome): number {
  if (plan.folders.length === 0 && plan.configs.length === 0) return EXIT.failed;
  if (trials.some(({ result }) => result === 'refused')) return EXIT.refused;
  if (trials.some(({ result }) => result === 'tests failed')) return EXIT.testsFailed;
  const isOpen = [...plan.findings, ...plan.configs.flatMap(({ notes }) => notes)].some((item) => item.isOpen === true);
  const differs = server?.comparisons.some(({ differences }) => differences.length > 0) === true;
  return isOpen || differs ? EXIT.failed : EXIT.done;
}

function formatJson({ plan, trials, server, written }: Outcome): string {
  const { writes, findings, folders, testFolders, configs, services } = plan;
  const report = {
    folders,
    testFolders,
    writes: writes.map(({ path, files, changes }) => ({ path, files: files.map((file) => file.path), changes })),
    configurations: configs.map(({ path, target, notes }) => ({ path, target, notes })),
    services: services.map(({ path, line, name, image, text }) => ({ path, line, name, image, text })),
    findings: findings.map(({ kind: _, ...finding }) => finding),
    trials: trials.map(({ path, result, warnings, tests, text }) => ({ path, result, warnings, tests, text })),
    comparison: server && { url: server.url, ...joined(server.comparisons) },
    written: written !== undefined,
  };
  return `${visibleJson(report, 2)}\n`;
}

function joined(comparisons: NonNullable<Outcome['server']>['comparisons']): object {
  return {
    compared: comparisons.reduce((sum, { compared }) => sum + compared, 0),
    differences: comparisons.flatMap(({ differences }) => differences),
  };
}
