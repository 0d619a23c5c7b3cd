import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ancestorOf,
  commonAncestors,
  descendentOf,
  hierarchy,
  type HierarchyValue,
  immediateChildOf,
  immediateParentOf,
  overlaps,
  siblingOf,
} from './hierarchy.js';
import { CelError, Duration, type Result } from './values.js';

const h = (text: string) => hierarchy(text) as HierarchyValue;
const none = hierarchy([]) as HierarchyValue;
const levels = (result: Result) => (result instanceof CelError ? result.message : (result as HierarchyValue).levels);

test('a hierarchy is created from a string, from a string and a separator, or from a list', () => {
  assert.equal(levels(hierarchy('a.b')), ['a', 'b']);
  assert.equal(levels(hierarchy('')), ['']);
  assert.equal(levels(hierarchy('a..b')), ['a', '', 'b']);
  assert.equal(levels(hierarchy('a:b', ':')), ['a', 'b']);
  assert.equal(levels(hierarchy('a😀', '')), ['a', '😀']);
  assert.equal(levels(hierarchy(['a', 'b'])), ['a', 'b']);
  assert.is(
    levels(hierarchy(['a', 1])),
    "failed to convert list to string slice: type conversion error from Double to 'string'",
  );
  assert.is(levels(hierarchy([1])), 'no such overload: hierarchy(list)');
  assert.is(levels(hierarchy(null)), 'no such overload: hierarchy(null_type)');
  assert.is(levels(hierarchy(null, ':')), 'no such overload: hierarchy(null_type, string)');
});

test('relatives are found by prefix and depth', () => {
  assert.is(ancestorOf(h('a'), h('a.b')), true);
  assert.is(ancestorOf(h('a'), h('a')), false);
  assert.is(ancestorOf(none, h('a')), true);
  assert.is(ancestorOf(h(''), h('a')), false);
  assert.is(descendentOf(h('a.b'), h('a')), true);
  assert.is(immediateParentOf(h('a.b'), h('a.b.c')), true);
  assert.is(immediateParentOf(h('a'), h('a.b.c')), false);
  assert.is(immediateChildOf(h('a.b.c'), h('a.b')), true);
  assert.is(overlaps(h('a'), h('a')), true);
  assert.is(overlaps(h('a.x'), h('a.b.c')), false);
  assert.is(siblingOf(h('a.b'), h('a.c')), true);
  assert.is(siblingOf(h('a'), h('a')), true);
  assert.is(siblingOf(none, none), true);
  assert.is(siblingOf(h('a'), h('a.b')), false);
});

test('common ancestors of hierarchies with equal depth exclude the last level', () => {
  assert.equal(levels(commonAncestors(h('a.b.c'), h('a.b.d'))), ['a', 'b']);
  assert.equal(levels(commonAncestors(h('a.b.c'), h('a.b.c'))), ['a', 'b']);
  assert.equal(levels(commonAncestors(h('a.b'), h('a.b.c.d'))), ['a', 'b']);
  assert.equal(levels(commonAncestors(h('x'), h('y.z'))), []);
  assert.ok(commonAncestors(none, none) instanceof CelError);
});

test('a wrong receiver is class B or A by its type, a wrong argument class A', () => {
  assert.is(levels(ancestorOf(null, h('a'))), 'no such overload: ancestorOf');
  assert.is(levels(ancestorOf('a', h('a'))), 'no such overload');
  assert.is(levels(ancestorOf(new Duration(1n), h('a'))), 'no such overload');
  assert.is(levels(ancestorOf(h('a'), 'a.b')), 'no such overload');
  assert.is(ancestorOf(5, undefined), undefined);
});

test('a hierarchy equals equal hierarchies, rejects other types on its right and is indexed by ints', () => {
  assert.is(h('a.b').equalTo(hierarchy(['a', 'b']) as HierarchyValue), true);
  assert.is(h('a.b').equalTo(h('a')), false);
  assert.is(levels(h('a').equalTo('a')), 'no such overload');
  assert.is(h('a').equalTo(null), false);
  assert.is(h('a.b').element(1n), 'b');
  assert.is(levels(h('a').element(1n)), 'index out of range');
  assert.is(levels(h('a').element(-1n)), 'index out of range');
  assert.is(levels(h('a').element(0)), "unsupported index type 'double'");
  assert.is(h('a.b').size(), 2n);
});

test.run();
