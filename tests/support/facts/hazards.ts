import type { Document, Match } from '../oracle/documents.js';
import type { Random } from '../oracle/random.js';

type Json = { readonly [name: string]: unknown };

/** The last one is written as an index. */
const NAMES = ['a', 'b', 'c', 'k', 'list', 'map', 'a.b'];

const FIELDS = NAMES.slice(0, -1);

/** The kind of the resources of `hazards`. */
export const HAZARD_KIND = 'doc';
export const HAZARD_ACTIONS: readonly string[] = ['view', 'edit', 'print'];
export const HAZARD_ROLES: readonly string[] = ['r1', 'r2', 'r3'];

/** Attributes of such policies: some missing, some of another type than conditions want. */
export function hazardAttributes(random: Random): Json {
  return Object.fromEntries(
    NAMES.filter(() => random.chance(0.75)).map((name) => [name, attribute(name, random)] as const),
  );
}

function attribute(name: string, random: Random): unknown {
  if (name === 'list' && random.chance(0.8))
    return random.times(0, 3, () =>
      random.chance(0.5) ? scalar(random) : { a: scalar(random), b: random.chance(0.2) ? null : scalar(random) },
    );
  if (name === 'map' && random.chance(0.8)) {
    const keys = random.some(['a', 'b', 'c'], 0, 3);
    // Conditions over maps see the order of their keys.
    const ordered = random.chance(0.5) ? keys : [...keys].reverse();
    return Object.fromEntries(ordered.map((key) => [key, random.chance(0.7) ? scalar(random) : { a: scalar(random) }]));
  }
  return scalar(random);
}

function scalar(random: Random): unknown {
  return random.pick(['a', 'b', 'c', 'x', 1, 2, true, false, null]);
}

/**
 * Policies whose conditions are hard to evaluate in part: dynamic indexes, whole objects, `has`, optionals, macros over
 * lists and maps, bindings, variables that fail, listed derived roles, and claims.
 */
export function hazards(random: Random): readonly Document[] {
  const make = new Conditions(random);
  const variables = { local: { v1: make.variable(), v2: make.apart(1), v3: `R.attr.?${random.pick(FIELDS)}` } };
  const rule = (index: number): Json => ({
    actions: [random.pick(['view', 'edit', '*'])],
    effect: index === 0 || random.chance(0.6) ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
    ...(random.chance(0.3)
      ? { derivedRoles: [random.pick(['d1', 'd2'])] }
      : { roles: random.pick([['r1'], ['r2'], ['*'], ['r1', 'r2']]) }),
    ...(random.chance(0.9) ? { condition: { match: make.match(2) } } : {}),
  });
  const definition = (name: string, parentRoles: readonly string[], expr: string): Json => ({
    name,
    parentRoles,
    condition: { match: { expr } },
  });
  return [
    {
      derivedRoles: {
        name: 'dr',
        variables,
        definitions: [
          definition('d1', ['r1'], random.chance(0.4) ? 'has(V.v1)' : make.apart(2)),
          definition('d2', ['*'], random.chance(0.5) ? 'V.v1 == null' : make.apart(1)),
        ],
      },
    },
    {
      resourcePolicy: {
        resource: HAZARD_KIND,
        version: 'default',
        importDerivedRoles: ['dr'],
        variables,
        rules: [
          { actions: ['print'], effect: 'EFFECT_ALLOW', derivedRoles: ['d1', 'd2'] },
          ...random.times(1, 4, rule),
        ],
      },
    },
  ] as unknown as readonly Document[];
}

class Conditions {
  constructor(private readonly random: Random) {}

  match(depth: number): Match {
    const { random } = this;
    if (depth === 0 || random.chance(0.6)) return { expr: this.expression(2) };
    const of = random.times(1, 3, () => this.match(depth - 1));
    return random.pick<Match>([{ all: { of } }, { any: { of } }, { none: { of } }]);
  }

  /** The definition of a variable. */
  variable(): string {
    return this.random.chance(0.5) ? this.attribute() : this.apart(1);
  }

  /** An expression without variables and derived roles. */
  apart(depth: number): string {
    let text = this.expression(depth);
    while (/\bV\.|runtime/.test(text)) text = this.expression(depth);
    return text;
  }

  expression(depth: number): string {
    const { random } = this;
    if (depth === 0 || random.chance(0.45)) return random.chance(0.25) ? this.hazard() : this.leaf();
    const inner = (): string => `(${this.expression(depth - 1)})`;
    return random.pick([
      () => `!${inner()}`,
      () => `${inner()} && ${inner()}`,
      () => `${inner()} || ${inner()}`,
      () => `(${inner()} ? ${inner()} : ${inner()})`,
    ])();
  }

  private side(): string {
    return this.random.pick(['R.attr', 'R.attr', 'R.attr', 'P.attr', 'P.attr', 'request.auxData.jwt']);
  }

  private attribute(): string {
    const name = this.random.pick(NAMES);
    return name === 'a.b' ? `${this.side()}["a.b"]` : `${this.side()}.${name}`;
  }

  private constant(): string {
    return this.random.pick(['"a"', '"b"', '"x"', '1', '2', 'true', 'null', '["a", 1]', '{"a": 1}']);
  }

  /** An attribute or a constant. */
  private operand(): string {
    return this.random.chance(0.5) ? this.attribute() : this.constant();
  }

  /** What evaluators in part are most likely to do wrong. */
  private hazard(): string {
    return this.random.pick([
      '"d2" in runtime.effectiveDerivedRoles',
      '"d1" in runtime.effectiveDerivedRoles',
      'size(runtime.effectiveDerivedRoles) == 1',
      'has(V.v1)',
      '!has(V.v1)',
      'V.v1 == null',
      'V.v3 == "a"',
      'V.v3',
      'has(V.v3)',
      'R.attr[R.attr.k] == R.attr.a',
      'R.attr[P.attr.k] == "a"',
      '(R.attr.a ? true : true)',
      '(R.attr.b == "a" ? false : true)',
    ]);
  }

  private leaf(): string {
    const { random } = this;
    const side = this.side();
    const pick = (...items: readonly string[]): string => random.pick(items);
    return random.pick([
      () => `${this.attribute()} == ${this.operand()}`,
      () => `${this.attribute()} != ${this.operand()}`,
      () => `${this.attribute()} < ${this.operand()}`,
      () => this.attribute(),
      () => `has(${side}.${random.pick(FIELDS)})`,
      () => `has(${side}.map.a)`,
      () => `${side}[${this.attribute()}] == ${this.constant()}`,
      () => `${side}.map[${this.attribute()}] == ${this.constant()}`,
      () => `${side}["${random.pick(NAMES)}"] == ${this.constant()}`,
      () => `${side} == {"a": 1}`,
      () => `"${random.pick(NAMES)}" in ${side}`,
      () => `${this.attribute()} in ${side}`,
      () => `${this.attribute()} in ${side}.${pick('list', 'map')}`,
      () => `size(${side}) > ${random.below(4)}`,
      () => `size(${this.attribute()}) > 1`,
      () => `${side}.list.${pick('exists', 'all', 'exists_one')}(e, e.a == ${this.operand()})`,
      () => `${side}.list.${pick('exists', 'all')}(e, e == ${this.operand()})`,
      () => `${side}.map.${pick('exists', 'all')}(k, v, v == ${this.operand()} && k != "c")`,
      () => `${side}.exists(k, k == "${random.pick(NAMES)}")`,
      () => `${side}.list.map(e, e.a)${pick(' == ["a"]', '[0] == "a"', '.exists(x, x == "a")')}`,
      () => `${side}.list.filter(e, has(e.a)).size() > 0`,
      () => `${side}.list.filter(e, e.a == "a")[0].b == ${this.constant()}`,
      () => `["a", "b", "k"].${pick('exists', 'all')}(n, ${side}[n] == ${this.constant()})`,
      () => `["a", "b"].map(n, ${side}[n])[0] == ${this.constant()}`,
      () => `["k", "b"].filter(n, n in ${side}).size() == 1`,
      () => `${side}.map.map(k, k)[0] == "a"`,
      () => `cel.bind(t, ${this.attribute()}, t == ${this.constant()} || ${this.attribute()} == t)`,
      () => `cel.bind(t, ${side}, t.a == ${this.constant()} || has(t.b))`,
      () => `${side}.?${random.pick(FIELDS)}.orValue(${this.operand()}) == ${this.constant()}`,
      () => `${side}.?map.?a.hasValue()`,
      () => `${side}[?${this.attribute()}].hasValue()`,
      () => `(${this.attribute()} ? ${this.attribute()} : ${this.attribute()}) == ${this.constant()}`,
      () => `[${this.attribute()}, ${this.constant()}].exists(e, e == "a")`,
      () => `${this.constant()} in [${this.attribute()}, "a"]`,
      () => pick('request.resource == R', 'P == request.principal', 'P.attr == R.attr'),
      () => 'size(string(P.id)) > 2',
      () => `request.principal.attr.a == ${this.constant()}`,
      () => `P.id == ${this.attribute()}`,
      () => '"r1" in P.roles',
      () => 'now() > timestamp("1960-01-01T00:00:00Z")',
      () => `V.v1 == ${this.constant()}`,
      () => 'V.v2',
      () => '!V.v2',
    ])();
  }
}
