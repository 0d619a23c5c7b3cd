import type { Random } from '../support/oracle/random.js';

/**
 * A random mapping in the notations that YAML has: collections in lines and in brackets, scalars in quotes, folded,
 * literal and of several lines, anchors, aliases, comments and empty lines, in layouts that no person would choose.
 */
export function randomYaml(random: Random): string {
  const writer = new Writer(random);
  const begin = random.chance(0.3) ? '# First.\n\n' : '';
  const text = `${begin}${writer.mapping(0, 3)}${random.chance(0.3) ? '\n\n# Last.' : ''}\n`;
  return random.chance(0.1) ? text.replaceAll('\n', '\r\n') : text;
}

class Writer {
  private names = 0;
  /** The anchors of scalars that stand before this place. */
  private readonly anchors: string[] = [];

  constructor(private readonly random: Random) {}

  mapping(indent: number, depth: number): string {
    const lines = this.times(1 + this.random.below(4), () => {
      const key = this.random.pick(['key', '"quoted key"', "'single'", 'with space', 'a.b', 'é']);
      const name = key.replace(/(["']?)$/, `${this.names++}$1`);
      return `${this.noise(indent)}${' '.repeat(indent)}${name}${this.random.pick([':', ':', ' :'])}${this.value(indent, depth)}`;
    });
    return lines.join('\n');
  }

  private sequence(indent: number, depth: number): string {
    const lines = this.times(1 + this.random.below(4), () => {
      const inner = this.random.chance(0.3) && depth > 0;
      const dash = `${this.noise(indent)}${' '.repeat(indent)}-`;
      if (!inner) return `${dash}${this.value(indent, depth)}`;
      const gap = 1 + this.random.below(3);
      return `${dash}${' '.repeat(gap)}${this.mapping(indent + 1 + gap, depth - 1).trimStart()}`;
    });
    return lines.join('\n');
  }

  /** What follows the `:` or the `-` at an indentation. */
  private value(indent: number, depth: number): string {
    const inner = indent + 1 + this.random.below(4);
    switch (this.random.below(depth > 0 ? 8 : 5)) {
      case 0:
        return `${this.gap()}${this.scalar()}${this.comment()}`;
      case 1:
        return this.block(inner);
      case 2:
        return `${this.gap()}${this.lines(inner)}${this.comment()}`;
      case 3:
        return this.anchors.length > 0 && this.random.chance(0.5)
          ? ` *${this.random.pick(this.anchors)}${this.comment()}`
          : ` ${this.anchored()}${this.comment()}`;
      case 4:
        return this.random.chance(0.5) ? this.comment() : ` ${this.flow(2, inner)}${this.comment()}`;
      case 5:
        return ` ${this.flow(2, inner)}${this.comment()}`;
      case 6:
        return `${this.comment()}\n${this.mapping(inner, depth - 1)}`;
      default:
        return `${this.comment()}\n${this.sequence(inner, depth - 1)}`;
    }
  }

  private scalar(): string {
    return this.random.pick([
      'R.attr.owner == P.id',
      '"double \\" # no comment"',
      "'single '' it''s'",
      '12',
      '-0x1F',
      '1.50',
      '9007199254740993',
      'true',
      '~',
      '2025-01-01',
      'a: b'.replace(': ', ':'),
      '"*"',
      '""',
      'very-long-'.repeat(14),
    ]);
  }

  private anchored(): string {
    const name = `anchor${this.names++}`;
    const text = `&${name} ${this.scalar()}`;
    this.anchors.push(name);
    return text;
  }

  /** A scalar of several lines, plain or in quotes. */
  private lines(indent: number): string {
    const words = this.times(2 + this.random.below(2), () => this.random.pick(['one', 'two three', 'x == y &&']));
    const quote = this.random.pick(['', '"', "'"]);
    const breaks = this.times(words.length, () => `${this.random.chance(0.2) ? '\n' : ''}\n${' '.repeat(indent)}`);
    return quote + words.map((word, index) => (index === 0 ? word : `${breaks[index]}${word}`)).join('') + quote;
  }

  /** A literal or folded scalar. */
  private block(indent: number): string {
    const header = this.random.pick(['|', '>', '|-', '>-', '|+', '>+']);
    const lines = this.times(1 + this.random.below(4), () =>
      this.random.pick(['R.attr.a == 1 &&', '  # not a comment', 'x', '', 'ends with spaces  ', '"quoted"']),
    );
    const text = ['first', ...lines].map((line) => (line === '' ? '' : ' '.repeat(indent) + line)).join('\n');
    return ` ${header}${this.comment()}\n${text}${this.random.chance(0.2) ? '\n\n' : ''}`;
  }

  private flow(depth: number, indent: number): string {
    const items = this.times(this.random.below(4), () =>
      depth > 0 && this.random.chance(0.3) ? this.flow(depth - 1, indent) : this.random.pick(FLOW_SCALARS),
    );
    const between = `${this.random.pick(['', ' '])},${this.random.pick(['', ' ', `\n${' '.repeat(indent)}`])}`;
    const pad = this.random.pick(['', ' ', '  ']);
    if (this.random.chance(0.5)) return `[${pad}${items.join(between)}${pad}]`;
    const pairs = items.map((item) => `f${this.names++}: ${item}`);
    return `{${pad}${pairs.join(between)}${pad}}`;
  }

  private gap(): string {
    return ' '.repeat(1 + this.random.below(3));
  }

  private comment(): string {
    return this.random.chance(0.2) ? `${this.gap()}# ${this.names++}, "a: comment"` : '';
  }

  /** Comments and empty lines before an entry. */
  private noise(indent: number): string {
    return this.times(this.random.chance(0.2) ? 1 + this.random.below(3) : 0, () =>
      this.random.chance(0.4) ? '\n' : `${' '.repeat(indent)}#${this.names++} note\n`,
    ).join('');
  }

  private times<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make);
  }
}

const FLOW_SCALARS = ['a', '"b, c"', "'d: e'", '12', 'user', '"*"', 'EFFECT_ALLOW', 'very-long-'.repeat(4)];
