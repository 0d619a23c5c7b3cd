import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policyFolders } from './policy-folders.js';

const test = suite('folders of policies');

/** Paths that begin with `+` are policies. */
function findFolders(...paths: readonly string[]): readonly string[] {
  const policies = paths.filter((path) => path.startsWith('+')).map((path) => path.slice(1));
  return policyFolders(
    paths.map((path) => path.replace(/^\+/, '')),
    new Set(policies),
  );
}

test('the largest folder in which every file is a policy, or beside policies', () => {
  assert.equal(findFolders('+policies/a.yaml', '+policies/sub/b.yaml', 'package.json'), ['policies']);
  assert.equal(
    findFolders(
      '+p/a/x.yaml',
      '+p/b/y.yaml',
      'p/README.md',
      'p/a/x_test.yaml',
      'p/a/testdata/principals.yaml',
      'src/x.ts',
    ),
    ['p'],
  );
  assert.equal(findFolders('+a.yaml', '+sub/b.yaml'), ['.']);
});

test('folders around policies are not named', () => {
  assert.equal(findFolders('+deploy/cerbos/policies/a.yaml', 'deploy/x.sh'), ['deploy/cerbos/policies']);
  assert.equal(
    findFolders('+cerbos/policies/resources/a.yaml', '+cerbos/policies/roles/b.yaml', 'cerbos/config/c.yaml'),
    ['cerbos/policies'],
  );
});

test('several folders, and a folder with another file', () => {
  assert.equal(findFolders('+a/policies/x.yaml', 'a/main.go', '+b/policies/x.yaml', 'b/main.go'), [
    'a/policies',
    'b/policies',
  ]);
  assert.equal(findFolders('+p/x.yaml', 'p/config.yaml', '+p/sub/y.yaml'), ['p']);
});

test('`_schemas` is at the root of a folder', () => {
  assert.equal(findFolders('+p/x/a.yaml', 'p/_schemas/a.json', 'q.ts'), ['p']);
  assert.equal(findFolders('+p/one/a.yaml', 'p/one/_schemas/a.json', '+p/two/a.yaml', 'p/two/_schemas/a.json'), [
    'p/one',
    'p/two',
  ]);
  assert.equal(findFolders('+p/deep/down/a.yaml', 'p/_schemas/a.json', 'p/deep/x.ts'), ['p']);
});

test.run();
