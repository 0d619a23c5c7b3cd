import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { visit } from '../ast/visit.js';
import { parseCel } from './index.js';

test('every node has its source range', () => {
  assert.equal(listNodes('(a + b.c) * -f(x)[1]'), [
    'call (a + b.c) * -f(x)[1]',
    'call a + b.c',
    'ident a',
    'select b.c',
    'ident b',
    'call -f(x)[1]',
    'index f(x)[1]',
    'call f(x)',
    'ident x',
    'literal 1',
  ]);
});

test('an operator, a function and a field have the position of their name', () => {
  const sum = parseCel('a + b').ast;
  assert.ok(sum?.kind === 'call' && sum.function === '_+_' && sum.nameStart === 2);
  const method = parseCel('a . f(1)').ast;
  assert.ok(method?.kind === 'call' && method.function === 'f' && method.nameStart === 4);
  const field = parseCel('a.`b c`').ast;
  assert.ok(field?.kind === 'select' && field.field === 'b c' && field.fieldStart === 2);
});

test('a minus before a number is part of it, and repeated signs cancel in pairs', () => {
  assert.equal(listNodes('-9223372036854775808'), ['literal -9223372036854775808']);
  assert.equal(listNodes('--a'), ['ident a']);
  assert.equal(listNodes('!!!a'), ['call !!!a', 'ident a']);
  assert.equal(listNodes('2 - -2'), ['call 2 - -2', 'literal 2', 'literal -2']);
  assert.equal(listNodes('!x in y'), ['call !x in y', 'call !x', 'ident x', 'ident y']);
});

test('the middle of a ternary needs parentheses around a ternary, its end does not', () => {
  assert.is(parseCel('a ? b : c ? d : e').ast?.kind, 'call');
  assert.is(parseCel('a ? (b ? c : d) : e').ast?.kind, 'call');
  assert.is(parseCel('a ? b ? c : d : e').ast, undefined);
});

test('optional syntax marks selections, indexings, elements, entries and fields', () => {
  for (const text of ['a.?b', 'a[?b]']) {
    const { ast } = parseCel(text);
    assert.ok((ast?.kind === 'select' || ast?.kind === 'index') && ast.optional, text);
  }
  const list = parseCel('[?a, b]').ast;
  assert.ok(list?.kind === 'list');
  assert.equal(
    list.elements.map(({ optional }) => optional),
    [true, false],
  );
  const map = parseCel('{?a: b, c: d}').ast;
  assert.ok(map?.kind === 'map');
  assert.equal(
    map.entries.map(({ optional }) => optional),
    [true, false],
  );
  const message = parseCel('M{?a: b, `c-d`: e}').ast;
  assert.ok(message?.kind === 'message');
  assert.equal(
    message.fields.map(({ optional, name }) => [optional, name]),
    [
      [true, 'a'],
      [false, 'c-d'],
    ],
  );
});

test('a leading dot marks a root name', () => {
  const ident = parseCel('.a').ast;
  assert.ok(ident?.kind === 'ident' && ident.rooted && ident.name === 'a');
  const call = parseCel('.f(1)').ast;
  assert.ok(call?.kind === 'call' && call.rooted && call.target === undefined);
  const message = parseCel('.google.protobuf.Duration{seconds: 1}').ast;
  assert.ok(message?.kind === 'message' && message.typeName === '.google.protobuf.Duration');
});

test('lists, maps and messages allow a trailing comma, arguments do not', () => {
  for (const text of ['[1,]', '[,]', '{1: 2,}', '{,}', 'M{a: 1,}', 'M{,}'])
    assert.equal(parseCel(text).errors, [], text);
  for (const text of ['f(1,)', 'f(,)', '[1,,]', '[,1]']) assert.is(parseCel(text).ast, undefined, text);
});

test('reserved words can only name fields', () => {
  assert.is(parseCel('a.for').ast?.kind, 'select');
  assert.is(parseCel('M{for: 1}').ast?.kind, 'message');
  assert.equal(parseCel('for').errors, [{ message: 'reserved identifier: for', start: 0, end: 3 }]);
});

test('a chain of && is a balanced tree', () => {
  const { ast } = parseCel('a && b && c && d');
  assert.ok(ast?.kind === 'call' && ast.nameStart === 7);
});

test.run();

function listNodes(text: string): string[] {
  const nodes: string[] = [];
  const { ast } = parseCel(text);
  if (ast !== undefined) visit(ast, ({ kind, start, end }) => nodes.push(`${kind} ${text.slice(start, end)}`));
  return nodes;
}
