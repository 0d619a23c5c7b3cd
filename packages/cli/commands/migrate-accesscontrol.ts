import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { readGrants } from '../migrate/accesscontrol/grants.js';
import { policiesOfGrants } from '../migrate/accesscontrol/policies.js';
import { counted } from '../migrate/report.js';
import { type Trial, tryPlan } from '../migrate/trial.js';
import { readText } from '../policies/request-files.js';
import { replaceFiles } from '../outputs/replace-files.js';

/** The command line options of `authzc migrate accesscontrol`. */
export interface MigrateAccesscontrolOptions {
  readonly owner: string;
  readonly out: string;
  readonly write?: boolean;
  readonly output: 'text' | 'json';
}

/**
 * `authzc migrate accesscontrol`: translates grants to policies and compiles them in a temporary folder. Writes only with
 * `--write`. Returns the exit code.
 */
export async function migrateAccesscontrolCommand(
  file: string,
  { owner, out, write, output }: MigrateAccesscontrolOptions,
  context: CommandContext,
): Promise<number> {
  if (!/^[A-Za-z_]\w*$/.test(owner))
    throw new UsageError(`\`--owner\` must be the name of an attribute, not \`${owner}\``);
  const { policies, open } = policiesOfGrants(readGrants(jsonIn(file, context)), owner);
  if (policies.size === 0 && open.length === 0) throw new Error(`\`${visible(file)}\` grants nothing`);
  const [trial] = await tried(policies, context);
  const files = [...policies].map(([name, text]) => ({ path: join(out, name), text }));
  const isWritten = write === true && trial?.result === 'compiles';
  if (isWritten) writeNew(files);
  context.stdout.write(
    output === 'json'
      ? `${visibleJson({ files, open, result: trial?.result ?? 'nothing', text: trial?.text ?? '', written: isWritten }, 2)}\n`
      : formatOutcome(files, open, trial, isWritten),
  );
  if (trial !== undefined && trial.result !== 'compiles') return EXIT.refused;
  return open.length > 0 ? EXIT.failed : EXIT.done;
}

function jsonIn(file: string, context: CommandContext): unknown {
  const text = readText(file, context);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`\`${visible(file)}\` is not JSON: ${(error as Error).message}`);
  }
}

async function tried(policies: ReadonlyMap<string, string>, context: CommandContext): Promise<readonly Trial[]> {
  if (policies.size === 0) return [];
  const tree = new Map([...policies].map(([name, text]) => [posix.join('policies', name), text]));
  const folder = { path: 'policies', policies: policies.size, schemas: 0, suites: 0 };
  return tryPlan(
    tree,
    { writes: [], findings: [], folders: [folder], testFolders: [], configs: [], services: [] },
    context,
  );
}

function writeNew(files: readonly { readonly path: string; readonly text: string }[]): void {
  const existing = files.find(({ path }) => existsSync(path));
  if (existing !== undefined)
    throw new Error(`\`${visible(existing.path)}\` exists, and would be overwritten; move it away`);
  replaceFiles(files);
}

function formatOutcome(
  files: readonly { readonly path: string; readonly text: string }[],
  open: readonly string[],
  trial: Trial | undefined,
  isWritten: boolean,
): string {
  const policies = files.map(({ path, text }) => (isWritten ? `${visible(path)}\n` : `# ${visible(path)}\n${text}\n`));
  const left = open.map((line) => `by hand  ${visible(line)}\n`);
  const problems =
    trial === undefined || trial.result === 'compiles' ? '' : `${trial.text}\nThe policies do not compile.\n`;
  const end = isWritten
    ? `${counted(files.length, 'file')} written.\n`
    : `Nothing was written. With --write, ${counted(files.length, 'file')} ${files.length === 1 ? 'is' : 'are'} written.\n`;
  return [...policies, ...left, problems, end].join('');
}
