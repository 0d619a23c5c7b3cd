import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { UsageError } from '../exit.js';
import { visible } from '../../../compiler/diagnostics/visible.js';

/** Policies that a project has, or that are copied into it. */
export interface OwnPolicies {
  /** The folder from which the scripts compile, relative to the project, with `/`. */
  readonly folder: string;
  /** Files to copy into the project, by path. */
  readonly copied: ReadonlyMap<string, string>;
}

/** The folder of policies that commands assume. */
const DEFAULT_FOLDER = 'policies';

/**
 * The policies that `--policies` names, or those in `policies`. A folder in the project is used where it is; another is
 * copied, because a project that refers to what is outside of it cannot be built elsewhere.
 * @param named the folder, relative to the working directory.
 * @returns undefined if the project has no policies.
 * @throws UsageError if the named folder has none, or more than can be copied.
 */
export function ownPolicies(project: string, named: string | undefined): OwnPolicies | undefined {
  if (named === undefined)
    return policyFiles(join(project, DEFAULT_FOLDER)).length > 0
      ? { folder: DEFAULT_FOLDER, copied: new Map() }
      : undefined;
  const folder = resolve(named);
  const files = policyFiles(folder);
  if (files.length === 0)
    throw new UsageError(
      `--policies \`${visible(named)}\`: there are no .yaml, .yml or .json files; leave out --policies to create a sample`,
    );
  const path = relative(project, folder).split(sep).join('/');
  if (path !== '' && path !== '..' && !path.startsWith('../') && resolve(project, path) === folder) {
    if (!SCRIPTABLE.test(path))
      throw new UsageError(
        `--policies \`${visible(named)}\`: scripts cannot name this folder; use letters, digits and -_./ only`,
      );
    return { folder: path, copied: new Map() };
  }
  if (files.length > MOST_FILES)
    throw new UsageError(
      `--policies \`${visible(named)}\`: ${files.length} files are too many to copy; move them into the project`,
    );
  return {
    folder: DEFAULT_FOLDER,
    copied: new Map(
      files.map((file) => [`${DEFAULT_FOLDER}/${file.split(sep).join('/')}`, readFileSync(join(folder, file), 'utf8')]),
    ),
  };
}

const MOST_FILES = 10_000;

/** What shells and `npm run` on every platform take as one word, and never as an option. */
const SCRIPTABLE = /^[\w][\w./-]*$/;

/** The files that may belong to policies, their schemas and their tests, relative to the folder. */
function policyFiles(folder: string): readonly string[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.') || part === 'node_modules'))
    .sort();
}
