import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { identifierProblem } from './bindings.js';

test('letters, digits and _ make a name that does not begin with a digit', () => {
  for (const name of ['a', '_', 'aB9_', 'constructor', '__proto__', 'trueish'])
    assert.is(identifierProblem(name), undefined);
  for (const name of ['', '9a', 'a-b', 'a.b.c', 'why?', 'é', 'a\n']) {
    assert.is(identifierProblem(name), `${JSON.stringify(name)} is not a valid identifier`);
  }
});

test('the words of CEL literals and `in` are no names', () => {
  for (const name of ['true', 'false', 'null', 'in']) {
    assert.is(identifierProblem(name), `"${name}" is a reserved keyword and can't be used as an identifier`);
  }
});

test.run();
