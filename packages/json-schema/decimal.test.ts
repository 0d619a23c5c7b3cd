import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Decimal, decimal } from './decimal.js';

test('a decimal equals the double with that shortest representation', () => {
  assert.ok(decimal('1.0').equals(1));
  assert.ok(decimal('-0').equals(0));
  assert.ok(decimal('1E2').equals(100));
  assert.ok(decimal('1e+21').equals(1e21));
  assert.not.ok(decimal('0.10000000000000000001').equals(0.1));
  assert.not.ok(decimal('1').equals('1'));
});

test('decimals are compared and divided by their digits', () => {
  assert.ok(new Decimal('0.1').compare(new Decimal('0.10000000000000000001')) < 0);
  assert.ok(new Decimal('-1').compare(new Decimal('-1.5')) > 0);
  assert.ok(new Decimal('0.3').isMultipleOf(new Decimal('0.1')));
  assert.ok(new Decimal('1e300').isMultipleOf(new Decimal('1e-300')));
  assert.not.ok(new Decimal('0.35').isMultipleOf(new Decimal('0.1')));
});

test.run();
