/*
 * Policies whose conditions read requests in every way that a read set has to know, and requests for them: computed
 * names, sides as a whole, presence, sizes, macros over lists and maps, optionals, aliases, variables that fail, listed
 * derived roles, tokens.
 */
import type { Document, Match, ResourceRule } from '../oracle/documents.js';
import type { Random } from '../oracle/random.js';

/** The actions of these policies; the last one is named by none. */
export const ACTIONS = ['view', 'edit', 'edit:title', 'delete'];
export const ROLES = ['reader', 'writer', 'stranger'];
const NAMES = ['flag', 'name', 'count', 'tags', 'people', 'labels', 'deep'];
const KEYS = ['name', 'x', 'y', 'other'];

/** Attributes, or claims, of which any may be missing or of another type; maps come in any order. */
export function readAttributes(random: Random): { readonly [name: string]: unknown } {
  const usual: { readonly [name: string]: () => unknown } = {
    flag: () => random.chance(0.5),
    name: () => random.pick(KEYS),
    count: () => random.pick([0, -0, 1, 2, 1.5]),
    tags: () => random.times(0, 3, () => random.pick([...KEYS, 1, null])),
    people: () => random.times(0, 3, () => (random.chance(0.8) ? person(random) : scalar(random))),
    labels: () =>
      shuffled(
        random,
        random.some(KEYS, 0, 4).map((key) => [key, random.chance(0.7) ? scalar(random) : person(random)]),
      ),
    deep: () => ({
      ...(random.chance(0.8) && { inner: random.pick([person(random), scalar(random), { name: null }]) }),
      rest: random.below(3),
    }),
  };
  const entries = Object.entries(usual).flatMap(([name, make]): (readonly [string, unknown])[] =>
    random.chance(0.2) ? [] : [[name, random.chance(0.8) ? make() : anything(random)]],
  );
  return shuffled(random, entries);
}

function person(random: Random): object {
  return shuffled(random, [
    ['name', random.pick(KEYS)],
    ['count', random.below(3)],
    ...(random.chance(0.3) ? [['flag', random.chance(0.5)] as const] : []),
  ]);
}

/** Another value of any type. */
export function anything(random: Random): unknown {
  return random.pick([
    () => scalar(random),
    () => person(random),
    () => [scalar(random), person(random)],
    () => [],
    () => ({}),
  ])();
}

function scalar(random: Random): unknown {
  return random.pick([...KEYS, 0, 1, 2, true, false, null]);
}

function shuffled(
  random: Random,
  entries: readonly (readonly [string, unknown])[],
): { readonly [name: string]: unknown } {
  return Object.fromEntries(random.chance(0.5) ? [...entries].reverse() : entries);
}

interface Surroundings {
  readonly hasVariables: boolean;
  readonly hasRuntime: boolean;
}

class Writer {
  constructor(
    private readonly random: Random,
    private readonly names: Surroundings,
  ) {}

  match(depth = 2): Match {
    if (depth === 0 || this.random.chance(0.6)) return { expr: this.expression(2) };
    const of = this.random.times(1, 3, () => this.match(depth - 1));
    return this.random.pick([{ all: { of } }, { any: { of } }, { none: { of } }] satisfies Match[]);
  }

  expression(depth: number): string {
    if (depth === 0 || this.random.chance(0.4)) return this.leaf();
    const inner = (): string => `(${this.expression(depth - 1)})`;
    return this.random.pick([
      () => `!${inner()}`,
      () => `${inner()} && ${inner()}`,
      () => `${inner()} || ${inner()}`,
      () => `(${inner()} ? ${inner()} : ${inner()})`,
    ])();
  }

  /** A value of any type. */
  value(): string {
    return this.random.pick([
      () => this.attribute(),
      () => this.attribute(),
      () => this.constant(),
      () => 'P.id',
      () => 'R.id',
    ])();
  }

  private side(): string {
    return this.random.pick([
      'R.attr',
      'R.attr',
      'R.attr',
      'P.attr',
      'P.attr',
      'request.auxData.jwt',
      'request.resource.attr',
    ]);
  }

  private attribute(): string {
    return `${this.side()}.${this.random.pick(NAMES)}`;
  }

  private list(): string {
    return `${this.side()}.${this.random.pick(['tags', 'people', 'people', 'labels', 'deep'])}`;
  }

  private constant(): string {
    return this.random.pick(['"name"', '"x"', '0', '1', '-0.0', 'true', 'null', '["x"]', '{"name": "x"}', '[]', '{}']);
  }

  private leaf(): string {
    const { random, names } = this;
    const [a, b, c] = [this.attribute(), this.value(), this.constant()];
    const [side, list] = [this.side(), this.list()];
    const quantifier = random.pick(['exists', 'all', 'exists_one']);
    const leaves = [
      `${a} ${random.pick(['==', '!=', '<', '>='])} ${b}`,
      `${a} in ${random.pick([list, side, '["x", 1]'])}`,
      `"${random.pick(KEYS)}" in ${random.pick([side, list])}`,
      `has(${a})`,
      `has(${side}.deep.inner.name)`,
      `has(${random.pick(['R.attr', 'P.attr', 'request.auxData.jwt', 'request.auxData', 'request.auxData.jwts', 'P.id', 'P.scope'])})`,
      a,
      `${side}.deep.inner.name == ${b}`,
      `${side}[${a}] == ${b}`,
      `${side}["${random.pick(NAMES)}"] == ${b}`,
      `${side}[${a}].name == ${b}`,
      `${list}[0] == ${c}`,
      `${list}[0].name == ${b}`,
      `${list}[${a}] == ${b}`,
      `${side}.labels["${random.pick(KEYS)}"] == ${b}`,
      `${side} ${random.pick(['==', '!='])} ${random.pick([this.side(), '{"name": "x"}', '{}'])}`,
      `size(${random.pick([side, list, a])}) ${random.pick(['==', '>'])} ${random.below(4)}`,
      `${side}.name.size() > 1`,
      `${list}.${quantifier}(e, e.name == ${b})`,
      `${list}.${quantifier}(e, e == ${b})`,
      `${list}.${quantifier}(e, has(e.flag) || ${a})`,
      `${list}.${random.pick(['exists', 'all'])}(i, e, e.name == ${b} && i != "y")`,
      `${list}.${random.pick(['exists', 'all'])}(i, e, i == ${random.pick(['0', '"x"', a])})`,
      `${side}.${quantifier}(k, k == "${random.pick(NAMES)}")`,
      `${list}.map(e, e.name)${random.pick(['[0] == "x"', '.exists(n, n == "x")', ' == ["x"]'])}`,
      `${list}.map(e, e)[0]${random.pick(['', '.name'])} == ${b}`,
      `${list}.map(e, has(e.flag), e.name) == ["x"]`,
      `${list}.filter(e, e.name == "x")${random.pick(['.size() > 0', '[0].count == 1', ' == []'])}`,
      `${list}.transformList(i, e, i)[0] == ${b}`,
      `${list}.transformMap(i, e, e.name) == {"x": "x"}`,
      `${list}.sortBy(e, e.count)[0].name == "x"`,
      `cel.bind(t, ${a}, t == ${b} || t == ${c})`,
      `cel.bind(t, ${side}.deep, t.inner.name == ${b})`,
      `cel.bind(t, ${random.pick(['P', 'request.principal'])}, t == P && ${a})`,
      `cel.bind(t, ${random.pick(['P', 'R'])}, t.attr.name == ${b})`,
      `${side}.?name.orValue("x") == ${b}`,
      `${side}.deep.?inner.name.hasValue()`,
      `${side}[?"labels"].optMap(l, l.x == ${b}).orValue(${a})`,
      `optional.of(${a}).value() == ${c}`,
      `(${a} ? ${side}.deep : ${side}.labels).name == ${b}`,
      `(${a} ? ${a} : ${this.attribute()}) == ${b}`,
      `[${a}, ${b}].exists(e, e == "x")`,
      `{"k": ${a}}.k == ${b}`,
      `{${a}: 1} == {"x": 1}`,
      `string(${a}) == "x"`,
      `type(${a}) == type(${b})`,
      `1.0 / ${a} < 0.0`,
      `request == request && ${a}`,
      `${random.pick(['P == request.principal', 'R == request.resource', '[R] == [request.resource]'])} && ${a}`,
      `${random.pick(['P.id', 'R.id', 'R.kind', 'P.scope'])} == ${this.attribute()}`,
      `P.id in ${list}`,
      `"${random.pick(ROLES)}" in P.roles`,
      `request.auxData.jwts["main"].claims.name == ${b}`,
      `has(request.auxData.jwts.main.claims)`,
      `"main" in request.auxData.jwts`,
      `now() > timestamp("1960-01-01T00:00:00Z") && ${a}`,
      ...(names.hasVariables
        ? [
            'V.first == null',
            `V.first == ${b}`,
            'V.second',
            'has(V.first)',
            'has(V.second)',
            `V.deep.inner.name == ${b}`,
            'V.deep.inner.flag',
            `V.first.name == ${b}`,
            `V == V || ${a}`,
          ]
        : []),
      ...(names.hasRuntime
        ? [
            '"owner" in runtime.effectiveDerivedRoles',
            'size(runtime.effectiveDerivedRoles) == 1',
            `has(runtime.effectiveDerivedRoles) && ${a}`,
          ]
        : []),
    ];
    return random.pick(leaves);
  }
}

/** A store of such policies for the kind `note`, some with policies of a principal, of scopes and of roles. */
export function readHazards(random: Random): readonly Document[] {
  const plain = new Writer(random, { hasVariables: false, hasRuntime: false });
  const variables = {
    local: {
      first: random.chance(0.5) ? plain.value() : plain.expression(1),
      second: plain.expression(1),
      deep: 'R.attr.deep',
    },
  };
  const inRoles = new Writer(random, { hasVariables: true, hasRuntime: false });
  const writer = new Writer(random, { hasVariables: true, hasRuntime: true });
  const condition = (by: Writer, chance: number): { readonly condition?: { readonly match: Match } } =>
    random.chance(chance) ? { condition: { match: by.match() } } : {};
  const output = (): Pick<ResourceRule, 'output'> =>
    random.chance(0.3)
      ? {
          output: {
            when: {
              [random.pick(['ruleActivated', 'conditionNotMet'])]: random.pick([
                writer.value(),
                writer.expression(1),
                '"said"',
                'R.attr.deep',
                '{"x": P.attr.name, "y": V.first}',
              ]),
            },
          },
        }
      : {};
  const effect = (chance: number): string => (random.chance(chance) ? 'EFFECT_ALLOW' : 'EFFECT_DENY');
  const rules = (): readonly ResourceRule[] =>
    random.times(1, 4, (index) => ({
      actions: random.some(['view', 'edit', 'edit:*', '*'], 1, 2),
      effect: index === 0 ? 'EFFECT_ALLOW' : effect(0.6),
      ...(random.chance(0.3)
        ? { derivedRoles: [random.pick(['owner', 'member'])] }
        : { roles: random.pick([['reader'], ['writer'], ['*'], ['reader', 'writer']]) }),
      ...condition(writer, 0.9),
      ...output(),
    }));
  const scopes = random.chance(0.2) ? ['', 'acme'] : [''];
  const documents: Document[] = [
    {
      derivedRoles: {
        name: 'roles',
        ...{ variables },
        definitions: [
          { name: 'owner', parentRoles: ['reader'], condition: { match: inRoles.match(1) } },
          {
            name: 'member',
            parentRoles: ['*'],
            condition: { match: random.chance(0.3) ? { expr: 'V.first == null' } : inRoles.match(1) },
          },
        ],
      },
    },
    ...scopes.map((scope) => ({
      resourcePolicy: {
        resource: 'note',
        version: 'default',
        scope,
        importDerivedRoles: ['roles'],
        variables,
        rules: rules(),
      },
    })),
  ];
  if (random.chance(0.2))
    documents.push({
      principalPolicy: {
        principal: 'u1',
        version: 'default',
        variables,
        rules: [
          {
            resource: random.pick(['note', '*']),
            actions: [
              { action: random.pick(['view', '*']), effect: effect(0.5), ...condition(writer, 0.9), ...output() },
            ],
          },
        ],
      },
    });
  if (random.chance(0.15))
    documents.push({
      rolePolicy: {
        role: 'stranger',
        version: 'default',
        variables,
        parentRoles: ['reader'],
        rules: [{ resource: 'note', allowActions: ['view', 'edit'], ...condition(writer, 0.7), ...output() }],
      },
    });
  return documents.map((document) => ({ apiVersion: 'api.authz.dev/v1', ...document }));
}
