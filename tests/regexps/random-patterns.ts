import type { Random } from '../support/oracle/random.js';

/** A random pattern, and strings that it may match: generated from its structure, damaged, and unrelated. */
export interface RandomPattern {
  readonly pattern: string;
  readonly texts: readonly string[];
}

/** A random pattern in RE2's syntax. Four in ten are in the subset for native regular expressions. */
export function randomPattern(random: Random, texts: number): RandomPattern {
  const foldsCase = random.chance(0.15);
  const scope: Scope = {
    random,
    sets: random.chance(0.7) ? shuffled(random, DISJOINT) : undefined,
    foldsCase,
    budget: 1 + random.below(12),
  };
  const body = random.chance(0.75) ? sequence(scope, 0) : choice(scope, 0);
  const start = random.chance(0.5) ? '^' : '';
  const end = random.chance(0.6) ? '$' : '';
  const whole = (start !== '' || end !== '') && body.isChoice === true ? grouped(scope, body) : body;
  return {
    pattern: `${foldsCase ? '(?i)' : ''}${start}${whole.text}${end}`,
    texts: ['', ...Array.from({ length: texts - 1 }, () => textFor(random, whole, foldsCase))],
  };
}

/** A part of a pattern and a string that it matches. */
interface Part {
  readonly text: string;
  readonly sample: () => string;
  readonly isChoice?: boolean;
}

interface Scope {
  readonly random: Random;
  /**
   * Sets that are not used yet: sets without a common code point are never ambiguous, however they are nested.
   * Undefined: any set anywhere.
   */
  readonly sets: (readonly [text: string, samples: readonly string[]])[] | undefined;
  readonly foldsCase: boolean;
  /** How many more sets the pattern may have. */
  budget: number;
}

const MAX_DEPTH = 5;

function choice(scope: Scope, depth: number): Part {
  const branches = scope.random.times(2, 4, () => (scope.random.chance(0.15) ? EMPTY : sequence(scope, depth + 1)));
  return {
    text: branches.map(({ text }) => text).join('|'),
    sample: () => scope.random.pick(branches).sample(),
    isChoice: true,
  };
}

const EMPTY: Part = { text: '', sample: () => '' };

function sequence(scope: Scope, depth: number): Part {
  const items = scope.random.times(1, 4, () => quantified(scope, depth));
  return { text: items.map(({ text }) => text).join(''), sample: () => items.map((item) => item.sample()).join('') };
}

function quantified(scope: Scope, depth: number): Part {
  const { random } = scope;
  const isNested = depth < MAX_DEPTH && scope.budget > 1 && random.chance(0.35);
  const atom = isNested
    ? grouped(scope, random.chance(0.5) ? choice(scope, depth + 1) : sequence(scope, depth + 1))
    : set(scope);
  if (random.chance(0.55)) return atom;
  const [text, least, most] = quantifier(random);
  const lazy = random.chance(0.15) ? '?' : '';
  const count = (): number => least + random.below(Math.min(most, least + 3) - least + 1);
  return {
    text: `${atom.text}${text}${lazy}`,
    sample: () => Array.from({ length: count() }, () => atom.sample()).join(''),
  };
}

function quantifier(random: Random): readonly [text: string, least: number, most: number] {
  const least = random.below(4);
  const most = least + random.below(4);
  return random.pick([
    ['*', 0, Infinity],
    ['+', 1, Infinity],
    ['?', 0, 1],
    [`{${least}}`, least, least],
    [`{${least},}`, least, Infinity],
    [`{${least},${most}}`, least, most],
  ]);
}

function grouped({ random }: Scope, body: Part): Part {
  return { text: `(${random.chance(0.5) ? '?:' : ''}${body.text})`, sample: body.sample };
}

function set(scope: Scope): Part {
  const { random } = scope;
  scope.budget -= 1;
  const [text, samples] =
    scope.sets?.pop() ?? (random.chance(0.5) ? random.pick(SINGLE) : randomClass(random, scope.foldsCase));
  return { text, sample: () => random.pick(samples) };
}

/** A class of literals, ranges and Perl classes, negated or not. */
function randomClass(random: Random, foldsCase: boolean): readonly [text: string, samples: readonly string[]] {
  const items = random.times(1, 4, () => random.pick(foldsCase ? ASCII_ITEMS : ITEMS));
  const negated = random.chance(0.4);
  const samples = negated ? INTERESTING : items.flatMap(([, inside]) => inside);
  return [`[${negated ? '^' : ''}${items.map(([text]) => text).join('')}${random.chance(0.1) ? '-' : ''}]`, samples];
}

const ASCII_ITEMS: readonly (readonly [text: string, samples: readonly string[]])[] = [
  ['a', ['a', 'A']],
  ['k', ['k', 'K', '\u212a']],
  ['S', ['s', 'S', '\u017f']],
  ['b-y', ['b', 'q', 'y', 'K', 's']],
  ['0-9', ['0', '5', '9']],
  ['\\d', ['0', '9']],
  ['\\w', ['_', 'k', '7', '\u212a']],
  ['\\s', ['\t', '\n', '\r', ' ']],
  ['\\W', ['-', '\u{1f600}', '\u00e9', '\ud83d']],
  ['\\S', ['\v', 'x', '\u{10ffff}', '\udc00']],
  ['\\D', ['x', '\u{10000}', '\uffff']],
  ['\\-', ['-']],
  ['\\]', [']']],
  ['\\^', ['^']],
  ['\\n', ['\n']],
  ['.', ['.']],
  ['$', ['$']],
];

const ITEMS: typeof ASCII_ITEMS = [
  ...ASCII_ITEMS,
  ['\u00e0-\u00fc', ['\u00e0', '\u00e9', '\u00fc']],
  ['\u00ff-\u0101', ['\u00ff', '\u0100', '\u0101']],
  ['\u2028', ['\u2028']],
  ['\ud7ff-\ue000', ['\ud7ff', '\ud800', '\udbff', '\udc00', '\udfff', '\ue000']],
  ['\uffff', ['\uffff']],
  ['\uff00-\u{10010}', ['\uff00', '\uffff', '\u{10000}', '\u{10010}']],
  ['\u{1f600}', ['\u{1f600}']],
  ['\u{1f600}-\u{1f64f}', ['\u{1f600}', '\u{1f633}', '\u{1f64f}']],
  ['\u{1f3ff}-\u{1f400}', ['\u{1f3ff}', '\u{1f400}']],
  ['\u{103ff}-\u{10400}', ['\u{103ff}', '\u{10400}']],
  ['\u{10fffe}-\u{10ffff}', ['\u{10fffe}', '\u{10ffff}']],
];

/** At the boundaries of encodings, case folding, line ends and surrogates. */
const INTERESTING = [
  '',
  'a',
  'z',
  'A',
  'k',
  'K',
  's',
  'S',
  '0',
  '_',
  '-',
  '.',
  '$',
  '^',
  '\0',
  '\t',
  '\n',
  '\v',
  '\r',
  ' ',
  '\x7f',
  '\x80',
  '\x85',
  '\xa0',
  '\u00e9',
  '\u00ff',
  '\u0100',
  '\u017f',
  '\u0130',
  '\u0131',
  '\u212a',
  '\u2028',
  '\u2029',
  '\ud7ff',
  '\ud800',
  '\ud83d',
  '\udbff',
  '\udc00',
  '\ude00',
  '\udfff',
  '\ue000',
  '\ufeff',
  '\uffff',
  '\u{10000}',
  '\u{103ff}',
  '\u{10400}',
  '\u{1f600}',
  '\u{1f64f}',
  '\u{10ffff}',
];

const SINGLE: typeof ASCII_ITEMS = [
  ['a', ['a', 'A']],
  ['b', ['b', 'B']],
  ['k', ['k', '\u212a']],
  ['S', ['S', '\u017f']],
  ['-', ['-']],
  ['/', ['/']],
  ['\\.', ['.']],
  ['\\$', ['$']],
  ['\\\\', ['\\']],
  ['\\n', ['\n']],
  ['\\v', ['\v']],
  ['\\t', ['\t']],
  ['.', ['x', '\r', '\u2028', '\u{1f600}', '\ud800', '\udfff']],
  ['\\d', ['0', '9']],
  ['\\w', ['a', '_']],
  ['\\s', [' ', '\n']],
  ['\\D', ['a', '\u{1f600}', '\ud83d']],
  ['\\W', ['-', '\u{1f600}', '\u212a']],
  ['\\S', ['a', '\v', '\u{10ffff}']],
  ['\u00e9', ['\u00e9']],
  ['\u017f', ['\u017f']],
  ['\uffff', ['\uffff']],
  ['\u{1f600}', ['\u{1f600}']],
  ['\u{10ffff}', ['\u{10ffff}']],
  ['[\\s\\S]', INTERESTING],
];

/** No two have a common code point, with or without case folding. */
const DISJOINT: typeof ASCII_ITEMS = [
  ['a', ['a', 'A']],
  ['[bc]', ['b', 'c', 'B']],
  ['[d-f]', ['d', 'f', 'E']],
  ['[g-j]', ['g', 'j']],
  ['k', ['k', 'K', '\u212a']],
  ['s', ['s', 'S', '\u017f']],
  ['[x-z]', ['x', 'z']],
  ['\\d', ['0', '9']],
  ['-', ['-']],
  ['\\.', ['.']],
  ['_', ['_']],
  ['\\n', ['\n']],
  ['[ \\t]', [' ', '\t']],
  ['/', ['/']],
  [
    '[^ -~\\s\u017f\u212a]',
    ['\v', '\u00e9', '\u2028', '\u{1f600}', '\u{10ffff}', '\ud83d', '\ude00', '\ud800', '\udfff'],
  ],
];

/** Sets at the boundary of one UTF-16 unit, in place of the one wide set; not under `(?i)`. */
const WIDE: typeof ASCII_ITEMS = [
  ['[\u0080-\u00ff]', ['\u0080', '\u00e9', '\u00ff']],
  ['[\u0100-\u017e]', ['\u0100', '\u017e']],
  ['[\u2000-\u20ff]', ['\u2028', '\u2029']],
  ['[\ue000-\uffff]', ['\ue000', '\uffff']],
  ['[\u{10000}-\u{103ff}]', ['\u{10000}', '\u{103ff}']],
  ['[\u{10400}\u{1f600}-\u{1f64f}]', ['\u{10400}', '\u{1f600}', '\u{1f64f}']],
  ['[\u{1f650}-\u{10ffff}]', ['\u{1f650}', '\u{10ffff}']],
  ['[\ud7ff-\udfff]', ['\ud7ff', '\ud800', '\udbff', '\udc00', '\udfff']],
];

function shuffled(random: Random, sets: typeof ASCII_ITEMS): (typeof ASCII_ITEMS)[number][] {
  const all = random.chance(0.5) ? [...sets] : [...sets.slice(0, -1), ...WIDE];
  for (let last = all.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [all[last], all[other]] = [all[other] as (typeof ASCII_ITEMS)[number], all[last] as (typeof ASCII_ITEMS)[number]];
  }
  return all;
}

function textFor(random: Random, part: Part, foldsCase: boolean): string {
  const kind = random.below(20);
  if (kind < 3) return around(random, 6);
  if (kind === 3) return part.sample().repeat(1 + random.below(40));
  const text = kind < 10 ? part.sample() : damaged(random, part.sample());
  const inside = foldsCase && random.chance(0.3) ? text.toUpperCase() : text;
  return random.chance(0.5) ? inside : `${around(random, 3)}${inside}${around(random, 3)}`;
}

function around(random: Random, most: number): string {
  return random.times(0, most, () => random.pick(INTERESTING)).join('');
}

/** One UTF-16 unit dropped, doubled, replaced or inserted; this may leave half of a pair. */
function damaged(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const dropped = random.below(2);
  return `${text.slice(0, at)}${random.chance(0.5) ? random.pick(INTERESTING) : ''}${text.slice(at + dropped)}`;
}
