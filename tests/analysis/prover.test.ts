import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import type { PointPrincipal } from '../../packages/analysis/question/point.js';
import { and, type Formula, not } from '../../packages/analysis/formula/formula.js';
import { makeBundle } from '../../packages/analysis/program/bundle.js';
import { solverCommand } from '../../packages/analysis/solve/command.js';
import { makeProver } from '../../packages/analysis/solve/prover.js';
import type { Answer, Prover, Question } from '../../packages/analysis/question/question.js';
import type { Solver } from '../../packages/analysis/solve/solver.js';
import { startZ3 } from '../../packages/analysis/solve/z3.js';
import type { Situation } from '../../packages/analysis/question/situation.js';
import type { Module, Program } from '../../compiler/ir/program.js';
import { fold } from '../../compiler/optimise/index.js';
import { compileTexts } from '../support/compiled.js';
import { z3 } from '../support/solve/z3.js';

const test = suite('proving');
const solver = z3();
const prover = makeProver(solver, { effort: 3 });

test.after(() => prover.close());

/** Two conditions of one policy: actions `one` and `other` are allowed where they hold. */
function policyOf(one: string, other: string): { readonly program: Program; readonly module: Module } {
  const rules = Object.entries({ one, other }).map(([action, expr]) => ({
    actions: [action],
    effect: 'EFFECT_ALLOW',
    roles: ['*'],
    condition: { match: { expr } },
  }));
  const variables = { local: { seen: '"admin"', given: 'R.attr.given', kept: 'R.attr.?x' } };
  const text = JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'doc', version: 'default', variables, rules },
  });
  const { lowered } = compileTexts({ 'doc.yaml': text });
  if (lowered === undefined) throw new Error(`refused: ${one} or ${other}`);
  const program = fold(lowered);
  return { program, module: program.modules[0] as Module };
}

function holdsOf(module: Module, index: number, more: object = {}): Formula {
  const condition = module.kind === 'resource' ? module.rules[index]?.condition : undefined;
  if (condition === undefined) throw new Error('no condition');
  return { kind: 'holds', condition, module, failedIsNull: false, ...more };
}

function questionOf(formula: Formula, principal?: PointPrincipal): Question {
  const point = { kind: 'doc', isNamedKind: true, version: 'default', scope: '', isNamedScope: true, principal };
  return {
    formula,
    point,
    principals: new Set(),
    action: 'one',
    roles: ['admin', 'user'],
    globals: undefined,
    schemas: [],
  };
}

/** Whether the first condition can hold where the second does not. */
function implication(one: string, other: string, with_ = prover): Promise<Answer> {
  const { program, module } = policyOf(one, other);
  const confirm = ({ request, globals, now }: Situation): boolean => {
    const clock = () => ({ seconds: Math.floor(Date.parse(now) / 1000), nanos: 0, offset: 0 });
    const engine = createEngine(makeBundle(program).bundle, { globals, clock });
    const withRole = { ...request, principal: { ...request.principal, roles: [...request.principal.roles, 'other'] } };
    return engine.isAllowed(withRole) && !engine.isAllowed({ ...withRole, action: 'other' });
  };
  return with_.prove(questionOf(and(holdsOf(module, 0), not(holdsOf(module, 1)))), confirm);
}

const IMPLIED: readonly (readonly [string, string])[] = [
  ['R.attr.x == "a"', 'has(R.attr.x)'],
  ['R.attr.x in ["a", "b"]', 'R.attr.x == "a" || R.attr.x == "b"'],
  ['"x" in R.attr.l', 'R.attr.l.exists(t, t == "x")'],
  ['R.attr.l.exists(t, t == P.attr.x)', 'P.attr.x in R.attr.l'],
  ['R.attr.n > 5.5', 'R.attr.n > 5.0'],
  ['R.attr.n == 1', 'R.attr.n == 1.0'],
  ['R.attr.x.startsWith("ab")', 'R.attr.x.startsWith("a")'],
  ['R.attr.x.matches("^a[b-d]+$")', 'R.attr.x.startsWith("a")'],
  ['R.attr.ip.inIPAddrRange("10.1.0.0/16") && R.attr.ip in ["10.2.3.4", "10.1.2.3"]', 'R.attr.ip == "10.1.2.3"'],
  ['timestamp(R.attr.t) > now()', 'timestamp(R.attr.t) >= now()'],
  ['timeSince(timestamp(R.attr.t)) > duration("1h")', 'timestamp(R.attr.t) < now()'],
  ['R.attr.x.lowerAscii() == "a"', 'R.attr.x.lowerAscii() in ["a", "b"]'],
  ['R.attr.l.exists(t, t.k > 1.0)', 'R.attr.l.exists(t, t.k > 1.0) || R.attr.x'],
  ['R.attr.?x.orValue("a") == "b"', 'R.attr.x == "b"'],
  ['R.attr.l == ["a"]', '"a" in R.attr.l'],
  ['R.attr.m == {"a": 1}', 'R.attr.m.a == 1'],
  ['size(R.attr.l) > 1', 'size(R.attr.l) > 0'],
  ['R.kind == "doc" && R.attr.x', 'R.attr.x'],
  ['true', 'R.kind == "doc"'],
  ['G.limit > 2', 'G.limit > 1'],
  ['request.auxData.jwts.a.claims.role == "x"', '"role" in request.auxData.jwts["a"].claims'],
  ['P.roles.exists(r, r == "admin" || "user" == r)', '"admin" in P.roles || "user" in P.roles'],
  ['P.roles.exists(r, r in ["admin", "user"] && R.attr.x)', 'R.attr.x && ("admin" in P.roles || "user" in P.roles)'],
  ['P.roles.all(r, r != "admin" && !(r in ["user"]))', '!("user" in P.roles)'],
  ['P.roles.exists(r, r != "admin" && r == "user")', 'P.roles.exists(r, r == "user")'],
  ['P.id + "x" == R.attr.owner', 'R.attr.owner.startsWith(P.id)'],
  ['hasIntersection(["a"], R.attr.l)', 'hasIntersection(R.attr.l, ["a", "b"])'],
  ['isSubset(["admin"], P.roles)', '"admin" in P.roles'],
  ['P.id in intersect(R.attr.l, ["a", "b"])', 'P.id in R.attr.l && P.id in ["b", "a"]'],
  ['P.id in intersect(R.attr.k, R.attr.l)', 'P.id in R.attr.k && P.id in R.attr.l'],
  ['R.attr.x in R.attr.k.except(["a"])', 'R.attr.x in R.attr.k && R.attr.x != "a"'],
  ['["a", "b"].except(R.attr.l).exists(e, e == P.id)', 'P.id in ["a", "b"] && !(P.id in R.attr.l)'],
  ['size(["a", "b"].except(R.attr.l)) == 2', 'R.attr.l.intersect(["a", "b"]).all(e, false)'],
  ['"a" in intersect(R.attr.k, R.attr.l)', 'size(intersect(R.attr.k, R.attr.l)) > 0'],
  ['P.id in R.attr.k.except(R.attr.l)', 'P.id in R.attr.k && size(R.attr.k) > 0'],
  ['size(intersect(R.attr.l, ["a", "b"])) > 1', 'size(R.attr.l) > 1'],
  ['size(intersect(R.attr.l, ["a", "b"])) > 1 && size(R.attr.l) > 5', 'isSubset(["a", "b"], R.attr.l)'],
  ['sets.equivalent(R.attr.l, ["a", "b"])', '"a" in R.attr.l && "b" in R.attr.l'],
];

/** Conditions that hold for the same requests. */
const EQUIVALENT: readonly (readonly [string, string])[] = [
  ['R.attr.?x.hasValue()', 'has(R.attr.x)'],
  ['!R.attr.?x.hasValue()', '!has(R.attr.x)'],
  ['R.attr.?x.orValue(false)', 'has(R.attr.x) && R.attr.x'],
  ['R.attr.?x.orValue("a") == "a"', '!has(R.attr.x) || R.attr.x == "a"'],
  ['R.attr.?x.orValue(0) > 5.0', 'R.attr.x > 5.0'],
  ['R.attr.?x.?y.orValue("") == "a"', 'R.attr.x.y == "a"'],
  ['R.attr.?x.y.hasValue()', 'has(R.attr.x) && has(R.attr.x.y)'],
  ['R.attr.l[?0].orValue("") == "a"', 'R.attr.l[0] == "a"'],
  ['R.attr.?x.or(R.attr.?y).orValue("") == "a"', 'has(R.attr.x) ? R.attr.x == "a" : R.attr.y == "a"'],
  ['R.attr.?x == optional.of("a")', 'R.attr.x == "a"'],
  ['R.attr.?x == optional.none()', '!has(R.attr.x)'],
  ['R.attr.?x.optFlatMap(e, e.?y).orValue("") == "a"', 'R.attr.x.y == "a"'],
  ['V.kept == "a"', 'R.attr.x == "a"'],
  ['"a" in R.attr.?x.orValue([])', '"a" in R.attr.x'],
  ['G.?x.orValue("") == "a"', 'G.x == "a"'],
  [
    'R.attr.ip.inIPAddrRange("10.0.0.0/9") || R.attr.ip.inIPAddrRange("10.128.0.0/9")',
    'R.attr.ip.inIPAddrRange("10.0.0.0/8")',
  ],
  ['R.attr.ip.inIPAddrRange("::/1") || R.attr.ip.inIPAddrRange("8000::/1")', 'R.attr.ip.inIPAddrRange("::/0")'],
  ['R.attr.ip.inIPAddrRange("10.0.0.0/8") && R.attr.ip.inIPAddrRange("::/0")', 'false'],
  // Values that are equal, but not the same: 0.0 and -0.0, integers and doubles, at any depth.
  ...[
    ['0.0', '-0.0'],
    ['[0.0]', '[-0.0]'],
    ['{"k": [0.0]}', '{"k": [-0.0]}'],
    ['[1]', '[1.0]'],
  ].flatMap(([one = '', other = '']) =>
    [
      'X in R.attr.l',
      'R.attr.x == [R.attr.y, X]',
      '[R.attr.y, X] in R.attr.l',
      'hasIntersection([X], R.attr.l)',
      'isSubset(R.attr.l, [X])',
    ].map((expr) => [expr.replace('X', one), expr.replace('X', other)] as const),
  ),
  ['hasIntersection(R.attr.l, ["a", "b"])', 'hasIntersection(["b"], R.attr.l) || hasIntersection(["a"], R.attr.l)'],
  ['isSubset(["a", "b"], R.attr.l)', 'sets.contains(R.attr.l, ["b", "a"])'],
  ['sets.intersects([[0]], R.attr.l)', 'hasIntersection([[-0.0]], R.attr.l)'],
  ['size(intersect(R.attr.l, ["a", "b"])) > 0', 'hasIntersection(R.attr.l, ["b", "a"])'],
  ['size(["a", "b"].intersect(R.attr.l)) == 0', '!hasIntersection(R.attr.l, ["b", "a"])'],
  ['size(["a", "b"].except(R.attr.l)) == 0', 'isSubset(["a", "b"], R.attr.l)'],
  ['"admin" in intersect(P.roles, ["admin", "user"])', '"admin" in P.roles'],
  [
    'sets.equivalent(R.attr.l, ["a", "b"])',
    'sets.contains(R.attr.l, ["a", "b"]) && sets.contains(["a", "b"], R.attr.l)',
  ],
  ['sets.equivalent(["a", P.id], ["b", "a"])', 'P.id == "b"'],
];

const NOT_IMPLIED: readonly (readonly [string, string])[] = [
  ['has(R.attr.x)', 'R.attr.x == "a"'],
  ['P.roles.exists(r, r == "admin" || r == "user")', '"admin" in P.roles'],
  ['P.roles.all(r, r != "admin" || R.attr.x)', 'R.attr.x'],
  ['R.attr.n > 5.0', 'R.attr.n > 5.5'],
  ['R.attr.x.startsWith("a")', 'R.attr.x.startsWith("ab")'],
  ['R.attr.ip.inIPAddrRange("10.0.0.0/8")', 'R.attr.ip.inIPAddrRange("10.1.0.0/16")'],
  ['timestamp(R.attr.t) < now()', 'timeSince(timestamp(R.attr.t)) > duration("1h")'],
  ['"admin" in P.roles', '"user" in P.roles'],
  ['hasIntersection(["a", "b"], R.attr.l)', 'isSubset(["a", "b"], R.attr.l)'],
  ['"a" in R.attr.m', 'hasIntersection(["a"], R.attr.m)'],
  ['"a" in R.attr.k', '"a" in R.attr.k.except(R.attr.l)'],
  ['"a" in R.attr.k && "a" in R.attr.l', '"a" in intersect(R.attr.k, R.attr.l)'],
  ['size(R.attr.l) > 0', 'size(R.attr.l) > 1'],
  ['R.attr.l.exists(t, t.k == "x")', 'R.attr.l.all(t, t.k == "x")'],
  ['R.attr.x != "a"', 'R.attr.x == "b"'],
  ['P.id in R.attr.owners', 'P.id == R.attr.owner'],
  ['P.attr.levels[R.attr.x] > 1.0', 'P.attr.levels.a > 1.0'],
  ['R.attr["\u{1f600} \\"|\\\\ \\u0001"] == "|\\n\u{1f600}"', 'R.attr.x'],
  ['request.auxData.jwt.sub == P.id', 'request.auxData.jwt.admin'],
  ['request.auxData.jwts.a.claims.n > 1.0', 'request.auxData.jwts.b.claims.n > 1.0'],
  ['request.auxData.jwts.a.claims.n == request.auxData.jwts.b.claims.n', 'request.auxData.jwts.a.claims.n == 1.0'],
];

for (const [one, other] of IMPLIED)
  test(`proves that ${one} implies ${other}`, async () => {
    assert.equal(await implication(one, other), { answer: 'no', by: 'solver' });
  });

for (const [one, other] of EQUIVALENT)
  test(`proves that ${one} is ${other}`, async () => {
    assert.equal(await implication(one, other), { answer: 'no', by: 'solver' });
    assert.equal(await implication(other, one), { answer: 'no', by: 'solver' });
  });

for (const [one, other] of NOT_IMPLIED)
  test(`finds a request for which ${one} does not imply ${other}`, async () => {
    assert.is((await implication(one, other)).answer, 'yes');
  });

test('says what it did not interpret', async () => {
  const answer = await implication('R.attr.x.upperAscii() == "a"', 'R.attr.x == "b"');
  assert.equal(answer, { answer: '?', reason: 'does not replay', uninterpreted: ['upperAscii'] });
});

test('strings that SMT-LIB does not have leave a question open', async () => {
  const answer = await implication('R.attr.x == "\u{30000}"', 'has(R.attr.x)');
  assert.equal(answer, { answer: '?', reason: 'resource limit', uninterpreted: [] });
});

test('globals that are known are constants', async () => {
  const { module } = policyOf('G.limit > 2 && "b" in G.names', 'true');
  for (const [globals, answer] of [
    [{ limit: 3n, names: ['a', 'b'] }, '?'],
    [{ limit: 2n, names: ['a', 'b'] }, 'no'],
    [{ limit: 3n, names: ['a'] }, 'no'],
    [{ limit: 3n }, 'no'],
  ] as const)
    assert.is((await prover.prove({ ...questionOf(holdsOf(module, 0)), globals }, () => false)).answer, answer);
});

test('a variable that fails is null only while derived roles are listed', async () => {
  const { module } = policyOf('V.given == null', 'true');
  const listed = holdsOf(module, 0, { failedIsNull: true });
  const held = holdsOf(module, 0);
  assert.is((await prover.prove(questionOf(and(listed, not(held))), () => true)).answer, 'yes');
  assert.is((await prover.prove(questionOf(and(held, not(listed))), () => false)).answer, 'no');
});

test('a derived role is in the list where it is active', async () => {
  const { module } = policyOf('"owner" in runtime.effectiveDerivedRoles', 'true');
  const role: Formula = { kind: 'role', role: 'user' };
  const listed = holdsOf(module, 0, { derivedRoles: [{ name: 'owner', isActive: role }] });
  for (const formula of [and(listed, not(role)), and(not(listed), role)])
    assert.is((await prover.prove(questionOf(formula), () => false)).answer, 'no');
});

test('a role that a condition names is a class of its own, and others need not be', async () => {
  const { module } = policyOf('"admin" in P.roles', 'V.seen in P.roles');
  const role: Formula = { kind: 'role', role: 'admin' };
  const ask = async (formula: Formula): Promise<string> =>
    (await prover.prove(questionOf(formula), () => false)).answer;
  assert.equal(
    [await ask(and(holdsOf(module, 0), not(role))), await ask(and(not(holdsOf(module, 0)), role))],
    ['no', 'no'],
  );
  assert.equal(
    [await ask(and(holdsOf(module, 1), not(role))), await ask(and(not(holdsOf(module, 1)), role))],
    ['no', '?'],
  );
});

/** A solver that answers with what a function makes of the query and the answer of z3. */
function solverWith(run: (query: string, echo: string) => string | undefined | Promise<string | undefined>): Solver {
  const echoOf = (query: string): string => /^\(echo "(\w+)"\)/.exec(query)?.[1] ?? '';
  return { name: 'test', run: async (query) => run(query, echoOf(query)), close: async () => undefined };
}

/** A prover whose queries have a mistake. */
function mistaken(mistake: (query: string) => string): Prover {
  return makeProver(
    solverWith((query) => {
      assert.is.not(mistake(query), query, 'the mistake is not in the query');
      return solver.run(mistake(query));
    }),
    { effort: 3 },
  );
}

test('derived roles that are listed by name alone, and not by content, would be a wrong proof', async () => {
  const { module } = policyOf('size(runtime.effectiveDerivedRoles) == 1', 'true');
  const listed = (isActive: Formula): Formula => holdsOf(module, 0, { derivedRoles: [{ name: 'owner', isActive }] });
  const role: Formula = { kind: 'role', role: 'user' };
  const question = questionOf(and(listed(role), not(listed(not(role)))));
  const byName = mistaken((query) => query.replace(/\((\|derived roles [^|]*\|) [^()]*\)/g, '($1 true)'));
  assert.is((await prover.prove(question, () => true)).answer, 'yes');
  assert.is((await byName.prove(question, () => true)).answer, 'no');
});

test('a class of roles that is taken for one role would be a wrong proof', async () => {
  const { module } = policyOf('true', 'V.seen in P.roles');
  const question = questionOf(and(not(holdsOf(module, 1)), { kind: 'role', role: 'admin' }));
  const alone = mistaken((query) => query.replace('(assert (=> (hasRole "admin")', '(assert (= (hasRole "admin")'));
  assert.is((await prover.prove(question, () => false)).answer, '?');
  assert.is((await alone.prove(question, () => false)).answer, 'no');
});

const TROUBLE: { readonly [name: string]: Solver } = {
  'an error beside an answer': solverWith((_, echo) => `${echo}\n(error "line 1: what")\nunsat\n${echo}\n`),
  'an error after an answer': solverWith((_, echo) => `${echo}\nunsat\n(error "line 1: what")\n${echo}\n`),
  'no output': solverWith(() => ''),
  'an end': solverWith(() => undefined),
  'an answer without the hash of the query': solverWith(() => 'unsat\n'),
  'the hash of another query': solverWith(() => `${'0'.repeat(64)}\nunsat\n${'0'.repeat(64)}\n`),
  'another hash at the end': solverWith((_, echo) => `${echo}\nunsat\n${'0'.repeat(64)}\n`),
  'two answers': solverWith((_, echo) => `${echo}\nunsat\nunsat\n${echo}\n`),
  garbage: solverWith((_, echo) => `${echo}\nunsat)\n"${echo}\n`),
  'nesting without end': solverWith((_, echo) => `${echo}\nunsat\n${'('.repeat(100_000)}\n${echo}\n`),
  unknown: solverWith((_, echo) => `${echo}\nunknown\n${echo}\n`),
  'something unsupported': solverWith((_, echo) => `unsupported\n${echo}\nunsat\n${echo}\n`),
  'a model that is none': solverWith((query, echo) =>
    query.includes('(get-value') ? `${echo}\nsat\n((x y))\n${echo}\n` : `${echo}\nsat\n${echo}\n`,
  ),
  'a solver that is not there': solverCommand('/no/such/solver'),
  'a solver that ends with an error': solverCommand('false'),
  'a solver that does not end': solverCommand('sleep 60', 50),
  'z3 that takes too long': z3(1),
};

for (const [name, own] of Object.entries(TROUBLE))
  test(`${name} leaves a question open`, async () => {
    const answer = await implication('R.attr.x == "a"', 'has(R.attr.x)', makeProver(own, { effort: 3 }));
    assert.is(answer.answer, '?');
    await own.close();
  });

test('a model that the policies do not confirm leaves a question open', async () => {
  const { module } = policyOf('has(R.attr.x)', 'true');
  const answer = await prover.prove(questionOf(holdsOf(module, 0)), () => false);
  assert.equal(answer, { answer: '?', reason: 'does not replay', uninterpreted: [] });
});

test('an error of z3 ends its process, and not this one', async () => {
  const own = z3();
  for (const query of ['(assert (= 1 "a"))(check-sat)', '(echo "a")(foo'])
    assert.match((await own.run(query)) ?? '', /\(error/);
  assert.is(await own.run('(check-sat)'), 'sat\n');
  await own.close();
});

test('many queries at a time are answered one by one', async () => {
  const queries = Array.from({ length: 20 }, (_, at) => `(echo "${at}")`);
  const outputs = await Promise.all(queries.map((query) => solver.run(query)));
  assert.equal(
    outputs,
    queries.map((_, at) => `${at}\n`),
  );
});

test('another version of z3-solver is refused with the one to install', () => {
  const folder = mkdtempSync(join(tmpdir(), 'z3-solver-'));
  try {
    mkdirSync(join(folder, 'build'));
    const refusal = (version: string): string => {
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
      try {
        startZ3(folder);
      } catch (error) {
        return (error as Error).message;
      }
      return 'started';
    };
    assert.is(refusal('4.16.0'), 'z3-solver 4.x is not known to work: install 5.2.0');
    assert.is(refusal('5.1.0'), 'z3-solver 5.1.x is not known to work: install 5.2.0');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('writes each query by its hash, and asks equal ones once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'queries-'));
  try {
    let asked = 0;
    const counting = solverWith((query) => {
      asked += 1;
      return solver.run(query);
    });
    const own = makeProver(counting, { effort: 3, queries: folder });
    for (let time = 0; time < 2; time += 1)
      assert.is((await implication('R.attr.x == "a"', 'has(R.attr.x)', own)).answer, 'no');
    assert.is(asked, 1);
    const [file = ''] = readdirSync(folder);
    const query = readFileSync(join(folder, file), 'utf8');
    assert.match(query, new RegExp(`^\\(echo "${file.replace('.smt2', '')}"\\)`));
    assert.match((await solver.run(query)) ?? '', /\nunsat\n/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('queries of z3 are in a scope of their own, and those of another program have standard commands only', async () => {
  const texts: string[] = [];
  const recording = solverWith((query) => {
    texts.push(query);
    return solver.run(query);
  });
  for (const prologue of [solver.prologue, undefined]) {
    const own = makeProver({ ...recording, ...(prologue !== undefined && { prologue }) }, { effort: 3 });
    assert.is((await implication('R.attr.n > 5.5', 'R.attr.n > 5.0', own)).answer, 'no');
  }
  const withoutEcho = texts.map((text) => text.replace(/\(echo "\w+"\)\n/g, ''));
  assert.match(withoutEcho[0] as string, /^\(set-option :rlimit 4000000\)\n\(push 1\)\n\(declare-sort /);
  assert.is(withoutEcho[1], (withoutEcho[0] as string).replace('(push 1)\n', ''));
});

test('equal questions are equal queries', async () => {
  const texts: string[] = [];
  const recording = solverWith((query) => {
    texts.push(query);
    return solver.run(query);
  });
  for (let time = 0; time < 2; time += 1)
    await implication('R.attr.l.exists(t, t.k == "x")', 'R.attr.x', makeProver(recording, { effort: 3 }));
  assert.equal(texts.slice(texts.length / 2), texts.slice(0, texts.length / 2));
});

test('a principal with policies has its id, whatever characters it has', async () => {
  const { module } = policyOf('P.id == "bob"', 'P.id == "a-b_c:d@example.com"');
  const principal = { id: 'a-b_c:d@example.com', scope: '', isNamedScope: true, version: undefined };
  const answers = [0, 1].map((index) => prover.prove(questionOf(holdsOf(module, index), principal), () => true));
  assert.equal(
    (await Promise.all(answers)).map(({ answer }) => answer),
    ['no', 'yes'],
  );
});

test.run();
