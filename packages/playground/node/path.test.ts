import { posix } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as own from './path.js';

const test = suite('paths in the page');

const PATHS = ['a', 'a/b', 'a/b/c.yaml', 'x/y', 'a.b/c', '.'];

test('they are those of Node', () => {
  for (const path of PATHS) {
    if (path !== '.') assert.is(own.dirname(path), posix.dirname(path), path);
    assert.is(own.basename(path), posix.basename(path), path);
    for (const other of PATHS) {
      assert.is(own.join(path, other), posix.join(path, other), `${path} ${other}`);
      assert.is(own.join(path, '..', other), posix.join(path, '..', other), `${path} .. ${other}`);
      assert.is(own.relative(path, other), posix.relative(path, other), `${path} to ${other}`);
    }
  }
});

test.run();
