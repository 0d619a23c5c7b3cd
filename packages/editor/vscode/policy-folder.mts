import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

/**
 * Whether a text is a policy: it has the version of the language, or a comment that names the schema of policies. A
 * document that is being written may have no more than that.
 */
export function isPolicyText(text: string): boolean {
  const head = text.slice(0, LONGEST_HEAD);
  return (
    /^\s*(?:\{\s*)?["']?api_?[vV]ersion["']?\s*:\s*["']?api\.authz\.dev\//m.test(head) ||
    /^#\s*yaml-language-server:\s*\$schema=\S*policy\.schema\.json\s*$/m.test(head)
  );
}

const LONGEST_HEAD = 10_000;

/**
 * The folder of policies that a file belongs to: the configured one, `policies` of the workspace, the nearest folder
 * above the file that has schemas or is named `policies`, or the folder of the file.
 * @param configured the setting `authz.folder`, empty if there is none.
 */
export function findPolicyFolder(file: string, workspace: string, configured: string): string {
  const known = findWorkspaceFolder(workspace, configured);
  if (known !== undefined && isBelow(file, known)) return known;
  for (let folder = dirname(file); isBelow(folder, workspace); folder = dirname(folder))
    if (/[\\/]policies$/.test(folder) || isFolder(join(folder, '_schemas'))) return folder;
  return dirname(file);
}

/** The folder of policies of a workspace, if it exists. */
export function findWorkspaceFolder(workspace: string, configured: string): string | undefined {
  const folder = resolve(workspace, configured === '' ? 'policies' : configured);
  return isFolder(folder) ? folder : undefined;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function isBelow(path: string, folder: string): boolean {
  const between = relative(folder, path);
  return between !== '' && !between.startsWith('..') && !isAbsolute(between);
}
