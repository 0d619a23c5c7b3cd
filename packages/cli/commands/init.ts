import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError, printMessage } from '../exit.js';
import { replaceFiles } from '../outputs/replace-files.js';
import { foundProject, type ProjectChanges, projectChanges } from '../project/changes.js';
import { changesText, nextSteps } from '../project/report.js';
import type { Template } from '../project/template-names.js';

/** The command line options of `authzc init`. */
export interface InitOptions {
  readonly template?: Template;
  /** A folder of policies to use in place of the sample. */
  readonly policies?: string;
  /** A folder with the archives of the packages, from which npm installs them. */
  readonly packages?: string;
  readonly dryRun?: boolean;
  /** Whether nothing is asked. */
  readonly yes?: boolean;
}

/**
 * `authzc init`: creates a project, or adds authz to one. Files that exist keep their content, except that package.json
 * gets the keys that it lacks. Shows the changes, and confirms them before it changes a project. Returns the exit code.
 */
export async function initCommand(directory: string, options: InitOptions, context: CommandContext): Promise<number> {
  try {
    return await initialise(directory, options, context);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printMessage(context, `${error.message}`);
    return EXIT.usage;
  }
}

async function initialise(directory: string, options: InitOptions, context: CommandContext): Promise<number> {
  const { stdout } = context;
  const { dryRun = false, yes = false, packages: archives } = options;
  const project = foundProject(resolve(directory), options.policies);
  const isNew = project.manifest === undefined;
  const asks = !yes && !dryRun && context.stdin.isTTY === true && stdout.isTTY === true;
  // What asks is loaded only if somebody can answer.
  const prompts = asks ? await import('../project/prompts.js') : undefined;

  let { template } = options;
  if (template === undefined && isNew && project.policies === undefined) {
    template = prompts === undefined ? 'ts' : await prompts.selectedTemplate(context);
    if (template === undefined) return nothingWritten(context);
  }
  const changes = projectChanges(project, { template, archives });
  const hasChanges = changes.created.size > 0 || (changes.manifest?.added.length ?? 0) > 0;
  if (dryRun || !hasChanges) {
    stdout.write(changesText(directory, changes, 'would'));
    if (!hasChanges) stdout.write('nothing to add\n');
    return EXIT.done;
  }
  if (!isNew && !yes) {
    stdout.write(changesText(directory, changes, 'would'));
    if (prompts === undefined) return nothingWritten(context, '; --yes makes these changes');
    if (!(await prompts.confirmed(context))) return nothingWritten(context);
  }
  write(project.folder, changes);
  stdout.write(`${changesText(directory, changes, 'done')}${nextSteps(directory, changes)}`);
  return EXIT.done;
}

function nothingWritten(context: CommandContext, wayOut = ''): number {
  printMessage(context, `nothing was written${wayOut}`);
  return EXIT.failed;
}

/** Writes all files, or none if one cannot be written. */
function write(folder: string, { created, manifest }: ProjectChanges): void {
  const files = [...created].map(([path, text]) => ({ path: join(folder, path), text }));
  // A link stays a link.
  const changed =
    manifest === undefined ? [] : [{ path: realpathSync(join(folder, 'package.json')), text: manifest.text }];
  replaceFiles([...files, ...changed]);
}
