/** The identifiers of one module: each is assigned once. */
export class Names {
  private readonly taken: Set<string>;
  private readonly locals = new Set<string>();
  /** The next number by wish, so that thousands of equal wishes take linear time. */
  private readonly numbers = new Map<string, number>();

  /**
   * @param reserved identifiers that must not be assigned.
   * @param words more of them, shared by all modules.
   */
  constructor(
    reserved: Iterable<string>,
    private readonly words: ReadonlySet<string> = NO_WORDS,
  ) {
    this.taken = new Set(reserved);
  }

  /** An identifier close to the wish: the wish itself, or with `_2`, `_3` ... if it is taken. */
  fresh(wish: string): string {
    let name = wish;
    let number = this.numbers.get(wish) ?? 2;
    for (; this.isTaken(name) || this.locals.has(name); number += 1) name = `${wish}_${number}`;
    this.numbers.set(wish, number);
    this.taken.add(name);
    return name;
  }

  /**
   * A parameter's name close to the wish and different from the outer ones; other functions may reuse it, the module
   * may not.
   */
  local(wish: string, outer: ReadonlySet<string>): string {
    let name = wish;
    for (let i = 2; this.isTaken(name) || outer.has(name); i += 1) name = `${wish}_${i}`;
    this.locals.add(name);
    return name;
  }

  /** All identifiers that were reserved or assigned, those of parameters included. */
  get assigned(): readonly string[] {
    return [...this.taken, ...this.locals];
  }

  private isTaken(name: string): boolean {
    return NEVER_GIVEN.has(name) || this.words.has(name) || this.taken.has(name);
  }
}

/** `owner-rule` -> `ownerRule`; `fallback` for a string without letters and digits. */
export function camelCase(text: string, fallback: string): string {
  let name = '';
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && isWordCharacter(text.charCodeAt(index))) continue;
    if (start < index) {
      const word = text.slice(start, index);
      name += name === '' ? lowerFirst(word) : upperFirst(word);
    }
    start = index + 1;
  }
  if (name === '') return fallback;
  return isDigit(name.charCodeAt(0)) ? `_${name}` : name;
}

function isWordCharacter(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** `leave approver` -> `LEAVE_APPROVER`. */
export function constantCase(text: string, fallback: string): string {
  const name = splitWords(text)
    .map((word) => word.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase())
    .join('_');
  if (name === '') return fallback;
  return /^\d/.test(name) ? `_${name}` : name;
}

/** `owner` -> `Owner`. */
export function upperFirst(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function splitWords(text: string): readonly string[] {
  return text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
}

function lowerFirst(word: string): string {
  return /^[A-Z0-9]+$/.test(word) ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}

const NO_WORDS: ReadonlySet<string> = new Set();

const RESERVED_WORDS = (
  'abstract any arguments as async await bigint boolean break case catch class const continue debugger declare default delete do else enum ' +
  'eval export extends false finally for from function get if implements import in instanceof interface let module namespace ' +
  'never new null number object of package private protected public readonly return set static string super switch symbol ' +
  'this throw true try type typeof undefined unknown var void while with yield'
).split(' ');

const GLOBALS = ['Infinity', 'NaN', 'Map', 'Set', 'Uint8Array', 'Object', 'globalThis'];

const NEVER_GIVEN: ReadonlySet<string> = new Set([...RESERVED_WORDS, ...GLOBALS]);
