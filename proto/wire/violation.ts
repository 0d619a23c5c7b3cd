import { shortened } from '../../runtime/cel/code-points.js';

/**
 * A rule of the request messages that a request breaks (docs/spec/server.md#form-of-violations), in the terms of
 * buf.validate.Violation.
 */
export interface Violation {
  /** From the request down; empty for a rule about the whole request. */
  readonly field: readonly FieldElement[];
  readonly rule: Rule;
  /** Whether the key of the map entry that `field` ends in broke the rule. */
  readonly forKey: boolean;
}

/** One step of a field path: a field, perhaps one item or one entry of it. */
export interface FieldElement {
  readonly number: number;
  /** As the .proto file has it: snake_case. */
  readonly name: string;
  readonly type: FieldType;
  readonly index?: number;
  /** An entry of a map from string to message. */
  readonly key?: string;
}

export interface Rule {
  readonly id: string;
  readonly message: string;
  /** Where the rule stands in buf.validate.FieldRules; empty for a rule written as an expression. */
  readonly path: readonly FieldElement[];
}

/** The numbers of google.protobuf.FieldDescriptorProto.Type. */
export const FIELD_TYPES = {
  TYPE_UINT64: 4,
  TYPE_INT32: 5,
  TYPE_BOOL: 8,
  TYPE_STRING: 9,
  TYPE_MESSAGE: 11,
  TYPE_UINT32: 13,
  TYPE_ENUM: 14,
} as const;
export type FieldType = keyof typeof FIELD_TYPES;

/** The violations of one request: the first of them, and how many there are. */
export interface Violations {
  readonly first: readonly Violation[];
  readonly count: number;
}

/**
 * The most violations of a request that are kept: its sender does not read more, and a small request can have a
 * million.
 */
export const MAX_VIOLATIONS = 100;
/** A key in a path is cut to this many characters. */
const MAX_KEY_LENGTH = 64;
/**
 * All keys in the paths of a request's violations have at most this many characters: each is escaped several times in
 * an answer.
 */
const MAX_KEYS_LENGTH = 2000;

/** The violations of a request that satisfies all rules. */
export const NONE: Violations = Object.freeze({ first: Object.freeze([]), count: 0 });

/** Collects the violations of one request. What it keeps is bounded, whatever the size of the request. */
export class FoundViolations implements Violations {
  readonly first: Violation[] = [];
  count = 0;
  #isFull = false;
  #keysLength = 0;

  /**
   * Adds a violation of the field, or of the message at `path` when there is none. Beyond the first ones it only
   * counts.
   */
  add(
    rule: Rule,
    forKey: boolean,
    path: Place | undefined,
    element: FieldElement | undefined,
    at: number | string | undefined,
  ): void {
    this.count += 1;
    if (this.#isFull) return;
    const field = elementsOf(element === undefined ? path : within(path, element, at));
    for (const { key } of field) this.#keysLength += key?.length ?? 0;
    this.#isFull = this.first.length + 1 >= MAX_VIOLATIONS || this.#keysLength > MAX_KEYS_LENGTH;
    this.first.push({ field, rule, forKey });
  }
}

/** Where validation is in a request: a field, perhaps one item or one entry of it, and the message around it. */
export interface Place {
  readonly around: Place | undefined;
  readonly field: FieldElement;
  /** The index of an item, or the key of an entry. */
  readonly at: number | string | undefined;
}

/** A field of the message at `path`. */
export function within(path: Place | undefined, field: FieldElement, at?: number | string): Place {
  return { around: path, field, at };
}

/** Adds a violation about a field, or about the message at `path` when there is none. */
export function report(
  found: FoundViolations,
  rule: Rule,
  path: Place | undefined,
  field?: FieldElement,
  at?: number | string,
): void {
  found.add(rule, false, path, field, at);
}

/** Adds a violation about the key of a map entry. */
export function reportKey(
  found: FoundViolations,
  rule: Rule,
  path: Place | undefined,
  field: FieldElement,
  key: string,
): void {
  found.add(rule, true, path, field, key);
}

function elementsOf(place: Place | undefined): readonly FieldElement[] {
  const elements: FieldElement[] = [];
  for (let one = place; one !== undefined; one = one.around) elements.push(elementAt(one));
  return elements.reverse();
}

function elementAt({ field, at }: Place): FieldElement {
  if (at === undefined) return field;
  return typeof at === 'number' ? { ...field, index: at } : { ...field, key: shortened(at, MAX_KEY_LENGTH) };
}

/** `validation error: PATH: TEXT`, or a line for each violation and one that says how many more there are. */
export function violationsMessage({ first, count }: Violations): string {
  if (count === 1) return `validation error: ${lineOf(first[0] as Violation)}`;
  const lines = first.map(lineOf);
  if (count > first.length) lines.push(`and ${count - first.length} more`);
  return `validation errors:${lines.map((line) => `\n - ${line}`).join('')}`;
}

/** `PATH: TEXT`; without a path when the rule is about the whole request. */
export function lineOf({ field, rule }: Violation): string {
  const path = pathText(field);
  return path === '' ? rule.message : `${path}: ${rule.message}`;
}

function pathText(path: readonly FieldElement[]): string {
  return path.map((element) => element.name + subscript(element)).join('.');
}

function subscript(element: FieldElement): string {
  if (element.index !== undefined) return `[${element.index}]`;
  if (element.key !== undefined) return `[${JSON.stringify(element.key)}]`;
  return '';
}
