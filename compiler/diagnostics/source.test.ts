import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Source } from './source.js';

const test = suite('sources');

test('the JSON of a source does not depend on what it was asked', () => {
  const source = new Source('a.yaml', 'one\ntwo\n');
  const before = JSON.stringify(source);
  assert.equal(source.lineAndColumn(5), { line: 2, column: 2 });
  assert.is(JSON.stringify(source), before);
});

test.run();
