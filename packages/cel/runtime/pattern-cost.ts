/** What it costs to parse and compile a regular expression, at most. */
export interface PatternCost {
  /** Instructions of the program, with repetitions written out: `(a{3}){4}` has more than twelve. */
  readonly instructions: number;
  readonly steps: number;
  readonly bytes: number;
}

/**
 * Bounds what it costs to compile a pattern in RE2's syntax, in time linear in its length. A count multiplies what it
 * repeats, so a pattern of 3,000 characters may stand for 600,000 instructions. Invalid patterns cost what it takes to
 * refuse them: counts that multiply to more than 1,000 are not expanded.
 */
export function costOfPattern(pattern: string): PatternCost {
  const scan = new Scan(pattern);
  const instructions = scan.instructions();
  const added = Math.max(0, instructions - pattern.length);
  return {
    instructions,
    steps: STEPS_A_UNIT * (pattern.length + 4) + STEPS_AN_INSTRUCTION * added + scan.steps,
    bytes: BYTES_A_UNIT * pattern.length + BYTES_AN_INSTRUCTION * added + scan.bytes,
  };
}

/** Instructions that no pattern may have, whatever the limits of a call are: they take 100 MB. */
export const MAX_INSTRUCTIONS = 125_000;

/** Whether a pattern is refused whatever the limits of a call are. */
export function isTooLarge(pattern: string): boolean {
  return costOfPattern(pattern).instructions > MAX_INSTRUCTIONS;
}

/** Measured, with re2js 2.10: for each unit of a pattern. */
const STEPS_A_UNIT = 200;
const BYTES_A_UNIT = 500;
/** Steps for each instruction that a count adds. */
const STEPS_AN_INSTRUCTION = 60;
const BYTES_AN_INSTRUCTION = 800;
/** Steps for `\pL`: hundreds of ranges. */
const STEPS_A_UNICODE_CLASS = 5000;
const BYTES_A_UNICODE_CLASS = 50_000;
/** Steps for each code point of a range whose case is ignored. */
const STEPS_A_FOLDED = 3;
const BYTES_A_FOLDED = 0.5;
/** The code points that have a case. */
const FIRST_FOLDED = 0x41;
const LAST_FOLDED = 0x1e943;

/** RE2 refuses counts that multiply to more. */
const MAX_COUNT = 1000;

/** A group that is open, or the whole pattern. */
interface Group {
  /** Instructions of all its parts before the last. */
  done: number;
  /** Instructions of its last part, which a quantifier would repeat. */
  last: number;
  /** What counts in its last part multiply to, and in the parts before it. */
  lastCount: number;
  count: number;
}

const QUANTIFIER = /\{(\d+)(?:(,)(\d*))?\}/y;
const GROUP_START = /\((?:\?P?<[^>()]*>|\?([A-Za-z-]*)([:)]))?/y;
const ESCAPE = /\\(?:x\{([0-9A-Fa-f]*)\}|x([0-9A-Fa-f]{2})|([pP])(?:\{[^}\\]*\}|.)?|(.))/sy;

/** One pass over a pattern. */
class Scan {
  steps = 0;
  bytes = 0;
  private at = 0;
  private foldsCase = false;
  private isRefused = false;
  private lastNameEnd: number | undefined;

  constructor(private readonly pattern: string) {}

  instructions(): number {
    const outer: Group[] = [];
    let group = newGroup();
    while (this.at < this.pattern.length) {
      switch (this.pattern.charAt(this.at)) {
        case '(': {
          const [, flags, end] = this.token(GROUP_START) ?? [];
          if (flags?.includes('i') === true) this.foldsCase = true;
          if (end === ')') break;
          outer.push(group);
          group = newGroup();
          break;
        }
        case ')': {
          this.at += 1;
          const around = outer.pop();
          if (around === undefined) break;
          // A group that captures has an instruction at each end.
          addPart(around, Math.max(group.done + group.last, 1) + 2, Math.max(group.count, group.lastCount));
          group = around;
          break;
        }
        case '|':
          this.at += 1;
          addPart(group, 0, 1);
          // One to choose, and one for an empty branch.
          group.done += 2;
          break;
        case '*':
        case '+':
        case '?':
          this.at += 1;
          group.last += 2;
          break;
        case '{':
          this.quantify(group);
          break;
        case '[':
          this.characterClass();
          addPart(group, 1, 1);
          break;
        case '\\':
          if (this.pattern.startsWith('\\Q', this.at)) this.quoted(group);
          else {
            this.escape();
            addPart(group, 1, 1);
          }
          break;
        default:
          this.at += 1;
          addPart(group, 1, 1);
      }
    }
    // Groups that are not closed make the pattern invalid. One instruction fails, one matches.
    const all = [...outer, group].reduce((sum, { done, last }) => sum + done + last, 2);
    return this.isRefused ? Math.min(all, this.pattern.length) : all;
  }

  private quantify(group: Group): void {
    const [, first, comma, second] = this.token(QUANTIFIER) ?? [];
    if (first === undefined) {
      this.at += 1;
      addPart(group, 1, 1);
      return;
    }
    const min = Number(first);
    const isOpen = comma !== undefined && second === '';
    const max = comma === undefined || isOpen ? min : Number(second);
    group.lastCount = max === 0 && !isOpen ? 1 : group.lastCount * Math.max(max, 1);
    if (max < min || group.lastCount > MAX_COUNT) this.isRefused = true;
    group.last = isOpen ? Math.max(min, 1) * group.last + 2 : Math.max(max * group.last + (max - min), 1);
  }

  /** `\Q...\E`: characters. */
  private quoted(group: Group): void {
    const end = this.pattern.indexOf('\\E', this.at + 2);
    const length = (end === -1 ? this.pattern.length : end) - this.at - 2;
    this.at += length + (end === -1 ? 2 : 4);
    if (length > 1) addPart(group, length - 1, 1);
    if (length > 0) addPart(group, 1, 1);
  }

  private characterClass(): void {
    this.at += this.pattern.startsWith('[^', this.at) ? 2 : 1;
    // A bracket that comes first is a character.
    for (let isFirst = true; this.at < this.pattern.length; isFirst = false) {
      if (this.pattern.charAt(this.at) === ']' && !isFirst) {
        this.at += 1;
        return;
      }
      if (this.pattern.startsWith('[:', this.at) && this.hasNameEnd())
        this.at = this.pattern.indexOf(':]', this.at) + 2;
      else this.range();
    }
  }

  private hasNameEnd(): boolean {
    this.lastNameEnd ??= this.pattern.lastIndexOf(':]');
    return this.at < this.lastNameEnd;
  }

  /** A character of a class, or two with a dash between them. */
  private range(): void {
    const low = this.character();
    if (this.pattern.charAt(this.at) !== '-' || this.pattern.charAt(this.at + 1) === ']') return;
    this.at += 1;
    const high = this.at < this.pattern.length ? this.character() : low;
    if (!this.foldsCase) return;
    const folded = Math.max(0, Math.min(high, LAST_FOLDED) - Math.max(low, FIRST_FOLDED));
    this.steps += STEPS_A_FOLDED * folded;
    this.bytes += BYTES_A_FOLDED * folded;
  }

  private character(): number {
    if (this.pattern.charAt(this.at) === '\\') return this.escape();
    const code = this.pattern.codePointAt(this.at) as number;
    this.at += code > 0xffff ? 2 : 1;
    return code;
  }

  /** Returns the code point that is meant; of a class, any. */
  private escape(): number {
    const [, braced, hex, unicode, other] = this.token(ESCAPE) ?? [];
    if (unicode !== undefined) {
      this.steps += STEPS_A_UNICODE_CLASS;
      this.bytes += BYTES_A_UNICODE_CLASS;
    }
    if (braced !== undefined || hex !== undefined) return Number.parseInt(braced ?? hex ?? '', 16) || 0;
    if (other === undefined && unicode === undefined) this.at += 1;
    return other?.codePointAt(0) ?? 0;
  }

  private token(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.pattern) ?? undefined;
    if (found !== undefined) this.at = pattern.lastIndex;
    return found;
  }
}

function newGroup(): Group {
  return { done: 0, last: 0, lastCount: 1, count: 1 };
}

function addPart(group: Group, instructions: number, count: number): void {
  group.done += group.last;
  group.count = Math.max(group.count, group.lastCount);
  group.last = instructions;
  group.lastCount = count;
}
