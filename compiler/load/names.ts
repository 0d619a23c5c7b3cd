/**
 * The directory of the JSON schemas, recognized only at the root of the policy directory
 * (docs/spec/policy-language.md#which-files-are-policies).
 */
export const SCHEMAS_DIRECTORY = '_schemas';

/** Whether a file or directory is ignored because its name starts with a dot. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** Whether a directory with this name is skipped, at any depth. */
export function isSkippedDirectory(name: string): boolean {
  return name === 'testdata';
}

/** Whether a file with this name is a policy, as opposed to a test suite or another file. */
export function isPolicyFile(name: string): boolean {
  return /\.(?:yaml|yml|json)$/i.test(name) && !/_test\.[a-z]+$/i.test(name);
}

/** Whether a file with this name is a test suite (docs/spec/server.md#test-files). */
export function isSuiteFile(name: string): boolean {
  return /_test\.(?:yaml|yml|json)$/i.test(name);
}

/** Whether a file at this path below a policy directory, with `/`, is read as a policy or a schema. */
export function isReadFromPolicies(path: string): boolean {
  const folders = path.split('/');
  const name = folders.pop() as string;
  if ([...folders, name].some(isHidden)) return false;
  if (folders[0] === SCHEMAS_DIRECTORY) return true;
  return isPolicyFile(name) && !folders.some(isSkippedDirectory);
}
