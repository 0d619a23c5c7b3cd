import { refuse } from './failures.js';
import { formattingError, formatValue } from './format-clause.js';
import { parseTemplate, type Verb } from './format-template.js';
import { isList } from './kinds.js';
import { CelError, type Result } from './values.js';

/** `template.format(args)` (conditions.md 2.4.1). The first trouble from the left is the result; surplus arguments are ignored. */
export function format(template: Result, args: Result): Result {
  if (typeof template !== 'string' || !isList(args)) return refuse('format', template, args);
  let text = '';
  let used = 0;
  for (const part of parseTemplate(template)) {
    if (part.kind === 'text') {
      text += part.text;
      continue;
    }
    const value = args[used];
    if (value === undefined) return new CelError(`index ${used} out of range`);
    if (part.kind === 'problem') return new CelError(part.message);
    const formatted = formatValue(part.verb, part.precision, value);
    if (formatted instanceof CelError) return formatted;
    text += formatted;
    used += 1;
  }
  return text;
}

/** What the compiler knows of an argument of a literal `format` call. */
export interface FormatArgument {
  /** The name of its static type without parameters (`int`, `list`, `net.IP`); absent when it is dyn. */
  readonly typeName?: string;
  /** The elements of a list literal, the keys and values of a map literal: `%s` looks into them. */
  readonly elements?: readonly FormatArgument[];
}

/** What is wrong with a literal call at compile time; undefined when nothing is (conditions.md 2.4.1, 6.5). */
export function checkFormat(template: string, args: readonly FormatArgument[]): string | undefined {
  let used = 0;
  for (const part of parseTemplate(template)) {
    if (part.kind === 'text') continue;
    const argument = args[used];
    if (argument === undefined) return `index ${used} out of range`;
    if (part.kind === 'problem') return part.message;
    const unfit = unfitFor(part.verb, argument);
    if (unfit !== undefined) return formattingError(part.verb, unfit).message;
    used += 1;
  }
  if (args.length <= used) return undefined;
  return `too many arguments supplied to string.format (expected ${used}, got ${args.length})`;
}

const NUMBERS = ['int', 'uint', 'double'];

const ACCEPTED: { readonly [verb in Verb]: readonly string[] } = {
  s: [
    ...NUMBERS,
    'bool',
    'string',
    'bytes',
    'list',
    'map',
    'null_type',
    'type',
    'google.protobuf.Timestamp',
    'google.protobuf.Duration',
  ],
  d: NUMBERS,
  f: NUMBERS,
  e: NUMBERS,
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'bytes', 'string'],
  X: ['int', 'uint', 'bytes', 'string'],
  o: ['int', 'uint'],
};

/** The name of the first type that the clause does not take. */
function unfitFor(verb: Verb, argument: FormatArgument): string | undefined {
  if (argument.typeName !== undefined && !ACCEPTED[verb].includes(argument.typeName)) return argument.typeName;
  if (verb !== 's') return undefined;
  for (const element of argument.elements ?? []) {
    const unfit = unfitFor(verb, element);
    if (unfit !== undefined) return unfit;
  }
  return undefined;
}
