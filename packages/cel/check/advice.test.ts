import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Note } from '../../../compiler/diagnostics/diagnostic.js';
import type { Expr } from '../ast/expr.js';
import type { Overload } from '../library/function.js';
import { parseCel } from '../parse/index.js';
import { checkExpression } from './check-expression.js';
import { policyEnvironment } from './environment.js';
import { fillAdvice } from './advice.js';
import { functionAdvice } from './function-advice.js';
import { writtenParts } from './written-parts.js';

/** Mistakes of people who know other languages, and the words that the advice must contain. */
const mistakes: readonly (readonly [expression: string, ...advice: string[]])[] = [
  // Operators
  ['R.attr.a === 1', '`==`'],
  ['R.attr.a !== 1', '`!=`'],
  ['R.attr.a <> 1', '`!=`'],
  ['R.attr.a = 1', '`==`'],
  ['R.attr.a := 1', '`==`'],
  ['R.attr.a =~ "x"', 'matches'],
  ['R.attr.a & R.attr.b', '`&&`'],
  ['R.attr.a | R.attr.b', '`||`'],
  ['R.attr.a ?? "x"', 'orValue'],
  ['R.attr?.a == 1', '`R.attr.?a`'],
  ['R.attr.a == 1;', '`;`'],
  ['R.attr.a ** 2 == 4', 'multiply'],
  ['R.attr.list.exists(x => x == 1)', 'list.exists(x, x == 1)'],
  ['R.attr.list.exists(x -> x == 1)', 'list.exists(x, x == 1)'],
  ['R.attr.a == 1 /* note */', '`// text`'],
  ['R.attr.a == 1 # note', '`// text`'],
  ['${R.attr.a} == 1', 'delimiters'],
  ['{{ R.attr.a }} == 1', 'delimiters'],
  ['R.attr.a == “x”', 'straight quotes'],
  // Strings
  ['R.attr.a.matches("^\\d+$")', '`\\\\`', 'r"'],
  ["R.attr.a.matches('\\w')", '`\\\\`', 'r"'],
  ['R.attr.a == "x', 'quote'],
  ["R.attr.a == 'it's'", 'quote'],
  // Characters that are not ASCII
  ['R.attr.a\u00a0== 1', 'U+00A0', 'space'],
  ['R.attr.a ==\u200b 1', 'remove'],
  ['R.attr.a \u2212 1 == 2', '`-`'],
  ['R.attr.a – 1 == 2', '`-`'],
  ['R.attr.a ≤ 1', '`<=`'],
  ['R.attr.a ≥ 1', '`>=`'],
  ['R.attr.a ≠ 1', '`!=`'],
  ['R.attr.größe == 1', 'R.attr["'],
  // Lists and names
  ['R.attr.a in {"x", "y"}', '["a", "b"]'],
  ['R.attr.list[0:2] == []', 'slice(0, 2)'],
  ['R.attr.in == 1', 'R.attr["in"]'],
  ['R.attr.true == 1', 'R.attr["true"]'],
  ['$.a == 1', 'R.attr.a'],
  ['R.attr.age > 30d', 'quotes'],
  ['R.attr.age =< 5', '`<=`'],
  ['R.attr.age => 5', '`>=`'],
  ['R.attr.a !in ["a"]', '!(x in list)'],
  ['R.attr.a ?: "x"', 'orValue'],
  ['R.attr.a == `x`', 'quotes'],
  // Words
  ['R.attr.a and R.attr.b', '`&&`'],
  ['R.attr.a AND R.attr.b', '`&&`'],
  ['R.attr.a or R.attr.b', '`||`'],
  ['not R.attr.a', '`!`'],
  ['NOT (R.attr.a)', '!('],
  ['R.attr.a is null', '`==`'],
  ['R.attr.a is not null', '`!=`'],
  ['"x" not in R.attr.a', '!(x in list)'],
  ['R.attr.a eq 1', '`==`'],
  ['R.attr.a gt 1', '`>`'],
  ['R.attr.a like "x%"', 'startsWith'],
  ['R.attr.a contains "x"', 'text.contains("x")'],
  ['R.attr.a startsWith "x"', 'text.startsWith("x")'],
  ['R.attr.a between 1 and 5', 'x <= 5'],
  ['R.attr.a instanceof string', 'type(x)'],
  ['if R.attr.a then true else false', 'condition ? a : b'],
  ['if (R.attr.a) { true }', 'condition ? a : b'],
  ['R.attr.a if R.attr.b else false', 'condition ? a : b'],
  ['return R.attr.a', '`return`'],
  ['let x = 1', 'variables'],
  ['exists R.attr.a', 'has(R.attr.a)'],
  ['any x in R.attr.list', 'list.exists'],
  ['R.attr.a in ("a", "b")', '["a", "b"]'],
  // Names
  ['resource.attr.owner == P.id', '`R`'],
  ['principal.id == "a"', '`P`'],
  ['subject.id == "a"', '`P`'],
  ['r.attr.owner == P.id', '`R`'],
  ['p.id == "a"', '`P`'],
  ['user.id == R.attr.owner', '`P`'],
  ['claims.sub == P.id', 'request.auxData.jwt'],
  ['auxData.jwt.sub == P.id', 'request.auxData'],
  ['action == "view"', '`actions`'],
  ['role == "admin"', 'P.roles'],
  ['attr.a == 1', 'R.attr.a'],
  ['context.ip == "a"', 'attributes'],
  ['env.time == "a"', 'attributes', '`G`'],
  ['config.region == "a"', '`G`'],
  ['var.a', '`V.a`'],
  ['const.a == 1', '`C.a`'],
  ['R.resourceKind == "a"', 'kind'],
  ['timestamp(R.attr.a).year() == 2020', 'getFullYear()'],
  ['timestamp(R.attr.a).getDay() == 1', 'getDayOfWeek()'],
  ['timestamp(R.attr.a).hour == 1', 'getHours()'],
  ['R.attr.list.reduce(x, x == 1)', 'exists'],
  ['R.attr.list.exist(x, x == 1)', 'exists(x'],
  ['R.attr.a != None', '`null`'],
  ['R.attr.a != undefined', '`null`'],
  ['R.attr.a == True', '`true`'],
  ['R.attr.a == FALSE', '`false`'],
  ['timestamp(R.attr.a) < now', 'now()'],
  ['R.attr.status == draft', '"draft"', 'R.attr.draft'],
  ['vars.a', '`V`'],
  // Fields
  ['request.user.id == "a"', 'principal'],
  ['request.action == "a"', '`actions`'],
  ['request.jwt.sub == "a"', 'auxData.jwt'],
  ['request.ip == "a"', 'attributes'],
  ['R.atr.a == 1', '`attr`'],
  ['R.attributes.a == 1', '`attr`'],
  ['request.principal.properties.a == 1', '`attr`'],
  ['R.owner == P.id', 'R.attr.owner'],
  ['P.department == "a"', 'P.attr.department'],
  ['R.type == "a"', '`kind`'],
  ['P.role == "a"', '`roles`'],
  ['request.auxData.sub == "a"', 'request.auxData.jwt.sub'],
  ['P.roles.length > 1', 'size(x)'],
  // Functions and methods
  ['P.roles.contains("admin")', '"x" in list'],
  ['P.roles.includes("admin")', ' in '],
  ['R.attr.list.find(item, item.a == 1)', 'filter'],
  ['R.attr.list.every(item, item.a == 1)', '.all('],
  ['R.attr.name.toLowerCase() == "a"', 'lowerAscii'],
  ['lower(R.attr.name) == "a"', 'lowerAscii'],
  ['len(R.attr.list) == 1', 'size('],
  ['R.attr.list.length() == 1', 'size('],
  ['R.attr.list.isEmpty()', 'size('],
  ['startsWith(R.attr.a, "x")', 'method', 'x.startsWith'],
  ['R.attr.a.has("b")', ' in '],
  ['R.attr.list.exists("a")', '(x, condition)'],
  ['exists(R.attr.a)', '(x, condition)'],
  ['R.attr.list.exists("a", true)', 'variable'],
  ['has(R.attr["a"])', ' in '],
  ['has("a")', 'has(R.attr.a)'],
  ['not(R.attr.a)', '!('],
  ['and(R.attr.a, R.attr.b)', '&&'],
  ['Date.now() > timestamp(R.attr.a)', 'now()'],
  ['max(1, 2) == 2', 'math.greatest'],
  ['abs(1) == 1', 'math.abs'],
  ['typeof(R.attr.a) == "string"', 'type('],
  ['hasRole("admin")', 'in P.roles'],
  ['ip_in_range(R.attr.ip, "10.0.0.0/8")', 'inIPAddrRange'],
  ['coalesce(R.attr.a, 1) == 1', 'has(R.attr.a)'],
  ['R.attr.a.size == 1 && P.id.startsWiht("a")', 'startsWith'],
  // Types
  ['R.attr.a == "a" || "b"', 'in ["a", "b"]'],
  ['1 < size(P.roles) < 3', 'x < 5'],
  ['1 + 1.5 > 2.0', 'double(x)'],
  ['"a" + 1 == "a1"', 'string(x)'],
  ['now() > "2026-01-01"', 'timestamp(x)'],
  ['now() - 5 > now()', 'duration("24h")'],
  ['P.roles == "admin"', 'x in list'],
  ['"a" in P.id', 'contains'],
  // Literals
  ['duration("1d") == duration("24h")', '24h'],
  ['duration("2 weeks") == duration("24h")', '336h'],
  ['timestamp("2026-01-31") < now()', '00:00:00Z'],
  ["P.id.matches('(?<=a)b')", 'RE2'],
  ["P.id.matches('(a)\\\\1')", 'RE2'],
  ["P.id.matches('(a')", 'RE2'],
];

for (const [expression, ...expected] of mistakes) {
  test(`advice: ${expression}`, () => {
    const advice = adviceOn(expression);
    for (const words of expected)
      assert.ok(
        advice.some((message) => message.includes(words)),
        `${words} in ${JSON.stringify(advice)}`,
      );
  });
}

test('no typo of a method is taken for a method of values that attributes never are', () => {
  for (const method of ['finds', 'som', 'idd', 'pth']) {
    const names = adviceOn(`R.attr.list.${method}(x, x == 1)`).join();
    assert.not.match(names, /did you mean `(id|name|path)`/);
  }
});

test('the variable of a macro that does not exist gets no advice of its own', () => {
  assert.is(adviceOn('R.attr.list.find(item, item == 1)').length, 1);
});

test('every call with values of wrong types says what to write', () => {
  const calls = [...policyEnvironment.functions].flatMap(([name, rows]) =>
    /^[\w.]+$/.test(name)
      ? rows.flatMap(({ overloads }) => overloads.flatMap((overload) => wrongCalls(name, overload)))
      : [],
  );
  const operators = ['==', '<', '+', '-', '*', '/', '%', '&&', 'in'].flatMap((operator) => [
    `P ${operator} 1`,
    `now() ${operator} true`,
    `duration("1s") ${operator} b"a"`,
  ]);
  const refused = [...calls, ...operators, '!P', '-P', 'P ? 1 : 2', 'P[0]', 'string.format(["a"])'].filter(
    (expression) => findProblems(expression).some((message) => message.startsWith('found no matching overload')),
  );
  assert.ok(refused.length > 100, String(refused.length));
  assert.equal(
    refused.filter((expression) => adviceOn(expression).length === 0),
    [],
  );
  assert.equal(adviceOn('P.id.startsWith(1)'), ['the types of its values are `string.startsWith(string)`']);
});

test('advice about functions repeats what the author wrote', () => {
  for (const [expression, advice] of [
    ['lower(R.attr.title) == "a"', 'write `R.attr.title.lowerAscii()`'],
    ['R.attr.title.toLowerCase() == "a"', 'write `R.attr.title.lowerAscii()`'],
    ['strings.ToLower(P.attr.team) == "a"', 'write `P.attr.team.lowerAscii()`'],
    ['R.attr.list.exists(t, t.toUpper() == "A")', 'write `t.upperAscii()`'],
    ['R.attr.title.hasPrefix("draft-")', 'write `R.attr.title.startsWith("draft-")`'],
    ['beginsWith(R.attr.title, P.attr.team)', 'write `R.attr.title.startsWith(P.attr.team)`'],
    ['"admin".isin(P.roles)', '`"admin" in P.roles`'],
    ['R.attr.members.includes(P.id)', '`P.id in R.attr.members`'],
    ['present(P.attr.team)', '`has(P.attr.team)`'],
    ['R.attr.list.exists(t, present(t))', '`has(R.attr.a)`'],
    ['timestamp(R.attr.due).year() == 2020', '`timestamp(R.attr.due).getFullYear()`'],
    ['R.attr.due.year() == 2020', '`timestamp(R.attr.due).getFullYear()`'],
    ['now().hour() == 2', '`now().getHours()`'],
    // Without a short text of its own, an expression is not repeated.
    ['(R.attr.a + R.attr.b).toLowerCase() == "a"', 'write `R.attr.name.lowerAscii()`'],
    ['R.attr.title.startWith("\\u001b[0m")', 'write `R.attr.title.startsWith("a")`'],
  ] as const)
    assert.ok(
      adviceOn(expression).some((message) => message.includes(advice)),
      `${expression}: ${adviceOn(expression)}`,
    );
});

test('the advice about a call is valid with each part of the call', () => {
  const parts = writtenParts(
    { target: parseCel('R.attr.own').ast, args: [parseCel('P.attr.other').ast as Expr] },
    true,
  );
  for (const template of new Set(functionAdvice.values())) {
    const [, expression = ''] = fillAdvice(template, parts).split('`');
    assert.equal(findProblems(expression), [], expression);
  }
});

test('expressions in advice about functions are valid', () => {
  for (const template of new Set(functionAdvice.values())) {
    const [, ...others] = fillAdvice(template, {}).split('`');
    const [expression = ''] = others;
    assert.equal(findProblems(expression), [], expression);
  }
});

/** Calls with the request itself as each value, and with one value more. */
function wrongCalls(name: string, { form, parameters }: Overload): readonly string[] {
  return [parameters.length, parameters.length + 1].map((count) => {
    const values = Array.from({ length: count }, () => 'request');
    return form === 'member' ? `${values[0]}.${name}(${values.slice(1).join(', ')})` : `${name}(${values.join(', ')})`;
  });
}

function findProblems(expression: string): readonly string[] {
  const { ast, errors } = parseCel(expression);
  const problems = ast === undefined ? errors : checkExpression(ast, policyEnvironment).problems;
  return problems.map(({ message }) => message);
}

function adviceOn(expression: string): readonly string[] {
  const { ast, errors } = parseCel(expression);
  if (ast === undefined) return errors.flatMap(({ advice = [] }) => advice.map(({ message }) => message));
  return checkExpression(ast, policyEnvironment).problems.flatMap(({ hints }) =>
    (hints?.() ?? []).map(({ message }: Note) => message),
  );
}

test.run();
