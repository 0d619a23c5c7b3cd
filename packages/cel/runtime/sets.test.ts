import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  except,
  exceptGlobal,
  hasIntersection,
  hasIntersectionGlobal,
  intersect,
  intersectGlobal,
  isSubset,
  isSubsetGlobal,
  setsContains,
  setsEquivalent,
  setsIntersects,
} from './sets.js';
import { CelError, type Value } from './values.js';

test('intersect keeps order and multiplicity of the shorter list, or of the receiver on a tie', () => {
  assert.equal(intersect([1, 2, 3], [3, 2]), [3, 2]);
  assert.equal(intersect([3, 2], [1, 2, 3]), [3, 2]);
  assert.equal(intersect([1, 1], [1, 1, 1]), [1, 1]);
  assert.equal(intersect([1, 1, 2], [1]), [1]);
  assert.equal(intersect([1, 2], [2, 1]), [1, 2]);
});

test('equality is that of the language', () => {
  assert.equal(intersect([1n, 'a', [1n]], ['a', 1, [1]]), [1n, 'a', [1n]]);
  assert.equal(except([9007199254740993n, 9007199254740992n], [9007199254740992n]), [9007199254740993n]);
  assert.is(setsIntersects([Number.NaN], [Number.NaN]), false);
});

test('except returns the elements of a not in b', () => {
  assert.equal(except([3, 1, 2, 1], [1]), [3, 2]);
});

test('short lists of strings, which are compared without a set, have the results of long ones', () => {
  const padding = Array.from({ length: 9 }, (_, index) => `padding ${index}`);
  const elements = ['a', 'b', 'c', '1', 1, 1n, null, true, ['a'], { a: 'a' }] as const;
  const lists = Array.from({ length: 400 }, (_, seed) =>
    Array.from({ length: seed % 5 }, (__, at) => elements[(seed * (at + 3) + at * at) % elements.length] as Value),
  );
  let [found, contained] = [0, 0];
  for (const [index, a] of lists.entries())
    for (const b of lists.slice(index, index + 20)) {
      const long = [...b, ...padding];
      assert.is(setsIntersects(a, b), setsIntersects(a, long), JSON.stringify(String([a, b])));
      assert.is(isSubset(a, b), isSubset(a, long), JSON.stringify(String([a, b])));
      found += Number(setsIntersects(a, b));
      contained += Number(isSubset(a, b));
    }
  assert.ok(found > 500 && contained > 500, `${found}, ${contained}`);
});

test('a.isSubset(b): every element of a is in b; sets.contains(a, b) is the opposite order', () => {
  assert.is(isSubset([1], [1, 2]), true);
  assert.is(isSubset([], [1]), true);
  assert.is(setsContains([1, 2], [2]), true);
  assert.is(setsContains([2], [1, 2]), false);
});

test('sets.equivalent ignores order and duplicates', () => {
  assert.is(setsEquivalent([1, 2, 2], [2, 1]), true);
  assert.is(setsEquivalent([], []), true);
  assert.is(setsEquivalent([1], [1, 2]), false);
  assert.is(setsIntersects([], []), false);
  assert.is(hasIntersection([1, 2], [2]), true);
});

test('the error for a wrong type names the function and both types', () => {
  assert.equal(intersect('a', [1]), new CelError('no such overload: intersect(string, list)'));
  assert.equal(except(null, [1]), new CelError('no such overload: except(null_type, list)'));
  assert.equal(isSubsetGlobal([1], 5), new CelError('no such overload: isSubset(list, double)'));
  assert.equal(setsContains('a', [2]), new CelError('no such overload: sets.contains(string, list)'));
});

test('a failed argument of the global form has no overload, of the member form it is the result', () => {
  const failure = new CelError('no such key: zz');
  for (const global of [intersectGlobal, exceptGlobal, hasIntersectionGlobal, isSubsetGlobal]) {
    assert.equal(global(failure, [1]), new CelError('no such overload'));
    assert.equal(global([1], undefined), new CelError('no such overload'));
  }
  for (const member of [intersect, except, hasIntersection, isSubset]) assert.is(member([1], failure), failure);
});

test.run();
