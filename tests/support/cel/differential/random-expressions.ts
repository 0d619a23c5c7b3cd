import type { Random } from '../../oracle/random.js';
import { ATTRIBUTES, STRINGS } from './random-requests.js';

/** The intended type of an expression; `any` is a value of the request, whose type is unknown. */
type Sort =
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'time'
  | 'span'
  | 'list'
  | 'map'
  | 'optional'
  | 'null'
  | 'type'
  | 'special'
  | 'any';

const SORTS: readonly Sort[] = [
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'time',
  'span',
  'list',
  'map',
  'optional',
  'null',
  'type',
  'special',
  'any',
];

/** Variables of every policy of the test, in dependency order. Some fail, depending on the request. */
export const VARIABLES: { readonly [name: string]: string } = {
  flag: 'R.attr.b1 == true',
  count: 'size(R.attr.ls)',
  name: 'R.attr.s1 + "!"',
  both: 'V.flag && R.attr.b2',
  failing: 'R.attr.missing.deep',
  items: 'R.attr.ln.map(i, i + 1.0)',
  tree: 'hierarchy(P.scope)',
  perhaps: 'R.attr.?x',
  kind: 'type(R.attr.x)',
  when: 'timestamp(R.attr.t1)',
  table: '{"a": 1, "b": R.attr.n1, 3: "three"}',
  raw: 'R.attr.x',
};

export const CONSTANTS = {
  limit: 5,
  word: 'alice',
  yes: true,
  none: null,
  words: ['a', 'alice', 'b'],
  mixed: [1, 'a', null, [2]],
  table: { a: 1, length: { b: true } },
} as const;

/**
 * A random expression: mostly well-typed, because attributes fit anywhere; sometimes of a type that does not fit its
 * position.
 */
export function randomExpression(random: Random): string {
  const writer = new Writer(random);
  for (;;) {
    const text = writer.write(
      random.chance(0.8) ? 'bool' : random.pick(SORTS),
      random.pick([1, 1, 2, 2, 2, 3, 3, 4, 5]),
      [],
    );
    if (!UNDECLARED.test(text)) return text;
  }
}

/** A variable or constant that the policy lacks is not an expression error: the linker rejects it. */
const UNDECLARED = /\b[CV]\.\??(?:(?:a|b|k|constructor|__proto__|length)\b|`)/;

interface Local {
  readonly name: string;
  readonly sort: Sort;
}

class Writer {
  constructor(private readonly random: Random) {}

  write(wanted: Sort, depth: number, locals: readonly Local[]): string {
    const { random } = this;
    const sort = random.chance(0.03) ? random.pick(SORTS) : wanted;
    // An expression of another type compiles if the checker does not know its type.
    const text =
      sort !== wanted && random.chance(0.7)
        ? `dyn(${this.plain(sort, depth, locals)})`
        : this.plain(sort, depth, locals);
    return text;
  }

  private plain(sort: Sort, depth: number, locals: readonly Local[]): string {
    const { random } = this;
    const known = locals.filter((local) => local.sort === sort || local.sort === 'any');
    if (known.length > 0 && random.chance(depth <= 0 ? 0.6 : 0.2)) return random.pick(known).name;
    if (random.chance(depth <= 0 ? 0.5 : 0.12)) return this.any(sort, locals);
    if (depth <= 0) return this.literal(sort);
    const inner = (of: Sort): string => this.write(of, depth - 1, locals);
    if (random.chance(0.06)) return `(${inner('bool')} ? ${inner(sort)} : ${inner(sort)})`;
    if (random.chance(0.04)) return this.binding(sort, depth, locals);
    if (random.chance(0.03)) return `${inner('optional')}.orValue(${inner(sort)})`;
    if (random.chance(0.03)) return `${inner('list')}[${inner('int')}]`;
    return this.composed(sort, depth, locals, inner);
  }

  private composed(sort: Sort, depth: number, locals: readonly Local[], inner: (of: Sort) => string): string {
    const { random } = this;
    switch (sort) {
      case 'bool':
        return this.bool(depth, locals, inner);
      case 'int':
      case 'uint':
      case 'double':
        return this.number(sort, inner);
      case 'string':
        return random.pick([
          () => `${inner('string')} + ${inner('string')}`,
          () => `${inner('string')}.${random.pick(['lowerAscii()', 'upperAscii()', 'trim()', 'reverse()'])}`,
          () => `${inner('string')}.substring(${inner('int')})`,
          () => `${inner('string')}.replace(${inner('string')}, ${inner('string')})`,
          () =>
            `string(${inner(random.pick(['int', 'uint', 'double', 'bool', 'string', 'bytes', 'time', 'span', 'any']))})`,
          () => `${inner('list')}.join(",")`,
          () => `"%s %d".format([${inner('any')}, ${inner('int')}])`,
          () => `json.encode(${inner('any')})`,
          () => `${inner('string')}.charAt(${inner('int')})`,
        ])();
      case 'bytes':
        return random.pick([
          () => `bytes(${inner('string')})`,
          () => `${inner('bytes')} + ${inner('bytes')}`,
          () => `base64.decode(${inner('string')})`,
        ])();
      case 'time':
        return random.pick([
          () => `timestamp(${inner(random.pick(['string', 'int', 'time', 'any']))})`,
          () => `timestamp(R.attr.t1)`,
          () => `${inner('time')} + ${inner('span')}`,
          () => `${inner('time')} - ${inner('span')}`,
          () => 'now()',
        ])();
      case 'span':
        return random.pick([
          () => `duration(${random.chance(0.5) ? 'R.attr.d1' : inner('string')})`,
          () => `${inner('time')} - ${inner('time')}`,
          () => `${inner('span')} + ${inner('span')}`,
          () => `timeSince(${inner('time')})`,
          () => `-${inner('span')}`,
        ])();
      case 'list':
        return this.list(depth, locals, inner);
      case 'map':
        return random.pick([
          () => `{${random.times(0, 3, () => `${this.key(inner)}: ${inner(random.pick(SORTS))}`).join(', ')}}`,
          () => `{"a": ${inner('any')}, ?${this.key(inner)}: ${inner('optional')}}`,
          () => this.macro2('transformMap', random.pick(SORTS), depth, locals),
          () =>
            `${inner(random.pick(['map', 'list']))}.transformMapEntry(k, v, {${this.write('string', depth - 1, [...locals, { name: 'k', sort: 'string' }])}: v})`,
        ])();
      case 'optional':
        return random.pick([
          () => `optional.of(${inner('any')})`,
          () => `optional.ofNonZeroValue(${inner(random.pick(SORTS))})`,
          () => `${inner('map')}[?${this.key(inner)}]`,
          () => `${inner('list')}[?${inner('int')}]`,
          () => `${inner('any')}.?a`,
          () => `${this.attribute()}.?a.b`,
          () => `${inner('optional')}.or(${inner('optional')})`,
          () => `${inner('optional')}.a`,
          () => `${inner('list')}.${random.pick(['first', 'last'])}()`,
          () =>
            `${inner('optional')}.${random.pick(['optMap(o, ', 'optFlatMap(o, '])}${this.write(random.pick(['any', 'optional']), depth - 1, [...locals, { name: 'o', sort: 'any' }])})`,
          () =>
            random.pick(['R', 'P', 'request.auxData', 'R.attr', 'G', 'V']) +
            random.pick(['.?scope', '.?attr', '.?jwt', '.?flag', '.?limit', '.?x']),
        ])();
      case 'type':
        return `type(${inner(random.pick(SORTS))})`;
      case 'special':
        return random.pick([
          () => `hierarchy(${inner(random.pick(['string', 'list']))})`,
          () => `ip(${random.chance(0.5) ? '"10.0.0.1"' : inner('string')})`,
          () => `cidr(${random.chance(0.5) ? '"10.0.0.0/8"' : inner('string')})`,
          () => `spiffeID(${random.chance(0.5) ? '"spiffe://a/b"' : inner('string')})`,
          () => `spiffeTrustDomain(${inner('string')})`,
        ])();
      case 'null':
        return 'null';
      case 'any':
        return random.pick([
          () => this.any('any', locals),
          () => this.any('any', locals),
          () => `${inner('any')}.${random.pick(['a', 'b', 'k', 'length', 'constructor', '`5`', '__proto__'])}`,
          () => `${inner('any')}[${inner(random.pick(['string', 'int', 'double', 'any', 'bool']))}]`,
          () => `${inner('list')}[${inner(random.pick(['int', 'uint', 'double']))}]`,
          () => `${inner('map')}[${this.key(inner)}]`,
          () => `${inner('optional')}.${random.pick(['value()', `orValue(${inner('any')})`])}`,
          () =>
            `math.${random.pick(['greatest', 'least'])}(${random.pick([() => inner('list'), () => `${inner('double')}, ${inner('any')}`, () => `${inner('int')}, ${inner('double')}, ${inner('any')}`])()})`,
        ])();
    }
  }

  private bool(depth: number, locals: readonly Local[], inner: (of: Sort) => string): string {
    const { random } = this;
    const same = random.pick(SORTS);
    const ordered = random.pick([
      'int',
      'uint',
      'double',
      'string',
      'bytes',
      'time',
      'span',
      'bool',
      'any',
      'any',
    ] as const);
    const mate = (of: Sort): string => inner(random.chance(0.4) ? 'any' : of);
    if (random.chance(0.35)) return `${random.pick(['', '', '!', '!!'])}${this.usual(locals)}`;
    return random.pick([
      () => `(${inner('bool')} && ${inner('bool')})`,
      () => `(${inner('bool')} || ${inner('bool')})`,
      () => `(${inner('bool')} && ${inner('bool')} && ${inner('bool')})`,
      () => `!${this.operand(inner('bool'))}`,
      () => `!${this.operand(inner('bool'))}`,
      () => `(${inner(same)} ${random.pick(['==', '!='])} ${mate(same)})`,
      () => `(${inner('any')} ${random.pick(['==', '!='])} ${inner(random.pick(SORTS))})`,
      () =>
        `(${this.attribute()} ${random.pick(['==', '!=', '<', '<=', '>', '>='])} ${this.literal(random.pick(['int', 'uint', 'double', 'string', 'bool', 'null']))})`,
      () =>
        `(${this.literal(random.pick(['int', 'uint', 'double', 'string', 'bool', 'null']))} ${random.pick(['==', '!=', '<', '>='])} ${this.attribute()})`,
      () => `(${inner(ordered)} ${random.pick(['<', '<=', '>', '>='])} ${mate(ordered)})`,
      () =>
        `(${inner(random.pick(['int', 'uint', 'double']))} ${random.pick(['<', '<=', '>', '>=', '=='])} ${mate(random.pick(['int', 'uint', 'double']))})`,
      () => `(${inner('any')} in ${inner(random.pick(['list', 'map', 'any']))})`,
      () => `(${inner(same)} in [${random.times(0, 3, () => this.literal(same)).join(', ')}])`,
      () =>
        `(${this.attribute()} in [${random.times(0, 4, () => this.literal(random.pick(['int', 'uint', 'double', 'string', 'bool', 'null']))).join(', ')}])`,
      () =>
        `(${random.pick(['P.id', 'R.id', this.attribute()])} in ${random.pick(['C.words', 'C.mixed', 'C.table', 'P.roles', 'runtime.effectiveDerivedRoles', 'G.tags', 'V.table', 'V.items'])})`,
      () => `has(${this.selection(locals)})`,
      () => `has(${inner('any')}.${random.pick(['a', 'b', 'length'])})`,
      () => `has(${inner('optional')}.${random.pick(['a', 'b'])})`,
      () => `has(${inner('map')}.a)`,
      () => this.macro1(random.pick(['all', 'exists', 'exists_one']), 'bool', depth, locals),
      () => this.macro1(random.pick(['all', 'exists']), 'bool', depth, locals),
      () => this.macro2(random.pick(['all', 'exists', 'existsOne']), 'bool', depth, locals),
      () => `${inner('string')}.${random.pick(['contains', 'startsWith', 'endsWith'])}(${inner('string')})`,
      () =>
        `${inner('string')}.matches(${random.pick([() => '"^a.*"', () => '"[0-9]+"', () => '"(?i)ALICE"', () => inner('string')])()})`,
      () => `${inner('list')}.${random.pick(['hasIntersection', 'isSubset', 'is_subset'])}(${inner('list')})`,
      () =>
        `${random.pick(['hasIntersection', 'isSubset', 'sets.contains', 'sets.equivalent', 'sets.intersects'])}(${inner('list')}, ${inner('list')})`,
      () => `${inner('string')}.inIPAddrRange("10.0.0.0/8")`,
      () =>
        `${inner('special')}.${random.pick(['ancestorOf', 'descendentOf', 'overlaps', 'siblingOf'])}(hierarchy(${inner('string')}))`,
      () => `${inner('optional')}.hasValue()`,
      () =>
        `(type(${inner('any')}) ${random.pick(['==', '!='])} ${random.pick(['int', 'double', 'string', 'bool', 'list', 'map', 'null_type'])})`,
      () => `bool(${inner(random.pick(['string', 'bool', 'any']))})`,
      () => `math.isNaN(${inner('double')})`,
      () => `(timestamp(R.attr.t1) ${random.pick(['<', '>', '=='])} ${inner('time')})`,
    ])();
  }

  /** The typical content of policies: an attribute next to a literal, a constant, or a field of the request. */
  private usual(locals: readonly Local[]): string {
    const { random } = this;
    const attribute = (): string => {
      const local = locals.filter(({ sort }) => sort === 'any');
      if (local.length > 0 && random.chance(0.4))
        return `${random.pick(local).name}${random.pick(['', '.a', '["b"]', '.length'])}`;
      return `${this.attribute()}${random.pick(['', '', '', '', '.a', '.length', '.constructor', '["k"].a', '["__proto__"]'])}`;
    };
    const scalar = (): string =>
      this.literal(random.pick(['int', 'uint', 'double', 'string', 'string', 'bool', 'null']));
    const other = (): string =>
      random.pick([
        scalar,
        attribute,
        () =>
          random.pick([
            'P.id',
            'R.id',
            'P.scope',
            'C.limit',
            'C.word',
            'C.yes',
            'C.none',
            'C.words',
            'G.limit',
            'G.on',
            'V.flag',
            'V.count',
            'V.name',
            'V.raw',
          ]),
      ])();
    const equality = (): string => random.pick(['==', '!=']);
    return random.pick([
      () => `(${attribute()} ${equality()} ${other()})`,
      () => `(${other()} ${equality()} ${attribute()})`,
      () => `(${attribute()} ${random.pick(['<', '<=', '>', '>='])} ${other()})`,
      () => `(${other()} ${random.pick(['<', '<=', '>', '>='])} ${attribute()})`,
      () => `(${other()} in [${random.times(0, 4, () => (random.chance(0.8) ? scalar() : other())).join(', ')}])`,
      () => `(${attribute()} in [${random.times(1, 4, scalar).join(', ')}])`,
      () => `(${this.literal('special')} ${equality()} ${attribute()})`,
      () => `(cel.bind(h, ${this.literal('special')}, dyn(h)) ${equality()} ${other()})`,
      () =>
        `(${attribute()} ${equality()} ${this.literal(random.pick(['special', 'time', 'span', 'list', 'map', 'bytes', 'type', 'optional']))})`,
      () => `([${this.literal('special')}, ${scalar()}].exists(e, !(e == ${attribute()}) && e != ${other()}))`,
      () =>
        `(${other()} in ${random.pick([attribute(), 'C.words', 'C.mixed', 'C.table', 'P.roles', 'G.tags', 'V.table', 'V.items', 'V.raw'])})`,
      () => random.pick([attribute(), 'V.flag', 'V.both', 'C.yes', 'G.on', 'V.raw']),
      () =>
        `has(${attribute()
          .replace(/\["([^"]*)"\]$/, '.`$1`')
          .replace(/^(\w+)$/, '$1.a')})`,
    ])();
  }

  private number(sort: 'int' | 'uint' | 'double', inner: (of: Sort) => string): string {
    const { random } = this;
    const operator = random.pick(['+', '-', '*', '/', '%']);
    const others: readonly (() => string)[] = {
      int: [
        () => `size(${inner(random.pick(['string', 'list', 'map', 'any', 'bytes']))})`,
        () => `${inner('string')}.size()`,
        () => `${inner('string')}.indexOf(${inner('string')})`,
        () =>
          `${inner('time')}.${random.pick(['getFullYear()', 'getHours()', 'getDayOfWeek("America/New_York")', 'getMinutes("+05:30")'])}`,
        () => `${inner('span')}.getMinutes()`,
      ],
      uint: [() => `math.bitOr(${inner('uint')}, ${inner('uint')})`],
      double: [() => `math.${random.pick(['floor', 'round', 'ceil', 'abs', 'sqrt'])}(${inner('double')})`],
    }[sort];
    return random.pick([
      () => `(${inner(sort)} ${operator} ${inner(sort)})`,
      () => `(${inner(sort)} ${operator} ${inner('any')})`,
      () => `-${this.operand(inner(sort))}`,
      () => `${sort}(${inner(random.pick(['int', 'uint', 'double', 'string', 'any']))})`,
      ...others,
    ])();
  }

  private list(depth: number, locals: readonly Local[], inner: (of: Sort) => string): string {
    const { random } = this;
    const of = random.pick(SORTS);
    return random.pick([
      () => `[${random.times(0, 3, () => inner(of)).join(', ')}]`,
      () => `[${random.times(0, 3, () => inner(random.pick(SORTS))).join(', ')}]`,
      () => `[${inner(of)}, ?${inner('optional')}]`,
      () => `(${inner('list')} + ${inner('list')})`,
      () => this.macro1('map', random.pick(SORTS), depth, locals),
      () => this.macro1('filter', 'bool', depth, locals),
      () => this.macro2('transformList', random.pick(SORTS), depth, locals),
      () =>
        `${inner(random.pick(['list', 'any']))}.map(x, ${this.write('bool', depth - 2, [...locals, { name: 'x', sort: 'any' }])}, x)`,
      () =>
        `${inner('list')}.${random.pick(['distinct()', 'sort()', 'reverse()', 'flatten()', 'sortBy(y, y)', 'sortBy(y, -y)', 'slice(0, 1)'])}`,
      () => `${random.pick(['intersect', 'except'])}(${inner('list')}, ${inner('list')})`,
      () => `${inner('list')}.${random.pick(['intersect', 'except'])}(${inner('list')})`,
      () => `${inner('string')}.split(${inner('string')})`,
      () => `lists.range(${random.below(4)})`,
    ])();
  }

  private macro1(name: string, body: Sort, depth: number, locals: readonly Local[]): string {
    const variable = this.random.pick(['x', 'x', 'y', 'R', 'item']);
    const range = this.write(this.random.pick(['list', 'list', 'map', 'any']), depth - 1, locals);
    return `${range}.${name}(${variable}, ${this.write(body, depth - 1, [...locals, { name: variable, sort: 'any' }])})`;
  }

  private macro2(name: string, body: Sort, depth: number, locals: readonly Local[]): string {
    const inside: readonly Local[] = [...locals, { name: 'i', sort: 'int' }, { name: 'v', sort: 'any' }];
    const range = this.write(this.random.pick(['list', 'list', 'map', 'any']), depth - 1, locals);
    const predicate =
      name.startsWith('transform') && this.random.chance(0.3) ? `${this.write('bool', depth - 2, inside)}, ` : '';
    return `${range}.${name}(i, v, ${predicate}${this.write(body, depth - 1, inside)})`;
  }

  private binding(sort: Sort, depth: number, locals: readonly Local[]): string {
    const bound = this.random.pick(SORTS);
    const name = this.random.pick(['w', 'w', 'x', 'R']);
    return `cel.bind(${name}, ${this.write(bound, depth - 1, locals)}, ${this.write(sort, depth - 1, [...locals, { name, sort: bound }])})`;
  }

  /** The contents of the request, the variables, constants and globals. A shadowed `R` is reached from the root. */
  private any(sort: Sort, locals: readonly Local[]): string {
    const { random } = this;
    const roll = random.fraction();
    if (roll < 0.1) return `V.${random.pick(Object.keys(VARIABLES))}`;
    if (roll < 0.15) return `C.${random.pick(Object.keys(CONSTANTS))}`;
    if (roll < 0.2)
      return `G.${random.pick(['limit', 'env', 'ratio', 'tags', 'nested', 'on', 'nothing', 'absent', 'constructor'])}`;
    if (roll < 0.25)
      return random.pick([
        'P.id',
        'R.id',
        'R.kind',
        'P.scope',
        'R.scope',
        'P.roles',
        'request.auxData.jwt.sub',
        'request.auxData.jwt',
        'request.auxData.jwts.one.claims',
        'runtime.effectiveDerivedRoles',
        'P.attr',
        'R.attr',
        'request.resource.attr',
        'C.table.a',
        'C.table.length',
        'G.nested.deep',
      ]);
    if (roll < 0.27)
      return random.pick(['P', 'R', 'request', 'runtime', 'request.auxData', 'request.auxData.jwts', 'G']);
    const { other, ...usual } = ATTRIBUTES;
    const named: readonly string[] | undefined = (usual as { readonly [sort: string]: readonly string[] })[sort];
    const names =
      named !== undefined && random.chance(0.9) ? named : random.chance(0.75) ? Object.values(usual).flat() : other;
    return `${locals.some(({ name }) => name === 'R') ? '.' : ''}${this.attribute(names)}`;
  }

  private attribute(names: readonly string[] = Object.values(ATTRIBUTES).flat()): string {
    const name = this.random.pick(names);
    const owner = this.random.chance(0.8) ? 'R' : 'P';
    if (name.includes('-')) return this.random.chance(0.5) ? `${owner}.attr["${name}"]` : `${owner}.attr.\`${name}\``;
    return this.random.chance(0.9) ? `${owner}.attr.${name}` : `${owner}.attr["${name}"]`;
  }

  private selection(locals: readonly Local[]): string {
    const { random } = this;
    const local = locals.length > 0 && random.chance(0.3) ? random.pick(locals).name : undefined;
    if (local !== undefined) return `${local}.${random.pick(['a', 'b', 'attr'])}`;
    return random.pick([
      () => this.attribute().replace(/\["(.*)"\]$/, '.`$1`'),
      () => `${this.attribute()}.${random.pick(['a', 'b', 'length', 'constructor'])}`,
      () => `V.${random.pick(Object.keys(VARIABLES))}`,
      () => `G.${random.pick(['limit', 'absent', 'nested'])}`,
      () => `C.${random.pick(Object.keys(CONSTANTS))}`,
      () =>
        random.pick([
          'P.scope',
          'R.scope',
          'R.attr',
          'request.auxData.jwt',
          'request.auxData',
          'request.auxData.jwt.sub',
          'request.auxData.jwts.one',
          'request.auxData.jwts.two.claims',
          'runtime.effectiveDerivedRoles',
          'P.roles',
          'C.table.a',
          'V.raw.a',
          'request.principal',
        ]),
    ])();
  }

  private key(inner: (of: Sort) => string): string {
    const { random } = this;
    return random.chance(0.7)
      ? this.literal(random.pick(['string', 'string', 'int', 'uint', 'double', 'bool']))
      : inner(random.pick(['string', 'int', 'any']));
  }

  /** Operands of a unary operator. */
  private operand(text: string): string {
    return /^[!-]/.test(text) ? `(${text})` : text;
  }

  private literal(sort: Sort): string {
    const { random } = this;
    switch (sort) {
      case 'bool':
        return random.pick(['true', 'false']);
      case 'int':
        return random.pick([
          '0',
          '1',
          '2',
          '3',
          '5',
          '-1',
          '9007199254740993',
          '9223372036854775807',
          '-9223372036854775808',
        ]);
      case 'uint':
        return random.pick(['0u', '1u', '5u', '18446744073709551615u']);
      case 'double':
        return random.pick(['0.0', '-0.0', '1.0', '1.5', '5.0', '1e19', '9007199254740992.0']);
      case 'string':
        return JSON.stringify(random.pick([...STRINGS, 'k', 'b', 'length']));
      case 'bytes':
        return random.pick(['b"a"', 'b""', 'b"\\xff"', 'b"alice"']);
      case 'time':
        return random.pick([
          'timestamp("2024-05-06T07:08:09Z")',
          'timestamp(0)',
          'timestamp("2023-11-14T22:13:20.123456789Z")',
          'timestamp("9999-12-31T23:59:59Z")',
        ]);
      case 'span':
        return random.pick(['duration("1h")', 'duration("0s")', 'duration("-90m")', 'duration("2562047h")']);
      case 'list':
        return random.pick([
          '[]',
          '[1, 2]',
          '["a", "alice"]',
          '[1.5, 5.0]',
          '[1, "a", null]',
          '[[1], []]',
          '[true, false]',
          '[{"a": 1}]',
          '[optional.of(1), optional.none()]',
        ]);
      case 'map':
        return random.pick([
          '{}',
          '{"a": 1}',
          '{"a": {"b": "x"}, "length": 5}',
          '{1: "x", 2u: "y"}',
          '{1.5: true}',
          '{true: null}',
          '{"a": 1, "a": 2}',
        ]);
      case 'optional':
        return random.pick([
          'optional.none()',
          'optional.of(1)',
          'optional.of({"a": {"b": 2}})',
          'R.attr.?x',
          'optional.of("a")',
        ]);
      case 'null':
        return 'null';
      case 'type':
        return random.pick(['int', 'string', 'bool', 'list', 'type(1)']);
      case 'special':
        return random.pick([
          'hierarchy("a.b")',
          'ip("10.0.0.1")',
          'cidr("10.0.0.0/8")',
          'spiffeID("spiffe://a/b")',
          'spiffeTrustDomain("a")',
        ]);
      case 'any':
        return random.pick([
          'R.attr.x',
          'R.attr.s1',
          'R.attr.n1',
          'R.attr.b1',
          'P.attr.x',
          'R.attr.m1.a',
          'R.attr.m1.a.b',
          'dyn(1)',
          'dyn("a")',
          'dyn(null)',
          'dyn([])',
        ]);
    }
  }
}
