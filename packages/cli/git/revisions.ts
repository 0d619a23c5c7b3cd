import { didYouMean } from '../../cel/check/did-you-mean.js';
import { failure, type GitOptions, git } from './git.js';

/** A folder of a revision. */
export interface RevisionFolder {
  /** The revision as the user named it: `main`, `HEAD~1`. */
  readonly revision: string;
  /** The id of the root tree of the revision. */
  readonly tree: string;
  /** The path below the root of the repository, with `/`; empty for the root. */
  readonly path: string;
}

/**
 * The id of the tree of a revision. A branch, here or of a remote, takes precedence over a tag of its name: git takes the
 * tag, so that anybody who may push tags would choose what a change is compared with.
 *
 * @throws Error if this is not a repository, or there is no such revision; with the name that was probably meant.
 */
export async function findTree(revision: string, options: GitOptions): Promise<string> {
  // git would take a leading hyphen for an option.
  if (revision !== '' && !revision.startsWith('-')) {
    const exact = await preferBranch(revision, options);
    const { code, stdout } = await git(['rev-parse', '--verify', '--quiet', `${exact}^{tree}`], options);
    if (code === 0) return stdout.toString('utf8').trim();
  }
  await findPrefix(revision, options);
  throw new Error(`no revision \`${revision}\`${await hint(revision, options)}`);
}

/** The text of a file of a revision; undefined if the revision does not have it. */
export async function readRevisionFile(
  { tree, path }: Pick<RevisionFolder, 'tree' | 'path'>,
  options: GitOptions,
): Promise<string | undefined> {
  const { code, stdout } = await git(['cat-file', 'blob', `${tree}:${path}`], options);
  return code === 0 ? stdout.toString('utf8') : undefined;
}

/** A revision with the full name of the branch that it begins with: `main~1` is `refs/heads/main~1`. */
async function preferBranch(revision: string, options: GitOptions): Promise<string> {
  const [, name = '', steps = ''] = /^((?:(?!@\{)[^~^:*?[\s])+)(.*)$/s.exec(revision) ?? [];
  if (name === '' || name === 'HEAD' || name.startsWith('refs/') || /^[0-9a-f]{40}$/.test(name)) return revision;
  const branches = [`refs/heads/${name}`, `refs/remotes/${name}`];
  const { stdout } = await git(['for-each-ref', '--format=%(refname)', ...branches], options);
  const found = new Set(stdout.toString('utf8').split('\n'));
  const branch = branches.find((each) => found.has(each));
  return branch === undefined ? revision : branch + steps;
}

/**
 * The path of the folder in which git runs, below the root of the repository: `services/api/`, or empty for the root.
 *
 * @param revision what needs the repository, for the message.
 * @throws Error if the folder is not in a repository.
 */
export async function findPrefix(revision: string, options: GitOptions): Promise<string> {
  const result = await git(['rev-parse', '--show-prefix'], options);
  if (result.code === 0) return result.stdout.toString('utf8').replace(/\n$/, '');
  if (!result.stderr.includes('not a git repository')) throw failure(result);
  throw new Error(`\`${revision}\` is not a folder, and this is not a git repository`);
}

/** The number of names of branches and tags that are compared. */
const MOST_NAMES = 2000;

/** The usual names of the first branch. */
const DEFAULT_BRANCHES: readonly string[] = ['main', 'master', 'trunk'];

async function hint(revision: string, options: GitOptions): Promise<string> {
  const format = ['for-each-ref', `--count=${MOST_NAMES}`, '--format=%(refname:short)'];
  const { stdout } = await git([...format, 'refs/heads', 'refs/tags', 'refs/remotes'], options);
  const names = ['HEAD', ...stdout.toString('utf8').split('\n')].filter((name) => name !== '');
  const remote = names.find((name) => name.endsWith(`/${revision}`));
  if (remote !== undefined) return ` (did you mean \`${remote}\`?)`;
  const [near] = didYouMean(revision, names);
  if (near !== undefined) return ` (${near.message})`;
  const other = DEFAULT_BRANCHES.includes(revision) ? DEFAULT_BRANCHES.find((name) => names.includes(name)) : undefined;
  if (other !== undefined) return ` (did you mean \`${other}\`?)`;
  const { stdout: shallow } = await git(['rev-parse', '--is-shallow-repository'], options);
  return shallow.toString('utf8').trim() === 'true' ? '; the clone is shallow: fetch the revision first' : '';
}
