import { printType } from '../packages/cel/library/types.js';
import { functions } from '../packages/cel/library/functions.js';
import type { Overload } from '../packages/cel/library/function.js';
import type { Entry, Section } from './conditions/entry.js';
import { FUNCTIONS } from './conditions/functions.js';
import { HEAD } from './conditions/head.js';
import { MACROS, OPERATORS } from './conditions/operators.js';

/**
 * Returns docs/conditions.md, with signatures from the table of functions and descriptions and examples from
 * scripts/conditions. Throws if a function is missing in one of them.
 */
export function conditionsPage(): string {
  const named = new Set(FUNCTIONS.flatMap(({ entries }) => entries.map(({ name }) => name)));
  const missing = functions.filter(({ name }) => !named.has(name));
  if (missing.length > 0)
    throw new Error(`scripts/conditions/functions.ts does not describe ${missing.map(({ name }) => name).join(', ')}`);
  return [HEAD, ...[OPERATORS, MACROS, ...FUNCTIONS].map(sectionText)].join('\n');
}

function sectionText({ title, intro, entries }: Section): string {
  return [`## ${title}`, '', ...(intro === undefined ? [] : [intro, '']), ...entries.map(entryText)].join('\n');
}

function entryText(entry: Entry): string {
  const signatures = entry.signatures ?? signaturesOf(entry.name);
  const lines = entry.examples.map(([expression, value]) => `${expression}  // => ${value}`);
  return [
    `### \`${entry.name}\``,
    '',
    entry.meaning,
    '',
    '```text',
    ...signatures,
    '```',
    '',
    '```cel',
    ...lines,
    '```',
    '',
  ].join('\n');
}

/** Each signature once: `string.indexOf(string, int) -> int`. */
function signaturesOf(name: string): readonly string[] {
  const overloads = functions.filter((row) => row.name === name).flatMap((row) => row.overloads);
  if (overloads.length === 0) throw new Error(`there is no function \`${name}\``);
  return [...new Set(overloads.map((overload) => signatureOf(name, overload)))];
}

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
