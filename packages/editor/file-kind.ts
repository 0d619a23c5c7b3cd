import { isReadFromPolicies, isSuiteFile } from '../../compiler/load/names.js';

/** What a file of a folder of policies is, by its path below that. */
export function chooseKind(path: string): 'policy' | 'schema' | 'suite' | 'fixtures' | undefined {
  const folders = path.split('/');
  const name = folders.pop() as string;
  if (isReadFromPolicies(path)) return folders[0] === '_schemas' ? 'schema' : 'policy';
  if (isSuiteFile(name)) return folders.includes('testdata') ? undefined : 'suite';
  return folders.at(-1) === 'testdata' && FIXTURES.test(name) ? 'fixtures' : undefined;
}

const FIXTURES = /^(?:principals|resources|auxdata|auxData|aux_data)\.(?:yaml|yml|json)$/;
