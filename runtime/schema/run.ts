import { shortened } from '../cel/code-points.js';
import type { SchemaViolation } from '../policy/index.js';
import type { Evaluated } from './evaluated.js';
import type { Place } from './place.js';
import { moreViolations } from './unlisted.js';

/**
 * A JSON schema, or one keyword of it: whether a value satisfies it. What is wrong is reported to the run, at the place
 * of the value (docs/spec/policy-language.md#validation-errors).
 */
export type Schema = (value: unknown, place: Place, run: Run) => boolean;

/**
 * The schemas that `$dynamicRef` may find by name: those of the resource being applied, and of the resources around it.
 */
export interface DynamicScope {
  readonly outer: DynamicScope | undefined;
  readonly anchors: ReadonlyMap<string, () => Schema>;
}

/**
 * One validation of some attributes: what was found so far, and how much work is left. Attributes come from outside: a
 * schema that refers to itself must neither overflow the stack nor take exponential time.
 */
export class Run {
  /** What the schema object being applied has looked at; absent where nobody asks. */
  evaluated: Evaluated | undefined;
  scope: DynamicScope | undefined;
  private readonly found: SchemaViolation[] = [];
  /** All violations, those that are not kept among them. */
  private count = 0;
  /** Characters of the violations that are kept. */
  private length = 0;
  private depth = 0;
  private work = 0;
  private limit: string | undefined;

  /** Starts the application of a schema object; false when it must not be applied any more. */
  enter(): boolean {
    if (this.depth >= MAX_DEPTH) this.limit ??= TOO_DEEP;
    this.depth += 1;
    return this.spend(1);
  }

  leave(): void {
    this.depth -= 1;
  }

  /** Counts steps of work; false when there were too many. */
  spend(steps: number): boolean {
    this.work += steps;
    if (this.work > MAX_WORK) this.limit ??= 'attributes take too long to be validated';
    return this.limit === undefined;
  }

  /** Starts to look at a part of a value, so many levels down in it; false when it must not be looked at. */
  enterValue(depth: number): boolean {
    if (this.depth + depth >= MAX_DEPTH) this.limit ??= TOO_DEEP;
    return this.spend(1);
  }

  /**
   * Notes what is wrong at a place. Always false, so that a keyword can return it. A message that quotes attributes is
   * a function: it is called only while there is room.
   */
  report(place: Place, message: string | (() => string)): false {
    this.count += 1;
    if (this.isFull) return false;
    const text = typeof message === 'string' ? message : message();
    const violation = { path: shortened(place.text, MAX_TEXT), message: shortened(text, MAX_TEXT) };
    this.found.push(violation);
    this.length += lengthOf(violation);
    return false;
  }

  /** Whether further violations are counted only. */
  get isFull(): boolean {
    return this.found.length >= MAX_VIOLATIONS || this.length >= MAX_LENGTH;
  }

  /** Counts violations that there is no room for. Always false, as `report` is. */
  reportUnlisted(count: number): false {
    this.count += count;
    return false;
  }

  /** How many violations there are: a place to come back to. */
  get mark(): number {
    return this.count;
  }

  /** Forgets the violations since a mark: they were of a branch that did not matter. */
  forget(mark: number): void {
    this.count = mark;
    for (const violation of this.found.splice(mark)) this.length -= lengthOf(violation);
  }

  /**
   * What is wrong, sorted by path and message, and last how much more there is. Beyond the limits of the run that is
   * the one violation: the attributes were not judged.
   */
  violations(): readonly SchemaViolation[] {
    if (this.limit !== undefined) return [{ path: '/', message: this.limit }];
    const listed = this.found.sort((a, b) => compare(a.path, b.path) || compare(a.message, b.message));
    const more = this.count - listed.length;
    return more === 0 ? listed : [...listed, moreViolations(more)];
  }
}

/** Schema objects applied within one another. Each takes up to five frames of the stack. */
export const MAX_DEPTH = 500;
/** Schema objects applied, members and items looked at. */
const MAX_WORK = 1_000_000;
/** The most violations of some attributes that are listed: an answer must not be many times the size of its request. */
const MAX_VIOLATIONS = 100;
/** No further violation is listed once those listed have this many characters: each names the keys that lead to it. */
const MAX_LENGTH = 10_000;
/** A path or a message is cut to this many characters: both quote keys, and messages quote values. */
export const MAX_TEXT = 1_000;

const TOO_DEEP = 'attributes nest too deeply to be validated';

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function lengthOf({ path, message }: SchemaViolation): number {
  return path.length + message.length;
}
