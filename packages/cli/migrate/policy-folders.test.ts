import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policyFolders } from './policy-folders.js';

const test = suite('folders of policies');

/** Paths that begin with `+` are policies. */
function foldersOf(...paths: readonly string[]): readonly string[] {
  const policies = paths.filter((path) => path.startsWith('+')).map((path) => path.slice(1));
  return policyFolders(
    paths.map((path) => path.replace(/^\+/, '')),
    new Set(policies),
  );
}

test('the largest folder in which every file is a policy, or beside policies', () => {
  assert.equal(foldersOf('+policies/a.yaml', '+policies/sub/b.yaml', 'package.json'), ['policies']);
  assert.equal(
    foldersOf(
      '+p/a/x.yaml',
      '+p/b/y.yaml',
      'p/README.md',
      'p/a/x_test.yaml',
      'p/a/testdata/principals.yaml',
      'src/x.ts',
    ),
    ['p'],
  );
  assert.equal(foldersOf('+a.yaml', '+sub/b.yaml'), ['.']);
});

test('folders around policies are not named', () => {
  assert.equal(foldersOf('+deploy/cerbos/policies/a.yaml', 'deploy/x.sh'), ['deploy/cerbos/policies']);
  assert.equal(
    foldersOf('+cerbos/policies/resources/a.yaml', '+cerbos/policies/roles/b.yaml', 'cerbos/config/c.yaml'),
    ['cerbos/policies'],
  );
});

test('several folders, and a folder with another file', () => {
  assert.equal(foldersOf('+a/policies/x.yaml', 'a/main.go', '+b/policies/x.yaml', 'b/main.go'), [
    'a/policies',
    'b/policies',
  ]);
  assert.equal(foldersOf('+p/x.yaml', 'p/config.yaml', '+p/sub/y.yaml'), ['p']);
});

test('`_schemas` is at the root of a folder', () => {
  assert.equal(foldersOf('+p/x/a.yaml', 'p/_schemas/a.json', 'q.ts'), ['p']);
  assert.equal(foldersOf('+p/one/a.yaml', 'p/one/_schemas/a.json', '+p/two/a.yaml', 'p/two/_schemas/a.json'), [
    'p/one',
    'p/two',
  ]);
  assert.equal(foldersOf('+p/deep/down/a.yaml', 'p/_schemas/a.json', 'p/deep/x.ts'), ['p']);
});

test.run();
