import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kindAt } from './kind-at.js';
import { DOCUMENT } from './tables.js';

const keysAt = (...path: (string | number)[]) => {
  const kind = kindAt(DOCUMENT, path);
  return kind?.kind === 'object' ? kind.type().fields.map(({ name }) => name) : kind?.kind;
};

test('The keys of an object are found below objects, lists and maps, in both spellings', () => {
  assert.equal(keysAt('resourcePolicy', 'schemas', 'principalSchema'), ['ref', 'ignoreWhen']);
  assert.equal(keysAt('role_policy', 'rules', 0, 'output', 'when'), ['ruleActivated', 'conditionNotMet']);
  assert.is(keysAt('exportVariables', 'definitions', 'x'), 'text');
});

test('Conditions nest', () => {
  const match = ['all', 'any', 'none', 'expr'];
  assert.equal(keysAt('derivedRoles', 'definitions', 1, 'condition', 'match'), match);
  assert.equal(keysAt('derivedRoles', 'definitions', 1, 'condition', 'match', 'any', 'of', 2), match);
});

test('Below a free-form value, every place is free-form', () => {
  assert.is(keysAt('exportConstants', 'definitions', 'x', 'y', 0), 'json');
});

test('Places that no document has have no kind', () => {
  assert.is(keysAt('resourcePolicy', 'rule'), undefined);
  assert.is(keysAt('resourcePolicy', 'rules', 'first'), undefined);
  assert.is(keysAt('apiVersion', 'x'), undefined);
  assert.is(keysAt('toString'), undefined);
});

test.run();
