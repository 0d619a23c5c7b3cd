import type { SchemaViolation } from '../policy/index.js';
import type { Evaluated } from './evaluated.js';
import type { Place } from './place.js';

/**
 * A JSON schema, or one keyword of it: whether a value satisfies it. What is wrong is reported to the run, at the place of the value
 * (policy-language.md 10.5).
 */
export type Schema = (value: unknown, place: Place, run: Run) => boolean;

/** The schemas that `$dynamicRef` may find by name: those of the resource being applied, and of the resources around it. */
export interface DynamicScope {
  readonly outer: DynamicScope | undefined;
  readonly anchors: ReadonlyMap<string, () => Schema>;
}

/**
 * One validation of some attributes: what was found so far, and how much work is left. Attributes come from outside: a schema that refers
 * to itself must neither overflow the stack nor take exponential time.
 */
export class Run {
  /** What the schema object being applied has looked at; absent where nobody asks. */
  evaluated: Evaluated | undefined;
  scope: DynamicScope | undefined;
  private readonly found: SchemaViolation[] = [];
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

  /** Notes what is wrong at a place. Always false, so that a keyword can return it. */
  report(place: Place, message: string): false {
    if (!this.isFull) this.found.push({ path: place.text, message });
    return false;
  }

  /** Whether further violations would not be listed. */
  get isFull(): boolean {
    return this.found.length >= MAX_VIOLATIONS;
  }

  /** How many violations there are: a place to come back to. */
  get mark(): number {
    return this.found.length;
  }

  /** Forgets the violations since a mark: they were of a branch that did not matter. */
  forget(mark: number): void {
    this.found.length = mark;
  }

  /** All that is wrong, sorted by path and message. Beyond the limits of the run that is the one violation: the attributes were not judged. */
  violations(): readonly SchemaViolation[] {
    if (this.limit !== undefined) return [{ path: '/', message: this.limit }];
    return this.found.sort((a, b) => compare(a.path, b.path) || compare(a.message, b.message));
  }
}

/** Schema objects applied within one another. Each takes up to five frames of the stack. */
const MAX_DEPTH = 500;
/** Schema objects applied, members and items looked at. */
const MAX_WORK = 1_000_000;
const MAX_VIOLATIONS = 1000;

const TOO_DEEP = 'attributes nest too deeply to be validated';

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
