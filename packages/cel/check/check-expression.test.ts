import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { printType } from '../library/types.js';
import { parseCel } from '../parse/index.js';
import { checkExpression, type CheckResult } from './check-expression.js';
import { policyEnvironment } from './environment.js';

test('a literal operand selects the overload for an attribute', () => {
  assert.is(inferType('R.attr.x + 1'), 'int');
  assert.is(inferType('R.attr.x - R.attr.y'), 'dyn');
  assert.is(inferType('R.attr.l + [1]'), 'list(int)');
  assert.is(inferType('R.attr.l.map(x, 1)'), 'list(int)');
  assert.is(inferType('R.attr.l[0]'), 'dyn');
});

test('elements without a common type make a list of dyn', () => {
  assert.is(inferType('[1, 2.0]'), 'list(dyn)');
  assert.is(inferType('{"a": 1, 2: "b"}'), 'map(dyn, dyn)');
});

test('null is assignable to times, optionals and messages, not to scalars and lists', () => {
  assert.equal(listMessages('timestamp(0) == null && P == null && optional.none() == null && ip("::1") == null'), []);
  assert.equal(listMessages('P.id == null'), ["found no matching overload for '_==_' applied to '(string, null)'"]);
  assert.equal(listMessages('P.attr == null'), [
    "found no matching overload for '_==_' applied to '(map(string, dyn), null)'",
  ]);
});

test('errors are in source order, a name before its arguments', () => {
  assert.equal(listMessages('x.y(z) + w'), [
    "undeclared reference to 'x' (in container '')",
    "undeclared reference to 'y' (in container '')",
    "undeclared reference to 'z' (in container '')",
    "undeclared reference to 'w' (in container '')",
  ]);
});

test('a failed expression suppresses errors that follow from it', () => {
  assert.equal(listMessages('request.foo.bar + 1'), ["undefined field 'foo'"]);
  assert.equal(listMessages('(1 + "a") && true'), ["found no matching overload for '_+_' applied to '(int, string)'"]);
});

test('an error has the range of the invalid expression', () => {
  assert.equal(listRanges('true && R.foo == 1'), ['foo']);
  assert.equal(listRanges('P.id.strtsWith("a")'), ['strtsWith']);
  assert.equal(listRanges('has(R.attr.a) && 1 + "a" == 2'), ['1 + "a"']);
  assert.equal(listRanges('duration("1d") > duration("1s")'), ['"1d"']);
});

test('a typo gets a hint', () => {
  assert.equal(listHints('R.atr.x'), ['did you mean `attr`?']);
  assert.equal(listHints('P.id.strtsWith("a")'), ['did you mean `startsWith`?']);
  assert.equal(listHints('reqest.principal.id'), ['did you mean `request`?']);
  assert.equal(listHints('["a"].all(element, elemnt == "a")'), ['did you mean `element`?']);
});

test('an error for a macro with the wrong number of arguments names the right number', () => {
  assert.equal(listHints('[1].all(R)'), ['the macro `all` takes (x, condition) or (i, x, condition)']);
});

test('the fields of a message literal are checked', () => {
  assert.equal(listMessages('google.protobuf.Duration{seconds: "a"}'), [
    "expected type of field 'seconds' is 'int' but provided type is 'string'",
  ]);
  assert.equal(listMessages('google.protobuf.Duration{hours: 1}'), ["undefined field 'hours'"]);
  assert.equal(listMessages('int{}'), ["'int' is not a message type"]);
  assert.equal(listMessages('R{}'), ["'authz.engine.v1.Request.Resource' is not a type"]);
});

test('a wrapper is equivalent to its scalar', () => {
  assert.equal(
    listMessages('google.protobuf.Int32Value{value: 5} + 1 == 6 && google.protobuf.BoolValue{value: true}'),
    [],
  );
  assert.equal(listMessages('google.protobuf.StringValue{value: "a"} == null'), []);
  assert.equal(listMessages('google.protobuf.Int32Value{value: 5} == "a"'), [
    "found no matching overload for '_==_' applied to '(wrapper(int), string)'",
  ]);
});

test('the iteration variable hides a name, unless a leading dot skips it', () => {
  assert.equal(listMessages('["a"].all(R, R == "a" && .R.id == "a")'), []);
  assert.equal(listMessages('["a"].all(R, R.id == "a")'), ["type 'string' does not support field selection"]);
});

test('a literal that always fails at runtime does not compile; a computed one does', () => {
  assert.equal(listMessages('P.id.matches("(") || matches(P.id, "(")'), ['invalid matches argument']);
  assert.equal(listMessages('duration("1" + "x") == duration("1x")'), ['invalid duration argument']);
  assert.equal(listMessages('timestamp(253402300800) > timestamp(-1)'), ['invalid timestamp argument']);
});

test('a format literal is checked against its arguments', () => {
  assert.equal(listMessages('"%d %%".format(["a"])'), [
    'error during formatting: decimal clause can only be used on ints, uints, and doubles, was given string',
  ]);
  assert.equal(listMessages('"%s".format([[1, [duration("1s"), ip("::1")]]])'), [
    'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given net.IP',
  ]);
  assert.equal(listMessages('"%d".format([R.attr.x])'), []);
  assert.equal(listMessages('"%.101f".format([1.0])'), [
    'could not parse formatting clause: error while parsing precision: precision 101 exceeds maximum allowed precision 100',
  ]);
  assert.equal(listMessages('R.attr.f.format([])'), []);
});

test('the longest possible chain of && is checked without recursion', () => {
  assert.equal(listMessages(Array(12_000).fill('true').join(' && ')), []);
});

test('thousands of parameters bound to each other do not slow the check', () => {
  assert.equal(listMessages(`cel.bind(e, [], ${Array(8000).fill('e == []').join(' && ')})`), []);
});

test('an extremely large type becomes dyn', () => {
  const bindings = Array.from({ length: 60 }, (_, i) => `cel.bind(a${i + 1}, {a${i}: a${i}}, `).join('');
  assert.equal(listMessages(`cel.bind(a0, {}, ${bindings}a60 == {}${')'.repeat(61)}`), []);
});

test('names of Object.prototype are ordinary', () => {
  assert.equal(listMessages('constructor'), ["undeclared reference to 'constructor' (in container '')"]);
  assert.equal(listMessages('R.__proto__'), ["undefined field '__proto__'"]);
  assert.equal(listMessages('P.id.toString()'), ["undeclared reference to 'toString' (in container '')"]);
  assert.equal(listMessages('R.attr.constructor == V.toString'), []);
});

test.run();

function check(text: string): CheckResult {
  const { ast, errors } = parseCel(text);
  if (ast === undefined) throw new Error(errors.map(({ message }) => message).join(', '));
  return checkExpression(ast, policyEnvironment);
}

function inferType(text: string): string {
  return printType(check(text).type);
}

function listMessages(text: string): readonly string[] {
  return check(text).problems.map(({ message }) => message);
}

function listRanges(text: string): readonly string[] {
  return check(text).problems.map(({ start, end }) => text.slice(start, end));
}

function listHints(text: string): readonly string[] {
  return check(text).problems.flatMap(({ hints }) => (hints?.() ?? []).map(({ message }) => message));
}
