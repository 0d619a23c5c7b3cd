import { shortened } from '../../runtime/cel/code-points.js';

/**
 * A rule of the request messages that a request breaks (docs/spec/server.md#form-of-violations): buf.validate.Violation
 * in its JSON form.
 */
export interface Violation extends Rule {
  /** From the request down; absent for a rule about the whole request. */
  readonly field?: FieldPath;
  /** Whether the key of the map entry that `field` ends in broke the rule. */
  readonly forKey?: true;
}

export interface FieldPath {
  readonly elements: readonly FieldElement[];
}

/** One step of a field path: a field, perhaps one item or one entry of it. */
export interface FieldElement {
  readonly fieldNumber: number;
  /** As the .proto file has it: snake_case. */
  readonly fieldName: string;
  readonly fieldType: FieldType;
  readonly index?: string;
  /** An entry of a map from string to message. */
  readonly keyType?: 'TYPE_STRING';
  readonly valueType?: 'TYPE_MESSAGE';
  readonly stringKey?: string;
}

export interface Rule {
  readonly ruleId: string;
  readonly message: string;
  /** Where the rule stands in buf.validate.FieldRules; absent for a rule written as an expression. */
  readonly rule?: FieldPath;
}

/** Values of google.protobuf.FieldDescriptorProto.Type. */
export type FieldType =
  | 'TYPE_UINT64'
  | 'TYPE_INT32'
  | 'TYPE_BOOL'
  | 'TYPE_STRING'
  | 'TYPE_MESSAGE'
  | 'TYPE_UINT32'
  | 'TYPE_ENUM';

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
    const elements = elementsOf(element === undefined ? path : within(path, element, at));
    for (const { stringKey } of elements) this.#keysLength += stringKey?.length ?? 0;
    this.#isFull = this.first.length + 1 >= MAX_VIOLATIONS || this.#keysLength > MAX_KEYS_LENGTH;
    this.first.push(violationOf(elements, rule, forKey));
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

/** Members are in the order of the definition, in which JSON has them. */
function violationOf(elements: readonly FieldElement[], { rule, ruleId, message }: Rule, forKey: boolean): Violation {
  return {
    ...(elements.length > 0 && { field: { elements } }),
    ...(rule !== undefined && { rule }),
    ruleId,
    message,
    ...(forKey && { forKey }),
  };
}

function elementsOf(place: Place | undefined): readonly FieldElement[] {
  const elements: FieldElement[] = [];
  for (let one = place; one !== undefined; one = one.around) elements.push(elementAt(one));
  return elements.reverse();
}

function elementAt({ field, at }: Place): FieldElement {
  if (at === undefined) return field;
  if (typeof at === 'number') return { ...field, index: String(at) };
  return { ...field, keyType: 'TYPE_STRING', valueType: 'TYPE_MESSAGE', stringKey: shortened(at, MAX_KEY_LENGTH) };
}

/** `validation error: PATH: TEXT`, or a line for each violation and one that says how many more there are. */
export function violationsMessage({ first, count }: Violations): string {
  if (count === 1) return `validation error: ${lineOf(first[0] as Violation)}`;
  const lines = first.map(lineOf);
  if (count > first.length) lines.push(`and ${count - first.length} more`);
  return `validation errors:${lines.map((line) => `\n - ${line}`).join('')}`;
}

/** `PATH: TEXT`; without a path when the rule is about the whole request. */
export function lineOf({ field, message }: Violation): string {
  return field === undefined ? message : `${pathText(field)}: ${message}`;
}

function pathText({ elements }: FieldPath): string {
  return elements.map((element) => element.fieldName + subscript(element)).join('.');
}

function subscript(element: FieldElement): string {
  if (element.index !== undefined) return `[${element.index}]`;
  if (element.stringKey !== undefined) return `[${JSON.stringify(element.stringKey)}]`;
  return '';
}
