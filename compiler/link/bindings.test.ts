import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { identifierProblem } from './bindings.js';

test('an identifier has letters, digits and _, and does not begin with a digit', () => {
  for (const name of ['a', '_', 'aB9_', 'constructor', '__proto__', 'trueish'])
    assert.is(identifierProblem(name), undefined);
  for (const name of ['', '9a', 'a-b', 'a.b.c', 'why?', 'é', 'a\n']) {
    assert.is(identifierProblem(name), `${JSON.stringify(name)} is not a valid identifier`);
  }
});

test('CEL literals and `in` are not identifiers', () => {
  for (const name of ['true', 'false', 'null', 'in']) {
    assert.is(identifierProblem(name), `"${name}" is a reserved keyword and can't be used as an identifier`);
  }
});

test.run();
