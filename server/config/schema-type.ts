import * as v from 'valibot';
import { nearestName } from '../../packages/cel/nearest-name.js';
import { unknownKey } from './config-error.js';
import { maskText } from './mask.js';

/** What a key may hold: a schema of the plain value in a file, where integers are bigints. */
export type Type<T = unknown> = v.GenericSchema<unknown, T>;

/** A JSON Schema (draft 7), as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What a schema cannot say about the values that it accepts. */
export interface About {
  /** The kind of the value, for the documentation. */
  readonly words?: string;
  /** Keywords of the JSON Schema of a file, for editors. */
  readonly json?: JsonSchema;
  /** The value in the form in which `config print` shows it: durations in one form, secrets masked. */
  readonly show?: (written: unknown) => unknown;
}

/** Adds what the documentation, editors and `config print` need to know about a type. */
export function about<T>(facts: About): v.MetadataAction<T, { readonly [fact: string]: unknown }> {
  return v.metadata({ ...facts });
}

/** What was added to a type. */
export function readAbout(type: Type): About {
  return v.getMetadata(unwrap(type));
}

/** The kind of the values of a type, for the documentation and messages. */
export function describeType(type: Type): string {
  const item = findItem(type);
  return readAbout(type).words ?? (item === undefined ? 'anything' : `list: ${describeType(item)}`);
}

/** The type of the items of a list; undefined for other types. */
export function findItem(type: Type): Type | undefined {
  return 'item' in type ? (type.item as Type) : undefined;
}

/** The type of the values of a map of any names; undefined for other types. */
export function findValue(type: Type): Type | undefined {
  const inner = unwrap(type);
  return 'value' in inner ? (inner.value as Type) : undefined;
}

/** The types of the fields of a map; undefined for other types. */
export function findFields(type: Type): { readonly [field: string]: Type } | undefined {
  const inner = unwrap(type);
  return 'fields' in inner ? (inner.fields as { readonly [field: string]: Type }) : undefined;
}

/** The types of a value that has one of several; undefined for other types. */
export function findForms(type: Type): readonly Type[] | undefined {
  return 'forms' in type ? (type.forms as readonly Type[]) : undefined;
}

/** The type of a field that may be left out. */
function unwrap(type: Type): Type {
  return 'wrapped' in type ? (type.wrapped as Type) : type;
}

/** The message of an issue, which continues the name of the key. The value is quoted, unless it may be a secret. */
export function mustBe(wanted: string, quoting = true): (issue: v.BaseIssue<unknown>) => string {
  return ({ input }) => `must be ${wanted}${quoting && isScalar(input) ? `, not \`${shortened(String(input))}\`` : ''}`;
}

/** A message that names its subject itself. */
export function sentence(message: string): string {
  return `${SENTENCE}${message}`;
}

const SENTENCE = '\n';

/** A type of values that are written in one form and used in another: `read` returns undefined for what it refuses. */
export function readBy<T>(
  read: (written: unknown) => T | undefined,
  wanted: string | ((written: unknown) => string),
  quoting = true,
): Type<T> {
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, T>(({ dataset: { value }, addIssue, NEVER }) => {
      const result = read(value);
      if (result === undefined)
        addIssue({ message: mustBe(typeof wanted === 'string' ? wanted : wanted(value), quoting) });
      return result ?? NEVER;
    }),
  );
}

/** A list of values of one type. */
export function makeList<T extends Type>(item: T) {
  return v.pipe(v.array(item, mustBe(`a list: ${describeType(item)}`)), v.readonly());
}

/** A map of any names to values of one type. */
export function makeMap<T extends Type>(item: T) {
  const schema = v.pipe(
    v.custom<{ readonly [name: string]: unknown }>(isMap, 'must be a map'),
    v.rawTransform<{ readonly [name: string]: unknown }, { readonly [name: string]: v.InferOutput<T> }>(
      ({ dataset: { value: input }, addIssue }) =>
        Object.fromEntries(
          Object.entries(input).map(([key, value]) => {
            const { output, issues = [] } = v.safeParse(item, value);
            for (const { message, path = [] } of issues)
              addIssue({ message, path: makePath(key, ...path.map((step) => step.key as string | number)) });
            return [key, output as v.InferOutput<T>];
          }),
        ),
    ),
    about({ json: { type: 'object' } }),
  );
  return Object.assign(schema, { value: item });
}

/** A map with these fields and no others, as an item of a list. */
export function fields<const F extends v.ObjectEntries>(types: F) {
  const unknownField = ({ input, expected }: v.BaseIssue<unknown>): string =>
    expected === 'never' ? (nearestName(String(input), Object.keys(types)) ?? '') : '';
  const schema = v.pipe(v.custom<object>(isMap, 'must be a map'), v.strictObject(types, unknownField));
  return Object.assign(schema, { fields: types });
}

/** A value of one of two types, which its form tells apart. */
export function either<T extends Type, U extends Type>(isFirst: (written: unknown) => boolean, first: T, second: U) {
  const type = v.lazy((written): Type<v.InferOutput<T> | v.InferOutput<U>> => (isFirst(written) ? first : second));
  return Object.assign(type, { forms: [first, second] });
}

/** The way from a value to a part of it that an issue is about. */
export function makePath(...keys: readonly (string | number)[]): [v.IssuePathItem, ...v.IssuePathItem[]] {
  const [first, ...rest] = keys.map(
    (key) => ({ type: 'unknown', origin: 'value', input: {}, key, value: {} }) as const,
  );
  if (first === undefined) throw new Error('the path is empty');
  return [first, ...rest];
}

/** An issue as the message of an error, with the name of the key. */
export function describeIssue(issue: v.BaseIssue<unknown>): string {
  const path = issue.path ?? [];
  const key = writePath(path);
  const parent = writePath(path.slice(0, -1));
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return unknownKey(key, issue.message === '' ? undefined : `${parent}.${issue.message}`);
  if (issue.type === 'strict_object') return `\`${parent}\` has no \`${String(path.at(-1)?.key)}\``;
  if (issue.message.startsWith(SENTENCE)) return issue.message.slice(SENTENCE.length);
  return `\`${key}\`${issue.message.startsWith(':') ? '' : ' '}${issue.message}`;
}

function writePath(path: readonly { readonly key?: unknown }[]): string {
  return path
    .map(({ key }, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${key}`))
    .join('');
}

export function isMap(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value that YAML writes without a list or a map. */
export function isScalar(value: unknown): value is string | number | bigint | boolean | null {
  return typeof value !== 'object' || value === null;
}

/** How much of a value an error message quotes, in characters. */
const LONGEST_QUOTE = 100;

function shortened(written: string): string {
  const line = maskText(written.replace(/\s+/g, ' '));
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}...` : line;
}
