import { append } from '../append.js';
import { PACKAGE_NAMES } from '../package-names.js';
import { WIDTH } from './doc.js';

/** Where generated modules import the parts of the runtime from: `authz/runtime/cel`. */
export function runtimePart(name: string): string {
  return `${PACKAGE_NAMES.library}/runtime/${name}`;
}

/** An import of another generated module: exported names, with the local name of each. */
export interface Import {
  readonly from: string;
  readonly names: readonly { readonly name: string; readonly as: string }[];
}

/**
 * The import lines of a module body: only names that the body mentions are imported. The runtime first, then sorted by specifier.
 * @param body the text below the imports.
 */
export function importLines(body: string, own: readonly Import[]): string {
  const mentioned = new Set(body.match(COMMENT_TEXT_OR_IMPORTED));
  const mentions = (name: string): boolean => mentioned.has(name);
  const lines: string[] = [];
  if (mentions('cel')) lines.push(`import * as cel from '${runtimePart('cel')}';`);
  const contract = CONTRACT.filter(({ name }) => mentions(name));
  if (contract.length > 0) lines.push(contractImport(contract));
  if (mentions('residual')) lines.push(`import * as residual from '${runtimePart('residual')}';`);
  append(lines, schemaImports(mentions));
  for (const { from, names } of [...own].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)))
    lines.push(wrapped(names.map(renamed).sort(), from));
  return lines.join('\n');
}

/** Packages before modules of the bundle. */
function sortKey({ from }: Import): string {
  return `${from.startsWith('.') ? 1 : 0}${from}`;
}

/** The imports of policies that validate against schema modules. */
function schemaImports(mentions: (name: string) => boolean): readonly string[] {
  const names = ['unavailable', 'violationsOf'].filter(mentions);
  return [
    ...(mentions('rowsThatSatisfy') ? [`import { rowsThatSatisfy } from '${runtimePart('row-schema')}';`] : []),
    ...(names.length === 0 ? [] : [wrapped(names, runtimePart('schema'))]),
  ];
}

/** The exports of `authz/runtime/policy` that generated code may use, in the order of its imports. */
const CONTRACT = [
  { name: 'ALLOW', type: false },
  { name: 'anyOf', type: false },
  { name: 'ANYONE', type: false },
  { name: 'DENY', type: false },
  { name: 'derivedRole', type: false },
  { name: 'glob', type: false },
  { name: 'literalAndGlob', type: false },
  { name: 'matchesAny', type: false },
  { name: 'principalPolicy', type: false },
  { name: 'reaches', type: false },
  { name: 'resourcePolicy', type: false },
  { name: 'rolePolicy', type: false },
  { name: 'rowsOf', type: false },
  { name: 'AttemptedCondition', type: true },
  { name: 'Filters', type: true },
  { name: 'Output', type: true },
  { name: 'PlannedCondition', type: true },
  { name: 'PolicyBundle', type: true },
  { name: 'Query', type: true },
  { name: 'Request', type: true },
  { name: 'RoleRule', type: true },
  { name: 'Rule', type: true },
  { name: 'TenantRoles', type: true },
  { name: 'TracedBundle', type: true },
  { name: 'TracedCondition', type: true },
] as const;

/**
 * Every name that may need an import, as a word that is neither a property nor a key; comments and string literals are
 * skipped.
 */
const COMMENT_TEXT_OR_IMPORTED = new RegExp(
  [
    String.raw`^\s*//.*$`,
    String.raw`'(?:[^'\\]|\\.)*'`,
    String.raw`"(?:[^"\\]|\\.)*"`,
    String.raw`(?<![\w$.])(?:${['cel', 'residual', 'rowsThatSatisfy', 'unavailable', 'violationsOf', ...CONTRACT.map(({ name }) => name)].join('|')})(?![\w$:])`,
  ].join('|'),
  'gm',
);

function contractImport(names: readonly (typeof CONTRACT)[number][]): string {
  if (names.every(({ type }) => type))
    return wrapped(
      names.map(({ name }) => name),
      runtimePart('policy'),
      'import type',
    );
  return wrapped(
    names.map(({ name, type }) => (type ? `type ${name}` : name)),
    runtimePart('policy'),
  );
}

function renamed({ name, as }: Import['names'][number]): string {
  return name === as ? name : `${name} as ${as}`;
}

function wrapped(names: readonly string[], from: string, keyword = 'import'): string {
  const flat = `${keyword} { ${names.join(', ')} } from '${from}';`;
  return flat.length <= WIDTH ? flat : `${keyword} {\n${filled(names)}\n} from '${from}';`;
}

/** As many names per line as fit: readers look at the code more often than at its imports. */
function filled(names: readonly string[]): string {
  const lines: string[] = [];
  let line = ' ';
  for (const name of names) {
    if (line.length + name.length + 2 > WIDTH && line !== ' ') {
      lines.push(line);
      line = ' ';
    }
    line += ` ${name},`;
  }
  return [...lines, line].join('\n');
}
