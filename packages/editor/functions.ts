import type { CelFunction, Overload } from '../cel/library/function.js';
import { functions } from '../cel/library/functions.js';
import { printType } from '../cel/library/types.js';

/** The signatures of a function, one a line: `string.startsWith(string) -> bool`. */
export function formatSignatures(name: string): string | undefined {
  const rows = functions.filter((row) => row.name === name);
  if (rows.length === 0) return MACROS.get(name);
  return rows.flatMap(({ overloads }) => overloads.map((overload) => formatSignature(name, overload))).join('\n');
}

/** What a function does, and examples; undefined for macros. */
function describeFunction(name: string): string | undefined {
  const rows = functions.filter((row) => row.name === name);
  if (rows.length === 0) return undefined;
  const examples = rows.flatMap((row) => row.examples.map(([expression, value]) => `${expression}  // => ${value}`));
  return `${rows.map(({ meaning }) => meaning).join(' ')}\n\n${fenced(examples.join('\n'))}`;
}

/** The documentation of a function or macro in Markdown: its signatures, what it does, and examples. */
export function formatDocumentation(name: string): string | undefined {
  const signatures = formatSignatures(name);
  return signatures && [fenced(signatures), describeFunction(name)].filter((part) => part !== undefined).join('\n\n');
}

function fenced(text: string): string {
  return `\`\`\`cel\n${text}\n\`\`\``;
}

function formatSignature(name: string, { form, parameters, result }: Overload): string {
  const types = parameters.map(printType);
  const [receiver, ...rest] = types;
  return form === 'member'
    ? `${receiver}.${name}(${rest.join(', ')}) -> ${printType(result)}`
    : `${name}(${types.join(', ')}) -> ${printType(result)}`;
}

/** Functions that can be called without a receiver, and macros; those of a namespace by their whole names. */
export function globalFunctions(): readonly string[] {
  return [...new Set([...functions.filter(has('global')).map(({ name }) => name), 'has', 'cel.bind'])].sort();
}

/**
 * Functions of a receiver of some kinds.
 *
 * @param kinds undefined if it can have any.
 */
export function memberFunctions(kinds: ReadonlySet<string> | undefined): readonly string[] {
  const suits = ({ form, parameters: [receiver] }: Overload): boolean =>
    form === 'member' &&
    receiver !== undefined &&
    (kinds === undefined || kinds.has(receiver.kind) || receiver.kind === 'dyn' || receiver.kind === 'parameter');
  const names = functions.filter(({ overloads }) => overloads.some(suits)).map(({ name }) => name);
  const macros = kinds === undefined || kinds.has('list') || kinds.has('map') ? COMPREHENSIONS : [];
  return [...new Set([...names, ...macros])].sort();
}

function has(form: Overload['form']): (row: CelFunction) => boolean {
  return ({ overloads }) => overloads.some((overload) => overload.form === form);
}

const COMPREHENSIONS = ['all', 'exists', 'exists_one', 'filter', 'map', 'sortBy', 'transformList', 'transformMap'];

const MACROS: ReadonlyMap<string, string> = new Map([
  ['has', 'has(value.field) -> bool'],
  ['cel.bind', 'cel.bind(name, value, expression)'],
  ['all', 'list.all(x, condition) -> bool'],
  ['exists', 'list.exists(x, condition) -> bool'],
  ['exists_one', 'list.exists_one(x, condition) -> bool'],
  ['filter', 'list.filter(x, condition) -> list'],
  ['map', 'list.map(x, expression) -> list'],
  ['sortBy', 'list.sortBy(x, key) -> list'],
  ['transformList', 'list.transformList(i, x, expression) -> list'],
  ['transformMap', 'map.transformMap(key, value, expression) -> map'],
]);
