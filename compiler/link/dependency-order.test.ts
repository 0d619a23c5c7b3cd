import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { dependencyOrder } from './dependency-order.js';

const of = (needs: Readonly<Record<string, readonly string[]>>) => dependencyOrder(new Map(Object.entries(needs)));

test('a name comes after its dependencies, ties are sorted by name', () => {
  assert.equal(of({ a: ['z'], b: [], z: [], c: ['b', 'a'] }), {
    order: ['b', 'z', 'a', 'c'],
    selfReferences: [],
    cycles: [],
  });
});

test('an undefined name does not block others', () => {
  assert.equal(of({ a: ['nowhere'] }).order, ['a']);
});

test('a name that depends on itself is a cycle', () => {
  assert.equal(of({ a: ['a'], b: ['a'] }), { order: ['a', 'b'], selfReferences: ['a'], cycles: [] });
});

test('mutually dependent names are one sorted cycle, without the names that only use them', () => {
  const { cycles } = of({ b: ['c'], c: ['b'], d: ['e', 'f'], e: ['g'], f: ['g'], g: ['d'], h: ['b', 'd'] });
  assert.equal(cycles, [
    ['b', 'c'],
    ['d', 'e', 'f', 'g'],
  ]);
});

test('names of Object.prototype are ordinary', () => {
  assert.equal(of({ constructor: ['toString'], toString: [] }).order, ['toString', 'constructor']);
});

test('a long chain and a long cycle do not overflow the stack', () => {
  const chain = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`n${i}`, [`n${i + 1}`]]));
  assert.is(of(chain).order.length, 20_000);
  assert.is(of({ ...chain, n20000: ['n0'] }).cycles[0]?.length, 20_001);
  assert.is(of({ ...chain, n19999: ['n19998'] }).cycles.length, 1);
});

test.run();
