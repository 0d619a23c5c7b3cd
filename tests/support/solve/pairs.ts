import type { Request } from '../../../runtime/policy/index.js';
import type { CelType } from '../../../packages/cel/library/types.js';
import { functions } from '../../../packages/cel/library/functions.js';
import type { Match, Module, Program } from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';
import { compileTexts } from '../compiled.js';
import { OPAQUE } from '../cel/opaque-conditions.js';
import { OPTIONAL } from '../cel/optional-conditions.js';
import { acceptedStore, FAMILIES, type Family } from '../cel/condition-stores.js';
import { randomRequest } from '../cel/differential/random-requests.js';
import { TYPED, typedRow } from '../mutants/conditions.js';
import type { Random } from '../oracle/random.js';

/** A condition, and a request that it is asked about. */
export interface Pair {
  readonly expression: string;
  readonly condition: Match;
  readonly module: Module;
  readonly request: Request;
}

const TYPICAL: Family = {
  condition: (random) => random.pick(TYPED),
  variables: () => ({}),
  constants: {},
  principal: (random) => ({
    teams: random.pick([['a', 'b'], [], ['b']]),
    levels: random.pick([{}, { a: 1, b: 2 }, { ab: 3 }]),
    admin: random.chance(0.5),
  }),
  row: (random) => typedRow((of) => random.pick(of)),
};

/** Families of conditions; calls of all functions among them. */
export const PAIR_FAMILIES: { readonly [name: string]: Family } = {
  ...FAMILIES,
  'with usual types': TYPICAL,
  'of opaque values': OPAQUE,
  'of optionals': OPTIONAL,
  'of all functions': {
    condition: (random) => random.pick(CALLS),
    variables: () => ({}),
    constants: {},
    principal: () => ({}),
    row: functionRow,
  },
  'of sets': {
    condition: (random) => setCondition(random),
    variables: () => ({}),
    constants: {},
    principal: () => ({}),
    row: setRow,
  },
};

/** Lists as attributes, and written down: of equal length, with repetitions, and with numbers that are equal only to some. */
const WRITTEN = [
  '[]',
  '["a"]',
  '["a", "a"]',
  '["a", "b"]',
  '["b", "a", "c"]',
  '["a", R.attr.x]',
  '[1, 1.0, 2]',
  '[0.0, -0.0]',
  '[9007199254740993, 9007199254740992]',
  '[["a"], {"k": 1}]',
];
const GIVEN = ['R.attr.l', 'R.attr.k', 'R.attr.l', 'R.attr.x', 'P.roles', 'runtime.effectiveDerivedRoles'];

/** What a list that a function of sets returns is asked. */
function setCondition(random: Random): string {
  const list = (depth: number): string => {
    const [a, b] = [0, 0].map(() =>
      depth > 0 && random.chance(0.25) ? list(depth - 1) : random.pick(random.chance(0.5) ? WRITTEN : GIVEN),
    );
    const name = random.pick(['intersect', 'except']);
    return random.chance(0.5) ? `${name}(dyn(${a}), dyn(${b}))` : `dyn(${a}).${name}(dyn(${b}))`;
  };
  const [of, other] = [list(1), random.pick([...WRITTEN, ...GIVEN])];
  const element = random.pick([
    '"a"',
    '"b"',
    '1',
    '-0.0',
    '9007199254740993',
    '["a"]',
    'R.attr.x',
    'R.attr.k[0]',
    '"user"',
  ]);
  return random.pick([
    () => `${element} in ${of}`,
    () => `${of}.exists(e, e == ${element})`,
    () => `${of}.all(e, e != ${element} || e == R.attr.x)`,
    () => `${of}.exists_one(e, e == ${element})`,
    () => `${of}.exists(i, e, i == 0 && e == ${element})`,
    () => `${of}.exists(e, type(e) == int || type(e) == string)`,
    () => `size(${of}) ${random.pick(['==', '>', '<', '!='])} ${random.pick(['0', '1', '2'])}`,
    () => `${of} == ${random.pick(['[]', '["a"]', other])}`,
    () => `${of}[0] == ${element}`,
    () => `hasIntersection(${of}, dyn(${other}))`,
    () => `isSubset(dyn(${other}), ${of})`,
    () => `sets.equivalent(${of}, dyn(${other}))`,
    () => `sets.equivalent(dyn(${random.pick([...WRITTEN, ...GIVEN])}), dyn(${other}))`,
    () => `sets.contains(${of}, dyn(${other}))`,
  ])();
}

function setRow(random: Random): { readonly [name: string]: unknown } {
  const list = (): unknown =>
    random.pick([
      [],
      ['a'],
      ['a', 'b'],
      ['b', 'a'],
      ['a', 'a'],
      ['a', 'a', 'b', 'z'],
      [1, 2],
      [1, 1],
      [0, 'a'],
      [9007199254740992],
      [['a'], { k: 1 }],
      [null, 'user', 'owner'],
      random.pick<unknown>([{ a: 1 }, 'a', null, 3]),
    ]);
  const row = { l: list(), k: list(), x: random.pick<unknown>(['a', 'b', 1, 0, null, ['a'], 'user']) };
  return random.chance(0.1) ? { l: row.l } : row;
}

/** Random conditions of a family, each with some random requests. */
export function randomPairs(family: Family, random: Random, conditions: number, requests: number): readonly Pair[] {
  const { compilation, conditions: accepted } = acceptedStore(family, random, conditions);
  const expressions = new Map(accepted);
  return conditionsOf(compilation, random.chance(0.5)).flatMap(({ kind, condition, module }) =>
    Array.from({ length: requests }, () => {
      const base = randomRequest(random);
      // Servers refuse requests of principals without roles.
      const roles = base.principal.roles.length === 0 ? ['guest'] : base.principal.roles;
      const principal = { ...base.principal, roles, attr: json(family.principal(random)) };
      const resource = { ...base.resource, kind, attr: json(family.row(random)) };
      const request = { ...base, principal, resource, auxData: json(base.auxData) };
      return { expression: expressions.get(Number(kind.slice(4))) as string, condition, module, request };
    }),
  );
}

/** One condition with requests that have given attributes. */
export function pairsOf(
  expression: string,
  attributes: readonly { readonly [name: string]: unknown }[],
  random: Random,
): readonly Pair[] {
  const rules = [
    { actions: ['a'], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr: expression } } },
  ];
  const constants = { local: { table: { a: 1, b: 'x' }, words: ['a', 'b'] } };
  const resourcePolicy = { resource: 'kind0', version: 'default', constants, rules };
  const text = JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy });
  const [found] = conditionsOf(compileTexts({ '0.yaml': text }), false);
  if (found === undefined) throw new Error(`refused: ${expression}`);
  return attributes.map((attr) => {
    const base = randomRequest(random);
    return { ...found, expression, request: { ...base, resource: { ...base.resource, attr } } };
  });
}

function conditionsOf(compilation: ReturnType<typeof compileTexts>, optimised: boolean) {
  if (compilation.program === undefined) return [];
  const { modules } = optimised ? compilation.program : fold(compilation.lowered as Program);
  return modules.flatMap((module) => {
    const condition = module.kind === 'resource' ? module.rules.find((rule) => rule.condition)?.condition : undefined;
    return module.kind === 'resource' && condition !== undefined ? [{ kind: module.kindName, condition, module }] : [];
  });
}

/** What proofs are about (docs/spec/analysis.md#domain): no -0, and no half of a surrogate pair. */
function json<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === 'string' ? part.replace(/\p{Surrogate}/gu, '\ufffd') : part,
  ) as T;
}

const OPAQUE_SAMPLES: { readonly [name: string]: string } = {
  'authz.lib.hierarchy': 'hierarchy(R.attr.h)',
  'net.IP': 'ip(R.attr.ip)',
  'net.CIDR': 'cidr(R.attr.cidr)',
  'authz.lib.spiffeID': 'spiffeID(R.attr.id)',
  'authz.lib.spiffeTrustDomain': 'spiffeTrustDomain(R.attr.id)',
  'authz.lib.spiffeMatcher': 'spiffeMatchAny()',
};

/** A call of each overload of each function: whether it can be evaluated, and what it gives. */
const CALLS: readonly string[] = functions.flatMap(({ name, overloads }) =>
  overloads.flatMap(({ form, parameters }) => {
    const [first = '', ...others] = parameters.map(sample);
    const args = form === 'member' ? others : [first, ...others].filter((arg) => arg !== '');
    const call = `${form === 'member' ? `${first}.` : ''}${name}(${args.join(', ')})`;
    return [`dyn(${call}) != 1`, `dyn(${call}) == dyn(R.attr.x)`, `[${call}].exists(e, e == R.attr.x || e == 4)`];
  }),
);

/** An expression of a type. */
function sample(type: CelType): string {
  switch (type.kind) {
    case 'bool':
      return 'R.attr.b';
    case 'int':
      return 'int(R.attr.n)';
    case 'uint':
      return 'uint(R.attr.n)';
    case 'double':
      return 'R.attr.n';
    case 'string':
      return 'R.attr.s';
    case 'bytes':
      return 'bytes(R.attr.s)';
    case 'timestamp':
      return 'timestamp(R.attr.t)';
    case 'duration':
      return 'duration(R.attr.d)';
    case 'list':
      return type.element.kind === 'list'
        ? '[R.attr.l]'
        : type.element.kind === 'optional'
          ? '[R.attr.?s]'
          : 'R.attr.l';
    case 'map':
      return 'R.attr.m';
    case 'optional':
      return 'R.attr.?s';
    case 'opaque':
      return OPAQUE_SAMPLES[type.name] ?? 'R.attr.x';
    case 'null':
    case 'dyn':
    case 'error':
    case 'type':
    case 'message':
    case 'parameter':
      return 'R.attr.x';
  }
}

/** Attributes that functions can be called with, as a rule. */
function functionRow(random: Random): { readonly [name: string]: unknown } {
  const row: { readonly [name: string]: unknown } = {
    b: random.chance(0.5),
    n: random.pick([0, 1, 2, 4, -3, 2.5]),
    s: random.pick(['a', '10.1.2.3', '10.0.0.0/8', 'spiffe://a/b', 'a/b.c', '2h', '']),
    t: random.pick(['2024-05-06T07:08:09Z', '2024-02-29T23:59:59-08:00']),
    d: random.pick(['1h', '-90m']),
    l: random.pick([[], ['a', 'b'], [1, 2], ['a/b', 'c']]),
    m: random.pick([{}, { a: 1 }]),
    x: random.pick<unknown>([1, 4, 'a', null, true, [], ['a', 'b'], '10.1.2.3']),
    h: random.pick(['a.b.c', 'a.b']),
    ip: random.pick(['10.1.2.3', '::1']),
    cidr: random.pick(['10.0.0.0/8', '::/64']),
    id: random.pick(['spiffe://a/b', 'a']),
  };
  return random.chance(0.3) ? Object.fromEntries(Object.entries(row).filter(() => random.chance(0.7))) : row;
}
