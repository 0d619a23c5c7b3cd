import type { Random } from '../support/oracle/random.js';

/** The intended type of an expression. Attributes may have any type, and often have another one. */
type Kind = 'bool' | 'double' | 'int' | 'string' | 'list' | 'any';

/** Names of attributes. Some requests lack some of them, or have values of other types. */
const ATTRIBUTES = ['a', 'b', 'n', 's', 'l', 'o', 'x', 'nil', 'length', 'constructor'] as const;

/** A random CEL expression intended as a condition. Most compile, not all. */
export function randomCondition(random: Random): string {
  return new Generator(random).of('bool', 4);
}

/** A random CEL expression of any kind, for a variable. */
export function randomValue(random: Random): string {
  return new Generator(random).of(random.pick<Kind>(['bool', 'double', 'string', 'list', 'any']), 3);
}

class Generator {
  private readonly locals: string[] = [];

  constructor(private readonly random: Random) {}

  of(kind: Kind, depth: number): string {
    if (depth <= 0 || this.random.chance(0.12)) return this.leaf(kind);
    switch (kind) {
      case 'bool':
        return this.bool(depth - 1);
      case 'double':
        return this.random.pick([
          () => this.arithmetic('double', depth - 1),
          () => this.ternary('double', depth - 1),
          () => this.leaf('double'),
        ])();
      case 'int':
        return this.random.pick([
          () => this.arithmetic('int', depth - 1),
          () => `size(${this.of(this.random.pick(['string', 'list']), depth - 1)})`,
          () => `int(${this.of('any', depth - 1)})`,
          () => this.leaf('int'),
        ])();
      case 'string':
        return this.random.pick([
          () => `(${this.of('string', depth - 1)} + ${this.of('string', depth - 1)})`,
          () => `string(${this.of('any', depth - 1)})`,
          () => `${this.of('string', depth - 1)}.lowerAscii()`,
          () => this.ternary('string', depth - 1),
        ])();
      case 'list':
        return this.list(depth - 1);
      case 'any':
        return this.of(this.random.pick(['bool', 'double', 'string', 'list', 'int']), depth - 1);
    }
  }

  private bool(depth: number): string {
    const { random } = this;
    return random.pick([
      () => `(${this.of('bool', depth)} && ${this.of('bool', depth)})`,
      () => `(${this.of('bool', depth)} || ${this.of('bool', depth)})`,
      () => `!(${this.of('bool', depth)})`,
      () => `!(${this.of('bool', depth)})`,
      () => this.ternary('bool', depth),
      () => this.compared(depth),
      () => this.compared(depth),
      () => this.compared(depth),
      () => `(${this.of('any', depth)} in ${this.of('list', depth)})`,
      () => `(${this.leaf('any')} in [${this.leaf('any')}, ${this.leaf('any')}])`,
      () => `("${random.pick(['a', 'b', 'k'])}" in ${this.path()})`,
      () => `has(${this.path()}.${random.pick(ATTRIBUTES)})`,
      () => `has(R.attr.${random.pick(ATTRIBUTES)})`,
      () => this.quantifier(depth),
      () => this.quantifier(depth),
      () =>
        `${this.of('string', depth)}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${this.of('string', depth)})`,
      () => `${this.of('string', depth)}.matches("${random.pick(['^a', 'b+$', '[0-9]', '.*'])}")`,
      () => `${this.path()}.?${random.pick(ATTRIBUTES)}.orValue(${this.leaf('bool')})`,
      () => `cel.bind(t, ${this.of('any', depth)}, ${this.within(['t'], () => this.of('bool', depth))})`,
      () => `(type(${this.of('any', depth)}) == ${random.pick(['string', 'double', 'bool', 'list', 'int'])})`,
      () => `hasIntersection(${this.of('list', depth)}, ${this.of('list', depth)})`,
    ])();
  }

  private compared(depth: number): string {
    const kind = this.random.pick<Kind>(['double', 'string', 'bool', 'any', 'int', 'list']);
    const equality = this.random.pick(['==', '!=']);
    const sign = this.random.chance(0.6) ? equality : this.random.pick(['<', '<=', '>', '>=']);
    return `(${this.of(kind, depth)} ${sign} ${this.of(this.random.chance(0.3) ? 'any' : kind, depth)})`;
  }

  private quantifier(depth: number): string {
    const name = this.random.pick(['x', 'y', 'R', 'e', 'list', 'pattern']);
    const range = this.random.chance(0.6) ? this.path() : this.of('list', depth);
    const macro = this.random.pick(['all', 'exists', 'exists', 'all', 'exists_one']);
    if (this.random.chance(0.2))
      return `${range}.${macro === 'exists_one' ? 'existsOne' : macro}(i, ${name}, ${this.within(['i', name], () => this.of('bool', depth))})`;
    return `${range}.${macro}(${name}, ${this.within([name], () => this.of('bool', depth))})`;
  }

  private list(depth: number): string {
    const name = this.random.pick(['x', 'y', 'e']);
    return this.random.pick([
      () => this.path(),
      () => this.path(),
      () => `[${this.leaf('any')}, ${this.leaf('any')}]`,
      () => '[]',
      () => 'P.roles',
      () => `${this.path()}.filter(${name}, ${this.within([name], () => this.of('bool', depth))})`,
      () => `${this.path()}.map(${name}, ${this.within([name], () => this.of('any', depth))})`,
    ])();
  }

  private arithmetic(kind: 'double' | 'int', depth: number): string {
    const sign = this.random.pick(kind === 'double' ? ['+', '-', '*', '/'] : ['+', '-', '*', '/', '%']);
    return `(${this.of(kind, depth)} ${sign} ${this.of(kind, depth)})`;
  }

  private ternary(kind: Kind, depth: number): string {
    return `(${this.of('bool', depth)} ? ${this.of(kind, depth)} : ${this.of(kind, depth)})`;
  }

  private leaf(kind: Kind): string {
    if (this.random.chance(0.45)) return this.path();
    switch (kind) {
      case 'bool':
        return this.random.pick(['true', 'false', 'R.attr.a', 'P.attr.b', 'V.v']);
      case 'double':
        return this.random.pick(['0.0', '1.0', '-2.5', 'R.attr.n', '1e300', '0.0 / 0.0']);
      case 'int':
        return this.random.pick(['0', '1', '2', '9223372036854775807', '9007199254740993']);
      case 'string':
        return this.random.pick(['""', '"a"', '"b"', '"ü"', 'P.id', 'R.kind', 'R.attr.s', 'C.word']);
      case 'list':
        return this.random.pick(['[]', '["a", "b"]', '[1.0, 2.0]', 'R.attr.l', 'P.roles', 'C.words']);
      case 'any':
        return this.random.pick(['null', 'true', '1', '1.0', '1u', '"a"', 'P.id', 'C.word', 'V.v', 'G.g', 'R.attr']);
    }
  }

  /** A selection from the attributes or from an element of them. */
  private path(): string {
    const { random } = this;
    const root =
      this.locals.length > 0 && random.chance(0.6)
        ? random.pick(this.locals)
        : `${random.pick(['.R', 'P'])}.attr.${random.pick(ATTRIBUTES)}`;
    const steps = random.pick([0, 0, 0, 1, 1, 2]);
    const step = (): string => random.pick([`.${random.pick(ATTRIBUTES)}`, `["${random.pick(ATTRIBUTES)}"]`, '[0]']);
    return root + Array.from({ length: steps }, step).join('');
  }

  private within(names: readonly string[], print: () => string): string {
    this.locals.push(...names);
    const text = print();
    this.locals.length -= names.length;
    return text;
  }
}
