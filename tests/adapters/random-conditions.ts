import type { JsonValue } from '../../runtime/residual/filters.js';
import type { Random } from '../support/oracle/random.js';

/** Random conditions about the fields of the conformance kit. */
export function randomCondition(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.3)) return atom(random);
  const inner = (): string => `(${randomCondition(random, depth - 1)})`;
  return random.pick([
    () => `!${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
  ])();
}

function atom(random: Random): string {
  return random.pick([
    () => scalarTest(random, TEXTS, NUMBERS),
    () => scalarTest(random, TEXTS, NUMBERS),
    () => random.pick(['R.attr.shared', '!R.attr.shared', 'R.attr.shared == true', 'R.attr.shared != null']),
    () => `has(${random.pick([...TEXTS, ...NUMBERS, 'R.attr.shared', 'R.attr.home', 'R.attr.tags'])})`,
    () => `${literal(random.pick(WORDS))} in R.attr.tags`,
    () => `hasIntersection(R.attr.tags, ${list(random)})`,
    () => `R.attr.tags.${random.pick(['exists(t, t ==', 'all(t, t !='])} ${literal(random.pick(WORDS))})`,
    () => `size(R.attr.${random.pick(['tags', 'shares'])}) ${random.pick(['== 0', '> 0', '!= 0', '< 1', '>= 1'])}`,
    () => {
      const test = random.chance(0.6)
        ? scalarTest(random, ['s.user', 's.role'], [])
        : `${random.pick(['', '!'])}has(s.role) ${random.pick(['&&', '||'])} ${scalarTest(random, ['s.user', 's.role'], [])}`;
      return `R.attr.shares.${random.pick(['exists', 'all'])}(s, ${test})`;
    },
    () => `R.attr.tags.${random.pick(['exists', 'all'])}(t, ${scalarTest(random, ['t'], [])})`,
    () => `(R.attr.shared ? ${random.pick(TEXTS)} : ${random.pick(TEXTS)}) == ${literal(random.pick(WORDS))}`,
  ])();
}

function scalarTest(random: Random, texts: readonly string[], numbers: readonly string[]): string {
  const order = (): string => random.pick(['==', '!=', '<', '<=', '>', '>=']);
  const text = random.pick(texts);
  if (numbers.length > 0 && random.chance(0.4)) {
    const number = random.pick(numbers);
    return random.pick([
      () => `${number} ${order()} ${double(random.pick(VALUES))}`,
      () => `${double(random.pick(VALUES))} ${order()} ${number}`,
      () => `${number} in [${double(random.pick(VALUES))}, ${double(random.pick(VALUES))}, null]`,
    ])();
  }
  return random.pick([
    () => `${text} ${order()} ${literal(random.pick(WORDS))}`,
    () => `${literal(random.pick(WORDS))} ${order()} ${text}`,
    () => `${text} in ${list(random)}`,
    () => `${text}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${literal(random.pick(WORDS))})`,
    () => `${text} == ${random.pick(['null', '1', 'true', 'P.id'])}`,
    () => `${text} != ${random.pick(['null', '1', 'true', 'P.id'])}`,
    () => `type(${text}) ${random.pick(['==', '!='])} ${random.pick(['string', 'double', 'null_type'])}`,
    () => text,
  ])();
}

/** A row whose values have the types of the fields. */
export function randomTypedAttributes(random: Random): { readonly [name: string]: JsonValue } {
  const word = (): string => random.pick(WORDS);
  const maybe = (name: string, value: () => JsonValue): { readonly [name: string]: JsonValue } =>
    random.chance(0.25) ? {} : { [name]: value() };
  const integer = (): number => random.pick([0, 1, 2, 3, -1, 2147483647, -2147483648]);
  return {
    ...maybe('owner', word),
    ...maybe('status', word),
    ...maybe('amount', integer),
    price: random.chance(0.25) ? null : random.pick(VALUES),
    ...maybe('shared', () => random.chance(0.5)),
    tags: random.times(0, 3, word),
    ...maybe('home', () => ({ ...maybe('city', word), ...maybe('size', integer) })),
    shares: random.times(0, 3, () => ({ user: word(), ...maybe('role', word) })),
  };
}

const TEXTS = ['R.attr.owner', 'R.attr.owner', 'R.attr.status', 'R.attr.home.city', 'R.id'];
const NUMBERS = ['R.attr.amount', 'R.attr.price', 'R.attr.home.size'];
const WORDS = [
  '',
  'a',
  'b',
  'ab',
  'A',
  'a%',
  '%',
  '_',
  '*',
  'a*',
  '\\',
  '$a',
  "'",
  '"',
  'é',
  'e\u0301',
  'b\n',
  '\u{1F600}',
  '\uffff',
  'anna',
];
const VALUES = [0, -0, 1, 2, 2.5, -1, 0.1, 2147483647, 2147483648, 9007199254740992, 1e308, -1e308, 5e-324];

function literal(text: string): string {
  return JSON.stringify(text);
}

function list(random: Random): string {
  const words = random.times(1, 3, () => literal(random.pick(WORDS)));
  return random.chance(0.2)
    ? `[${[...words, random.pick(['null', '1.0', 'true'])].join(', ')}]`
    : `[${words.join(', ')}]`;
}

function double(number: number): string {
  const text = Object.is(number, -0) ? '-0' : String(number);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
