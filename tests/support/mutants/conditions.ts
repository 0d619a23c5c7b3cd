/** How a condition stands in a policy: each place turns a wrong answer of the condition another way. */
export const PLACES: { readonly [place: string]: (expr: string, action: string) => readonly object[] } = {
  allow: (expr, action) => [{ ...GRANT, actions: [action], condition: { match: { expr } } }],
  none: (expr, action) => [{ ...GRANT, actions: [action], condition: { match: { none: { of: [{ expr }] } } } }],
  deny: (expr, action) => [{ ...GRANT, actions: [action] }, { ...GRANT, effect: 'EFFECT_DENY', actions: [action], condition: { match: { expr } } }],
};

const GRANT = { effect: 'EFFECT_ALLOW', roles: ['user'] };

/** Conditions as authors write them; `typedRow` makes rows for them. */
export const TYPED: readonly string[] = [
  'R.attr.x == "a"', '!(R.attr.x == "a")', 'R.attr.x != "a"', '!(R.attr.x != "a")', 'R.attr.x == R.attr.y', '!(R.attr.x == R.attr.y)', 'R.attr.x < "b"', 'R.attr.x <= "b"',
  'R.attr.x > "a"', 'R.attr.x >= "b"', '!(R.attr.x < "b")', 'R.attr.n < 2.0', 'R.attr.n <= 2.0', 'R.attr.n > 2.0', 'R.attr.n >= 2.0', '2.0 < R.attr.n', 'R.attr.flag', '!R.attr.flag',
  'R.attr.flag && R.attr.x == "a"', 'R.attr.flag || R.attr.x == "a"', '!(R.attr.flag && R.attr.x == "a")', '!(R.attr.flag || R.attr.x == "a")', 'R.attr.flag || R.attr.n > 1.0 && R.attr.x == "b"',
  'has(R.attr.x)', '!has(R.attr.x)', 'has(R.attr.x) && R.attr.x == "a"', '!has(R.attr.x) || R.attr.x == "a"', 'has(R.attr.map.a)', '!has(R.attr.map.a)', 'R.attr.map.a == "a"', '!(R.attr.map.a == "a")',
  'R.attr.flag ? R.attr.x == "a" : R.attr.y == "a"', '!(R.attr.flag ? R.attr.x == "a" : R.attr.y == "a")', 'R.attr.flag ? R.attr.x == "a" && R.attr.n > 1.0 : R.attr.y == "a"', 'R.attr.list.exists(t, t == "x" && R.attr.flag)', 'R.attr.x in ["a", "b"]', '!(R.attr.x in ["a", "b"])', 'R.attr.x in []', '!(R.attr.x in [])',
  '"x" in R.attr.list', '!("x" in R.attr.list)', 'R.attr.list.exists(t, t == "x")', 'R.attr.list.all(t, t == "x")', '!R.attr.list.exists(t, t == "x")', 'R.attr.x in P.attr.teams', '!(R.attr.x in P.attr.teams)',
  'P.attr.teams.exists(t, t == R.attr.x)', 'P.attr.teams.all(t, t != R.attr.x)', '!P.attr.teams.exists(t, t == R.attr.x)', 'P.id == R.attr.owner', 'P.attr.levels[R.attr.x] > 1.0', 'P.attr.levels[R.attr.x] < 2.0',
  'R.attr.x == P.attr.nope || R.attr.flag', 'R.attr.x == P.attr.nope && R.attr.flag', '!(R.attr.x == P.attr.nope && R.attr.flag)', 'R.attr.x.startsWith("a")', '!R.attr.x.startsWith("a")', 'R.attr.x + "b" == "ab"',
  'timestamp(R.attr.t) < now()', 'timestamp(R.attr.t) > now()', 'timeSince(timestamp(R.attr.t)) < duration("1h")', 'timeSince(timestamp(R.attr.t)) > duration("1h")', 'R.attr.?x.orValue("a") == "a"', 'R.attr.?x.hasValue()',
  'cel.bind(t, R.attr.x, t == "a" || t == "b")', 'R.id == "r"', 'R.kind == "other" || R.attr.flag', '"user" in P.roles && R.attr.flag', 'R.attr.x == "a" && R.attr.x == "b"', 'R.attr.n - 1.0 > 1.0', 'R.attr.n * 2.0 == 4.0',
  'R.attr.list.exists(t, t == "x" || P.attr.admin == true)', 'R.attr.list.all(t, t == "x" && P.attr.admin == true)', '!R.attr.list.all(t, t == "x" || P.attr.admin == true)',
  '!R.attr.list.all(t, t == "x" && P.attr.admin == true)',
  'R.attr.y == (P.attr.no || R.attr.x)', 'R.attr.y != (P.attr.no || R.attr.flag)', 'R.attr.y in [P.attr.no || R.attr.x]', 'R.attr.y == ["a"].exists(i, R.attr.x)', 'R.attr.y == !(!R.attr.x)',
  'R.attr.y != (R.attr.x in P.attr.none)', '(R.attr.flag ? 1.0 : 2.0) < R.attr.n', '(R.attr.flag ? "a" : R.attr.y) == R.attr.x', '{"p": R.attr.n, "q": !(R.attr.x)}.p > 1.0',
  'duration(R.attr.d) > duration("90000000.000000001s")', 'duration(R.attr.d) < duration("2562047h47m16.854775807s")',
];

/** Rows of which each attribute is missing or has the type that those conditions want. */
export function typedRow(pick: <T>(of: readonly T[]) => T): { readonly [name: string]: unknown } {
  const row: { readonly [name: string]: unknown } = {
    x: pick([undefined, 'a', 'b', 'ab', 'c']),
    y: pick([undefined, 'a', 'b']),
    n: pick([undefined, 1, 2, 3]),
    flag: pick([undefined, true, false]),
    owner: pick([undefined, 'u1', 'u2']),
    list: pick([undefined, [], ['x'], ['x', 'y'], ['y']]),
    map: pick([undefined, {}, { a: 'a' }, { a: 'b' }]),
    d: pick([undefined, '90000000s', '90000000.000000001s', '90000000.000000002s', '2562047h47m16.854775807s']),
    t: pick([undefined, '2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z', '2025-01-01T11:30:00Z', '2025-01-01T10:30:00Z']),
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}
