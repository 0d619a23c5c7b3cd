import { shortened } from '../../packages/cel/runtime/code-points.js';

/**
 * A rule of the request messages that a request breaks (docs/spec/server.md#form-of-violations): buf.validate.Violation
 * in its JSON form.
 */
export interface Violation extends Rule {
  /** Path from the request down; absent for a rule about the whole request. */
  readonly field?: FieldPath;
  /** Whether the key of the map entry that `field` ends in broke the rule. */
  readonly forKey?: true;
}

export interface FieldPath {
  readonly elements: readonly FieldElement[];
}

/** One segment of a field path: a field, possibly with an item or entry of it. */
export interface FieldElement {
  readonly fieldNumber: number;
  /** Name as in the .proto file: snake_case. */
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
  /** The path in buf.validate.FieldRules; absent for a rule written as an expression. */
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

/** The violations of one request: the first ones, and the total count. */
export interface Violations {
  readonly first: readonly Violation[];
  readonly count: number;
}

/**
 * The maximum number of violations that are kept for a request: senders do not read more, and a small request can have
 * a million.
 */
export const MAX_VIOLATIONS = 100;
/** A key in a path is truncated to this many characters. */
const MAX_KEY_LENGTH = 64;
/**
 * The maximum total length of the keys in the paths of a request's violations, in characters: each is escaped several
 * times in a response.
 */
const MAX_KEYS_LENGTH = 2000;

/** The violations of a request that satisfies all rules. */
export const NONE: Violations = Object.freeze({ first: Object.freeze([]), count: 0 });

/** Collects the violations of one request. The collected data is bounded, regardless of the size of the request. */
export class FoundViolations implements Violations {
  readonly first: Violation[] = [];
  count = 0;
  #isFull = false;
  #keysLength = 0;

  /**
   * Adds a violation of the field, or of the message at `path` if there is no field. Beyond the maximum it only counts.
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
    const elements = listElements(element === undefined ? path : within(path, element, at));
    for (const { stringKey } of elements) this.#keysLength += stringKey?.length ?? 0;
    this.#isFull = this.first.length + 1 >= MAX_VIOLATIONS || this.#keysLength > MAX_KEYS_LENGTH;
    this.first.push(makeViolation(elements, rule, forKey));
  }
}

/**
 * The current position of validation in a request: a field, possibly with an item or entry of it, and the enclosing
 * message.
 */
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

/** Adds a violation of a field, or of the message at `path` if there is no field. */
export function report(
  found: FoundViolations,
  rule: Rule,
  path: Place | undefined,
  field?: FieldElement,
  at?: number | string,
): void {
  found.add(rule, false, path, field, at);
}

/** Adds a violation of the key of a map entry. */
export function reportKey(
  found: FoundViolations,
  rule: Rule,
  path: Place | undefined,
  field: FieldElement,
  key: string,
): void {
  found.add(rule, true, path, field, key);
}

/** Properties are in the order of the definition, as in JSON. */
function makeViolation(elements: readonly FieldElement[], { rule, ruleId, message }: Rule, forKey: boolean): Violation {
  return {
    ...(elements.length > 0 && { field: { elements } }),
    ...(rule !== undefined && { rule }),
    ruleId,
    message,
    ...(forKey && { forKey }),
  };
}

function listElements(place: Place | undefined): readonly FieldElement[] {
  const elements: FieldElement[] = [];
  for (let one = place; one !== undefined; one = one.around) elements.push(elementAt(one));
  return elements.reverse();
}

function elementAt({ field, at }: Place): FieldElement {
  if (at === undefined) return field;
  if (typeof at === 'number') return { ...field, index: String(at) };
  return { ...field, keyType: 'TYPE_STRING', valueType: 'TYPE_MESSAGE', stringKey: shortened(at, MAX_KEY_LENGTH) };
}

/** `validation error: PATH: TEXT`, or a line for each violation and one with the number of further ones. */
export function violationsMessage({ first, count }: Violations): string {
  if (count === 1) return `validation error: ${formatLine(first[0] as Violation)}`;
  const lines = first.map(formatLine);
  if (count > first.length) lines.push(`and ${count - first.length} more`);
  return `validation errors:${lines.map((line) => `\n - ${line}`).join('')}`;
}

/** `PATH: TEXT`; without a path if the rule is about the whole request. */
export function formatLine({ field, message }: Violation): string {
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
