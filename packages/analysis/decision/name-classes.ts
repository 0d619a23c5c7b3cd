import { glob, type GlobState, type GlobStates, globStates, parseGlob } from '../../../runtime/policy/index.js';

/** Names in classes: all names of one class match the same literals and globs. */
export interface NameClasses {
  /** Each is a class of its own; sorted. */
  readonly named: readonly string[];
  /** One name of each class of all other names; sorted. */
  readonly others: readonly string[];
  /** Whether these are all classes: globs that take too many states together are not walked. */
  readonly isComplete: boolean;
}

const MOST_STATES = 4096;

/**
 * The classes of names.
 *
 * @param preferred names that represent the class they are in, if no literal does; first come, first served.
 * @param accepts what else a name has to be.
 */
export function nameClasses(
  literals: Iterable<string>,
  globs: Iterable<string>,
  preferred: readonly string[],
  accepts: (name: string) => boolean = () => true,
): NameClasses {
  const named = new Set(literals);
  const patterns = [...new Set(globs)].filter((pattern) => pattern !== '*').sort();
  const matchers = patterns.map((pattern) => glob(pattern));
  const keyOfName = (name: string): string => matchers.map((matches) => (matches(name) ? 1 : 0)).join('');
  const found = new Map<string, string | undefined>();
  const add = (name: string): void => {
    if (name === '' || named.has(name)) return;
    const key = keyOfName(name);
    if (found.get(key) !== undefined) return;
    const variants = [name, `1${name.slice(1)}`, name.replaceAll(/[^\w.:]/g, '_'), `${name}!`];
    found.set(
      key,
      variants.find((variant) => accepts(variant) && !named.has(variant) && keyOfName(variant) === key),
    );
  };
  for (const name of preferred) add(name);
  for (const pattern of patterns) for (const name of exampleNames(pattern)) add(name);
  const isWalked = walk(patterns, named, add);
  const others = [...found.values()].filter((name) => name !== undefined);
  return { named: [...named].sort(), others: others.sort(), isComplete: isWalked && others.length === found.size };
}

/** Names that are easy to read, and those where the ends of `a:**:c` overlap, as in `a:c`. */
function exampleNames(pattern: string): readonly string[] {
  const [start = '', end = ''] = pattern.split(/\*+/);
  const overlaps = Array.from({ length: Math.min(start.length, end.length) }, (_, index) => index + 1)
    .filter((length) => start.endsWith(end.slice(0, length)))
    .map((length) => start + end.slice(length));
  return [pattern.replaceAll(/\*+|\?/g, 'x'), ...overlaps];
}

/** The number of steps of automata. */
const MOST_STEPS = 5_000_000;

/**
 * Walks all automata at once, breadth first, and adds a name for each state; literals are paths of their own. Returns
 * whether it saw all states.
 */
function walk(patterns: readonly string[], literals: ReadonlySet<string>, add: (name: string) => void): boolean {
  const automata = patterns.flatMap((pattern) => {
    const tokens = parseGlob(pattern);
    return tokens === undefined ? [] : [globStates(tokens)];
  });
  const prefixes = new Set(
    [...literals].flatMap((name) => [...name].map((_, index, all) => all.slice(0, index + 1).join(''))),
  );
  const codes = chooseAlphabet(automata, literals);
  const seen = new Set<string>();
  let names: readonly (readonly [name: string, states: readonly GlobState[]])[] = [
    ['', automata.map((automaton) => automaton.start)],
  ];
  let steps = 0;
  while (names.length > 0) {
    const next: [string, readonly GlobState[]][] = [];
    for (const [name, states] of names)
      for (const code of codes) {
        steps += automata.length + 1;
        const longer = name + String.fromCodePoint(code);
        const after = states.map((state, index) => (automata[index] as GlobStates).after(state, code));
        const key = prefixes.has(longer) ? `=${longer}` : joinStates(after);
        if (seen.has(key)) continue;
        if (seen.size >= MOST_STATES || steps > MOST_STEPS) return false;
        seen.add(key);
        add(longer);
        next.push([longer, after]);
      }
    names = next;
  }
  return true;
}

function joinStates(states: readonly GlobState[]): string {
  return states.map((state) => state.join()).join(';');
}

/** A character of each class of characters that all automata treat alike: the easiest to read. */
function chooseAlphabet(automata: readonly GlobStates[], literals: ReadonlySet<string>): readonly number[] {
  const ofLiterals = [...new Set([...literals].join(''))].flatMap((character) => {
    const code = character.codePointAt(0) as number;
    return [code, code + 1];
  });
  const bounds = [...new Set([0, ...ofLiterals, ...automata.flatMap((automaton) => automaton.bounds)])].sort(
    (a, b) => a - b,
  );
  const ease = (code: number): number => (READABLE.includes(code) ? READABLE.indexOf(code) : READABLE.length);
  return bounds
    .flatMap((first, index) => readable(first, (bounds[index + 1] ?? LAST + 1) - 1))
    .sort((a, b) => ease(a) - ease(b) || a - b);
}

const LAST = 0x10ffff;
const READABLE = [...'xabcdefghijklmnopqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_.'].map((c) => c.charCodeAt(0));

/** Surrogates are no characters. */
function readable(first: number, last: number): readonly number[] {
  const known = READABLE.find((code) => first <= code && code <= last);
  if (known !== undefined) return [known];
  const [from, to] = [
    first >= 0xd800 && first <= 0xdfff ? 0xe000 : first,
    last >= 0xd800 && last <= 0xdfff ? 0xd7ff : last,
  ];
  return from > to ? [] : [Math.max(from, Math.min(to, 0x21))];
}
