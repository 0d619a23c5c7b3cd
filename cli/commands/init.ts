import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EXIT, UsageError } from '../exit.js';
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
export async function initCommand(directory: string, options: InitOptions): Promise<number> {
  try {
    return await initialise(directory, options);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`authzc: ${error.message}\n`);
    return EXIT.usage;
  }
}

async function initialise(directory: string, options: InitOptions): Promise<number> {
  const { dryRun = false, yes = false, packages: archives } = options;
  const project = foundProject(resolve(directory), options.policies);
  const isNew = project.manifest === undefined;
  const asks = !yes && !dryRun && process.stdin.isTTY === true && process.stdout.isTTY === true;
  // What asks is loaded only if somebody can answer.
  const prompts = asks ? await import('../project/prompts.js') : undefined;

  let { template } = options;
  if (template === undefined && isNew && project.policies === undefined) {
    template = prompts === undefined ? 'ts' : await prompts.selectedTemplate();
    if (template === undefined) return nothingWritten();
  }
  const changes = projectChanges(project, { template, archives });
  const hasChanges = changes.created.size > 0 || (changes.manifest?.added.length ?? 0) > 0;
  if (dryRun || !hasChanges) {
    process.stdout.write(changesText(directory, changes, 'would'));
    if (!hasChanges) process.stdout.write('nothing to add\n');
    return EXIT.done;
  }
  if (!isNew && !yes) {
    process.stdout.write(changesText(directory, changes, 'would'));
    if (prompts === undefined) return nothingWritten('; --yes makes these changes');
    if (!(await prompts.confirmed())) return nothingWritten();
  }
  write(project.folder, changes);
  process.stdout.write(`${changesText(directory, changes, 'done')}${nextSteps(directory, changes)}`);
  return EXIT.done;
}

function nothingWritten(wayOut = ''): number {
  process.stderr.write(`authzc: nothing was written${wayOut}\n`);
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
