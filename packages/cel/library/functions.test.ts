import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from '../runtime/index.js';
import { functions } from './functions.js';

test('every function has an implementation in the runtime', () => {
  const exports = new Set(Object.keys(cel));
  assert.equal(
    functions.filter(({ runtime }) => !exports.has(runtime)),
    [],
  );
});

test('a name has one row for each of its forms', () => {
  const forms = functions.flatMap(({ name, overloads }) => [
    ...new Set(overloads.map(({ form }) => `${form} ${name}`)),
  ]);
  assert.is(new Set(forms).size, forms.length);
});

test('only functions that read the time are impure', () => {
  assert.equal(
    functions.filter(({ pure }) => !pure).map(({ name }) => name),
    ['now', 'timeSince'],
  );
});

test('a snake_case name has the same implementation as its camelCase form', () => {
  const findRuntime = (name: string): string | undefined => functions.find((row) => row.name === name)?.runtime;
  assert.is(findRuntime('has_intersection'), findRuntime('hasIntersection'));
  assert.is(findRuntime('is_subset'), findRuntime('isSubset'));
});

test.run();
