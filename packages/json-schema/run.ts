import { shortened } from '../cel/runtime/code-points.js';
import type { Evaluated } from './evaluated.js';
import { Place } from './place.js';
import { moreViolations } from './unlisted.js';
import type { SchemaViolation, Violations } from './violation.js';

/**
 * A JSON schema, or one keyword of it: whether a value satisfies it. Violations are reported to the run, at the place
 * of the value (docs/spec/policy-language.md#validation-errors).
 */
export type Schema = (value: unknown, place: Place, run: Run) => boolean;

/** The schemas that `$dynamicRef` can find by name: those of the current resource and of the resources around it. */
export interface DynamicScope {
  readonly outer: DynamicScope | undefined;
  readonly anchors: ReadonlyMap<string, () => Schema>;
}

/**
 * One validation of attributes: the violations so far, and the remaining work. Attributes are untrusted: a schema that
 * refers to itself must neither overflow the stack nor take exponential time.
 */
export class Run {
  /** What the current schema object has evaluated; absent if no keyword needs it. */
  evaluated: Evaluated | undefined;
  scope: DynamicScope | undefined;
  private readonly found: SchemaViolation[] = [];
  /** The number of violations, including those that are not kept. */
  private count = 0;
  /** The characters of the violations that are kept. */
  private length = 0;
  private depth = 0;
  private work = 0;
  private limit: string | undefined;

  /** Begins to apply a schema object; false if a limit forbids it. */
  enter(): boolean {
    if (this.depth >= MAX_DEPTH) this.limit ??= TOO_DEEP;
    this.depth += 1;
    return this.spend(1);
  }

  leave(): void {
    this.depth -= 1;
  }

  /** Counts steps of work; false if there were too many. */
  spend(steps: number): boolean {
    this.work += steps;
    if (this.work > MAX_WORK) this.limit ??= 'attributes take too long to be validated';
    return this.limit === undefined;
  }

  /** Begins with a part of a value, at a depth in it; false if a limit forbids it. */
  enterValue(depth: number): boolean {
    if (this.depth + depth >= MAX_DEPTH) this.limit ??= TOO_DEEP;
    return this.spend(1);
  }

  /**
   * Reports a violation at a place. Always false, so that a keyword can return it. A message that quotes attributes is
   * a function, which is only called if the violation is kept.
   */
  report(place: Place, message: string | (() => string)): false {
    this.count += 1;
    if (this.isFull) return false;
    const text = typeof message === 'string' ? message : message();
    const violation = { path: shortened(place.text, MAX_TEXT), message: shortened(text, MAX_TEXT) };
    this.found.push(violation);
    this.length += measureViolation(violation);
    return false;
  }

  /** Whether further violations are only counted. */
  get isFull(): boolean {
    return this.found.length >= MAX_VIOLATIONS || this.length >= MAX_LENGTH;
  }

  /** Counts violations that are not kept. Always false, as `report`. */
  reportUnlisted(count: number): false {
    this.count += count;
    return false;
  }

  /** The number of violations, to return to. */
  get mark(): number {
    return this.count;
  }

  /** Drops the violations since a mark, of a branch that does not count. */
  forget(mark: number): void {
    this.count = mark;
    for (const violation of this.found.splice(mark)) this.length -= measureViolation(violation);
  }

  /**
   * The violations, sorted by path and message, and last the number of those that are not listed. If the run exceeded a
   * limit, that is the only violation, as the attributes were not validated completely.
   */
  violations(): readonly SchemaViolation[] {
    if (this.limit !== undefined) return [{ path: '/', message: this.limit }];
    const listed = this.found.sort((a, b) => compare(a.path, b.path) || compare(a.message, b.message));
    const more = this.count - listed.length;
    return more === 0 ? listed : [...listed, moreViolations(more)];
  }
}

/** The depth of nested schema objects. Each takes up to five frames of the stack. */
export const MAX_DEPTH = 500;
/** The number of schema objects applied, and of members and items visited. */
const MAX_WORK = 1_000_000;
/** The number of violations that are listed: a response must not be many times the size of its request. */
const MAX_VIOLATIONS = 100;
/** The number of characters of the listed violations after which no further one is listed: each names its keys. */
const MAX_LENGTH = 10_000;
/** A path or a message is cut to this many characters: both quote keys, and messages quote values. */
export const MAX_TEXT = 1_000;

const TOO_DEEP = 'attributes nest too deeply to be validated';

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function measureViolation({ path, message }: SchemaViolation): number {
  return path.length + message.length;
}

/**
 * The violations of a schema by attributes, for the reference of a policy
 * (docs/spec/policy-language.md#validation-errors).
 */
export function violationsOf(schema: Schema): Violations {
  return (attributes) => {
    const run = new Run();
    schema(attributes, Place.root(), run);
    return run.violations();
  };
}

/**
 * Replaces a schema that could not be loaded, which is a violation without a place
 * (docs/spec/policy-language.md#enforcement).
 */
export function unavailable(message: string): Violations {
  return () => [{ path: '', message }];
}
