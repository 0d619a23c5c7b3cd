import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckedExpression } from '../ast/checked-expression.js';
import type { Expr } from '../ast/expr.js';
import { type CelType, json, listType, optionalType, printType } from '../library/types.js';
import { parseCel } from '../parse/index.js';
import { checkExpression } from './check-expression.js';
import { policyEnvironment } from './environment.js';

test('values below attributes, claims and constants are plain JSON', () => {
  assert.equal(certain('R.attr.x'), json);
  assert.equal(certain('P.attr.a.b["c"][0]'), json);
  assert.equal(certain('request.auxData.jwts.t.claims.sub'), json);
  assert.equal(certain('C.limit'), json);
  assert.equal(certain('R.attr.x[?0]'), optionalType(json));
  assert.equal(certain('R.attr.l.filter(x, x.a == 1)'), listType(json));
  assert.equal(certain('R.attr.b ? R.attr.x : "a"'), json);
  assert.equal(certain('R.attr.?x.orValue("a")'), json);
});

test('variables and globals may have any type, and so may plain JSON compared with an int', () => {
  assert.is(printed('V.x'), 'dyn');
  assert.is(printed('G.x'), 'dyn');
  assert.equal(certain('R.attr.b ? R.attr.x : 1'), { kind: 'dyn', json: false });
  assert.equal(certain('dyn(R.attr.x)'), { kind: 'dyn', json: false });
});

test('the type of a list does not follow from a literal compared with it', () => {
  assert.is(printed('R.attr.l + [1]'), 'list(dyn)');
  assert.is(printed('intersect(V.l, ["a"])'), 'list(dyn)');
  assert.equal(certain('R.attr.l + ["a"]'), listType(json));
  assert.equal(certain('[1] + V.l'), listType({ kind: 'dyn', json: false }));
  assert.is(printed('dyn(optional.of(1)).orValue(2)'), 'dyn');
});

test('a time that may be null is not a time', () => {
  assert.is(printed('R.attr.b ? timestamp(0) : null'), 'dyn');
  assert.is(printed('[timestamp(0), null]'), 'list(dyn)');
});

test('arithmetic with a literal has its type, or fails', () => {
  assert.is(printed('R.attr.x + 1'), 'int');
  assert.is(printed('R.attr.s + "a"'), 'string');
  assert.is(printed('R.attr.l.map(x, x + 1)'), 'list(int)');
});

test('a call has its row of the function table, an operator has none', () => {
  assert.equal(calls('size(R.attr.s) + math.abs(-1) == P.id.size()'), ['mathAbs', 'size', 'size']);
  assert.equal(calls('ip("10.0.0.1") == cidr("10.0.0.0/8").ip() && ip.isCanonical("::1")'), [
    'cidrIp',
    'ipIsCanonical',
    'toCidr',
    'toIp',
  ]);
  assert.equal(calls('[1].all(x, x > 0)'), []);
});

test('a reference has the definition of its name, with aliases resolved', () => {
  assert.equal(references('P.attr.a == request.principal.policy_version'), [
    'field principal.attr',
    'field principal.policyVersion',
    'principal',
    'principal',
    'request',
  ]);
  assert.equal(references('request.aux_data.jwts["t"].claims.sub'), [
    'aux-data',
    'field aux-data.jwts',
    'field jwt.claims',
    'request',
  ]);
  assert.equal(references('V.a + variables.b + C.c + G.?d.value()'), [
    'constant c',
    'constants',
    'global d',
    'globals',
    'variable a',
    'variable b',
    'variables',
    'variables',
  ]);
  assert.equal(references('runtime.effective_derived_roles'), ['field runtime.effectiveDerivedRoles', 'runtime']);
  assert.equal(references('type(1) == int && google.protobuf.NullValue.NULL_VALUE == 0'), ['enum 0', 'type int']);
  assert.equal(references('[1].exists(P, P == 1 && .P.id == "a")'), ['field principal.id', 'local P', 'principal']);
});

test('a message in a local variable is read through the variable', () => {
  assert.equal(references('cel.bind(r, request, r.principal.id)'), [
    'field principal.id',
    'field request.principal',
    'local r',
    'request',
  ]);
  assert.equal(references('cel.bind(v, V, v.a)'), ['local v', 'variables']);
});

test('has() has the type of the selected field', () => {
  const { ast, checked } = check('has(R.attr.x)');
  assert.is(printType(typeIn(checked, ast)), 'bool');
  assert.ok(ast.kind === 'macro' && ast.range !== undefined);
  assert.equal(typeIn(checked, ast.range), json);
});

test.run();

function check(text: string): { readonly ast: Expr; readonly checked: CheckedExpression } {
  const { ast } = parseCel(text);
  if (ast === undefined) throw new Error(`does not parse: ${text}`);
  const { problems, ...checked } = checkExpression(ast, policyEnvironment);
  assert.equal(problems, []);
  return { ast, checked };
}

function certain(text: string): CelType {
  const { ast, checked } = check(text);
  return typeIn(checked, ast);
}

function printed(text: string): string {
  return printType(certain(text));
}

function typeIn(checked: CheckedExpression, expr: Expr): CelType {
  const type = checked.types.get(expr);
  if (type === undefined) throw new Error('a node without a type');
  return type;
}

function calls(text: string): readonly string[] {
  return [...check(text).checked.calls.values()].map(({ runtime }) => runtime).sort();
}

function references(text: string): readonly string[] {
  return [...check(text).checked.references.values()]
    .map((reference) => {
      if (reference.kind === 'field') return `field ${reference.message}.${reference.field}`;
      if ('name' in reference) return `${reference.kind} ${reference.name}`;
      return 'value' in reference ? `enum ${reference.value}` : reference.kind;
    })
    .sort();
}
