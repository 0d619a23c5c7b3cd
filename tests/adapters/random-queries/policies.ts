/** Random policies about documents, most of which databases can answer. */
import type { Random } from '../../support/oracle/random.js';
import { KEYS, SCALARS, STATES, TEXTS, TIMES, USERS } from './tables.js';

/** The principal of all requests. */
export const PRINCIPAL = {
  id: 'u1',
  roles: ['user'],
  attr: {
    status: 'open',
    names: ['u1', 'x', 'é', "' OR 1=1 --", ''],
    mixed: ['u1', 1, true, null],
    limit: 2.5,
    none: [],
    key: KEYS[0] as string,
    empty: '',
    half: '\ud800',
    places: { u1: 'lead', x: 'other' },
  },
};

/** The rules of an action: a first one that allows, and others that allow or deny. */
export function randomRules(random: Random, action: string, hasJson: boolean): readonly object[] {
  const atoms = new Atoms(random, hasJson);
  return random.times(1, 4, (index) => ({
    actions: [action],
    roles: [random.pick(['user', '*', 'user', 'admin'])],
    effect: index === 0 || random.chance(0.5) ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
    ...(random.chance(index === 0 && random.chance(0.5) ? 0.6 : 0.95) && { condition: { match: atoms.match(2) } }),
  }));
}

class Atoms {
  constructor(
    private readonly random: Random,
    private readonly hasJson: boolean,
  ) {}

  match(depth: number): object {
    const { random } = this;
    if (depth === 0 || random.chance(0.6)) return { expr: this.condition(2) };
    const of = random.times(1, 3, () => this.match(depth - 1));
    return random.pick([{ all: { of } }, { any: { of } }, { none: { of } }]);
  }

  private condition(depth: number): string {
    if (depth === 0 || this.random.chance(0.4)) return this.atom();
    const inner = (): string => `(${this.condition(depth - 1)})`;
    return this.random.pick([
      () => `!${inner()}`,
      () => `${inner()} && ${inner()}`,
      () => `${inner()} || ${inner()}`,
      () => `(${inner()} ? ${inner()} : ${inner()})`,
    ])();
  }

  private atom(): string {
    const { random } = this;
    return random.pick([
      () => this.textTest(random.pick(['R.attr.owner', 'R.attr.status', 'R.attr.title', 'R.attr.nick', 'R.id'])),
      () => this.textTest(random.pick(['R.attr.owner', 'R.attr.status', 'R.attr.title', 'R.attr.nick'])),
      () => this.textTest(random.pick(['R.attr.folder.name', 'R.attr.folder.owner'])),
      () => this.numberTest(random.pick(['R.attr.n', 'R.attr.m', 'R.attr.price'])),
      () => this.numberTest(random.pick(['R.attr.n', 'R.attr.m', 'R.attr.price'])),
      () => this.flagTest(random.pick(['R.attr.flag', 'R.attr.maybe', 'R.attr.folder.flag'])),
      () => this.timeTest(random.pick(['R.attr.at', 'R.attr.until'])),
      () => `R.attr.keyId ${random.pick(['==', '!='])} ${random.pick([...KEYS.map(quoted), 'P.attr.key', '"x"'])}`,
      () =>
        `R.attr.big ${random.pick(['==', '!='])} ${random.pick(['"1"', '"10"', '"01"', '"9223372036854775807"', '1'])}`,
      () => `R.attr.big in ["1", "0", "x", "-1"]`,
      () =>
        `has(R.attr.${random.pick(['owner', 'status', 'n', 'm', 'folder', 'folder.name', 'at', 'until', 'keyId', 'big'])})`,
      () =>
        `R.attr.${random.pick(['owner', 'status', 'folder.owner', 'm', 'until', 'maybe'])} ${random.pick(['==', '!='])} null`,
      () => `R.attr.?${random.pick(['owner', 'status', 'nick'])}.orValue("u1") == P.id`,
      () => `R.attr.?flag.orValue(${random.pick(['true', 'false'])})`,
      () =>
        `R.attr.owner ${random.pick(['==', '!=', '<'])} R.attr.${random.pick(['title', 'nick', 'status', 'folder.owner'])}`,
      () => `R.attr.n ${this.order()} R.attr.${random.pick(['m', 'price'])}`,
      () => `timestamp(R.attr.at) ${this.order()} timestamp(R.attr.until)`,
      () => this.shares(),
      () => this.shares(),
      () => this.shares(),
      () => (this.hasJson ? this.document() : this.shares()),
      () => (this.hasJson ? this.document() : this.shares()),
    ])();
  }

  private textTest(text: string): string {
    const { random } = this;
    const constant = (): string =>
      random.pick([
        quoted(random.pick(TEXTS)),
        quoted(random.pick([...USERS, ...STATES])),
        'P.id',
        'P.attr.status',
        'P.attr.empty',
      ]);
    return random.pick([
      () => `${text} ${random.pick(['==', '!='])} ${constant()}`,
      () => `${constant()} == ${text}`,
      () => `${text} ${this.order()} ${constant()}`,
      () =>
        `${text} in ${random.pick(['P.attr.names', 'P.attr.mixed', 'P.attr.none', '["u1", "open", null]', `["x", ${constant()}]`, 'P.attr.places'])}`,
      () => `!(${text} in ${random.pick(['P.attr.names', 'P.attr.mixed', '["u1", "x"]'])})`,
      () => `${text}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${constant()})`,
      () => `${constant()}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${text})`,
      () => `size(${text}) ${this.order()} ${random.below(4)}`,
      () => `${text}.lowerAscii() ${random.pick(['==', '!='])} ${constant()}`,
      () => `${text} + "x" == ${constant()}`,
      () => `${text}.substring(0, 1) == ${constant()}`,
      () => `${text}.matches("^(x|open)$")`,
      () => `${text} != P.attr.half`,
      () => `P.attr.places[${text}] == "lead"`,
      () => `${text}.split(".")[0] == ${constant()}`,
      () => `${text} == null`,
      () => `type(${text}) == string`,
    ])();
  }

  private numberTest(number: string): string {
    const { random } = this;
    const constant = (): string =>
      random.pick([
        '0.0',
        '1.0',
        '2.5',
        '-1.0',
        '0.1',
        '1e300',
        '9007199254740992.0',
        'P.attr.limit',
        '0.30000000000000004',
        '-0.0',
      ]);
    return random.pick([
      () => `${number} ${random.pick(['==', '!=', '<', '<=', '>', '>='])} ${constant()}`,
      () => `${number} in [1.0, 2.5, ${constant()}]`,
      () => `${number} in [1, "x", null]`,
      () => `${number} * ${random.pick(['1.2', '-3.0', '1e300'])} ${this.order()} ${constant()}`,
      () => `${number} + ${constant()} ${this.order()} ${constant()}`,
      () => `math.abs(${number}) < ${constant()}`,
      () => `math.floor(${number}) == ${constant()}`,
      () => `string(${number}) == "1"`,
      () => `${number} == null`,
    ])();
  }

  private flagTest(flag: string): string {
    const { random } = this;
    return random.pick([
      flag,
      `!${flag}`,
      `${flag} == true`,
      `${flag} != false`,
      `${flag} == (R.attr.owner == P.id)`,
      `(${flag} ? R.attr.owner : R.attr.status) == P.id`,
      `(R.attr.owner == P.id) != ${flag}`,
    ]);
  }

  private timeTest(at: string): string {
    const { random } = this;
    const time = (): string =>
      `timestamp(${quoted(random.pick([...TIMES, '2020-01-01T01:00:00.0005+01:00', '2019-12-31T23:59:59.9999999Z']))})`;
    return random.pick([
      () => `timestamp(${at}) ${random.pick(['==', '!=', '<', '<=', '>', '>='])} ${time()}`,
      () => `${time()} ${this.order()} timestamp(${at})`,
      () => `timestamp(${at}) + duration("24h") > ${time()}`,
      () => `timestamp(${at}) < now()`,
      () => `timestamp(${at}).getFullYear() ${random.pick(['==', '<'])} ${random.pick(['2020', '2024', '1970'])}`,
      () => `timestamp(${at}).getHours("+02:00") < 12`,
      () => `timestamp(${at}).getDayOfWeek() in [0, 1]`,
      () => `int(timestamp(${at})) > 0`,
      () => `now() - timestamp(${at}) < duration("720h")`,
      () => `${at} == ${quoted(random.pick(TIMES))}`,
    ])();
  }

  private shares(): string {
    const { random } = this;
    const body = (): string =>
      random.pick([
        () => `s.user == P.id`,
        () => this.textTest(random.pick(['s.user', 's.role'])),
        () => `s.user == P.id && ${this.textTest('s.role')}`,
        () => `!has(s.role) || s.role != "open"`,
        () => `s.user == R.attr.owner`,
        () => this.timeTest('s.until'),
        () => this.numberTest('s.n'),
        () => `s.user in P.attr.names && (!has(s.until) || ${this.timeTest('s.until')})`,
        () => `!(s.n > 1.0)`,
        () => `s.role == R.attr.status`,
      ])();
    return random.pick([
      () =>
        `${random.pick(['', '!'])}R.attr.shares.${random.pick(['exists', 'exists', 'all', 'exists_one'])}(s, ${body()})`,
      () => `${random.pick(['', '!'])}R.attr.shares.${random.pick(['exists', 'exists', 'all'])}(s, ${body()})`,
      () => `${random.pick(['P.id', 'R.attr.owner'])} in R.attr.shares.map(s, s.user)`,
      () => `hasIntersection(R.attr.shares.map(s, s.${random.pick(['user', 'role'])}), P.attr.names)`,
      () => `R.attr.shares.filter(s, ${body()}).size() ${random.pick(['> 0', '== 0', '>= 2', '== 1'])}`,
      () => `size(R.attr.shares) ${random.pick(['== 0', '> 0', '< 2', '== 2'])}`,
      () => `R.attr.shares.filter(s, ${body()}).exists(s, ${body()})`,
    ])();
  }

  private document(): string {
    const { random } = this;
    const scalar = (): string =>
      random.pick([
        ...SCALARS.map((one) => JSON.stringify(one)).map((text) => (/^-?\d+$/.test(text) ? `${text}.0` : text)),
        '"u1"',
      ]);
    const part = (): string =>
      random.pick(['R.attr.any', 'R.attr.any.a', 'R.attr.any.b.a', 'R.attr.any[0]', 'R.attr.list[0]']);
    return random.pick([
      () => `${scalar()} in R.attr.${random.pick(['list', 'any'])}`,
      () => `!(${scalar()} in R.attr.list)`,
      () => `hasIntersection(R.attr.list, ${random.pick(['P.attr.names', 'P.attr.mixed', '[1, "x"]'])})`,
      () => `R.attr.list.${random.pick(['exists', 'all'])}(t, t ${random.pick(['==', '!='])} ${scalar()})`,
      () => `size(R.attr.${random.pick(['list', 'any'])}) ${random.pick(['== 0', '> 0', '== 2'])}`,
      () => `R.attr.list == []`,
      () => `R.attr.list.isSubset(P.attr.mixed)`,
      () => `${part()} ${random.pick(['==', '!='])} ${scalar()}`,
      () => `${part()} in ["x", 1.0, null, true]`,
      () => `has(R.attr.any.${random.pick(['a', 'b.a'])})`,
      () => `${part()} < ${scalar()}`,
      () => `R.attr.owner in R.attr.list`,
      () => `R.attr.any.a == R.attr.owner`,
      () => `type(${part()}) == ${random.pick(['string', 'double', 'bool', 'null_type', 'list', 'map'])}`,
      () => `R.attr.any.exists(t, t == ${scalar()})`,
    ])();
  }

  private order(): string {
    return this.random.pick(['<', '<=', '>', '>=']);
  }
}

function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\u200b', '\\u200b').replaceAll('\u{10FFFF}', '\\U0010FFFF');
}
