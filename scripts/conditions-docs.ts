import { printType } from '../packages/cel/library/types.js';
import { sections } from '../packages/cel/library/functions.js';
import type { FunctionSection, LibraryFunction, Overload } from '../packages/cel/library/function.js';
import type { Entry, Section } from './conditions/entry.js';
import { HEAD } from './conditions/head.js';
import { MACROS, OPERATORS } from './conditions/operators.js';

/** Returns docs/conditions.md: operators and macros from scripts/conditions, functions from their table. */
export function conditionsPage(): string {
  return [HEAD, ...[OPERATORS, MACROS, ...sections.map(functionSection)].map(sectionText)].join('\n');
}

/** An entry for each name; rows of one name become one. */
function functionSection({ rows, ...section }: FunctionSection): Section {
  const names = [...new Set(rows.map(({ name }) => name))];
  return { ...section, entries: names.map((name) => entryOfRows(rows.filter((row) => row.name === name))) };
}

function entryOfRows(rows: readonly LibraryFunction[]): Entry {
  const [{ name }] = rows as [LibraryFunction];
  const signatures = rows.flatMap(({ overloads }) => overloads.map((overload) => signatureOf(name, overload)));
  return {
    name,
    signatures: [...new Set(signatures)],
    meaning: rows.map(({ meaning }) => meaning).join(' '),
    examples: rows.flatMap(({ examples }) => examples),
  };
}

function sectionText({ title, intro, entries }: Section): string {
  return [`## ${title}`, '', ...(intro === undefined ? [] : [intro, '']), ...entries.map(entryText)].join('\n');
}

function entryText(entry: Entry): string {
  const lines = entry.examples.map(([expression, value]) => `${expression}  // => ${value}`);
  return [
    `### \`${entry.name}\``,
    '',
    entry.meaning,
    '',
    '```text',
    ...entry.signatures,
    '```',
    '',
    '```cel',
    ...lines,
    '```',
    '',
  ].join('\n');
}

/** `string.indexOf(string, int) -> int`. */
function signatureOf(name: string, { form, parameters, result }: Overload): string {
  const types = parameters.map(shownType);
  const [receiver, ...rest] = types;
  return form === 'member'
    ? `${receiver}.${name}(${rest.join(', ')}) -> ${shownType(result)}`
    : `${name}(${types.join(', ')}) -> ${shownType(result)}`;
}

function shownType(type: Overload['result']): string {
  if (type.kind === 'parameter') return type.name;
  if (type.kind === 'list') return `list(${shownType(type.element)})`;
  if (type.kind === 'map') return `map(${shownType(type.key)}, ${shownType(type.value)})`;
  if (type.kind === 'optional') return `optional(${shownType(type.value)})`;
  if (type.kind === 'timestamp') return 'timestamp';
  return printType(type).replace(/^authz\.lib\./, '');
}
