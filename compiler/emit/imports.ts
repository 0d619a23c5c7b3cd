import { posix } from 'node:path';
import { type ImportedName, type ModuleImport, type Section, makeSection } from '../ir/emitted-file.js';
import { PACKAGE_NAMES } from '../package-names.js';
import { WIDTH } from './doc.js';

/** Where generated modules import the parts of the runtime from: `authz/runtime/cel`. */
export function runtimePart(name: string): string {
  return `${PACKAGE_NAMES.library}/runtime/${name}`;
}

/** An import of a module: exported names, with the local name of each; `*` for all of it. */
export interface Import {
  /** The specifier in the text. */
  readonly from: string;
  readonly names: readonly Name[];
}

interface Name extends ImportedName {
  readonly isType?: boolean;
}

/** The import statements of a module. */
export interface Imports {
  /** None if it imports nothing. */
  readonly sections: readonly Section[];
  /** The same as data. */
  readonly imports: readonly ModuleImport[];
}

/**
 * The imports of a module: what its sections mention of the runtime, then its own, sorted by specifier.
 * @param path of the file.
 */
export function makeImports(path: string, sections: readonly Section[], own: readonly Import[]): Imports {
  const mentioned = new Set(sections.flatMap(({ mentions = [] }) => [...mentions]));
  const ofRuntime = RUNTIME.flatMap(({ part, names }): readonly Import[] => {
    const used = names.filter(({ as }) => mentioned.has(as));
    return used.length === 0 ? [] : [{ from: runtimePart(part), names: used }];
  });
  const sorted = [...own].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const lines = [
    ...ofRuntime.map(({ from, names }) => statement(from, names)),
    ...sorted.map(({ from, names }) => ownStatement(from, names)),
  ];
  if (lines.length === 0) return { sections: [], imports: [] };
  return {
    sections: [makeSection('imports', lines.join('\n'))],
    imports: [...ofRuntime, ...sorted].flatMap(({ from, names }): readonly ModuleImport[] => {
      const values = names.flatMap(({ name, as, isType }) => (isType ? [] : [{ name, as }]));
      return values.length === 0 ? [] : [{ from: resolvePath(path, from), names: values }];
    }),
  };
}

/** The path of the file that a specifier names; parts of the runtime are not emitted. */
function resolvePath(importer: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(importer), specifier).replace(/\.js$/, '.ts') : specifier;
}

/** Packages before modules of the bundle. */
function sortKey({ from }: Import): string {
  return `${from.startsWith('.') ? 1 : 0}${from}`;
}

const value = (name: string): Name => ({ name, as: name });
const type = (name: string): Name => ({ name, as: name, isType: true });

/** What generated code may mention of the runtime, by part, in the order of its imports. */
const RUNTIME: readonly { readonly part: string; readonly names: readonly Name[] }[] = [
  { part: 'cel', names: [{ name: '*', as: 'cel' }] },
  {
    part: 'policy',
    names: [
      value('ALLOW'),
      value('anyOf'),
      value('ANYONE'),
      value('DENY'),
      value('derivedRole'),
      value('glob'),
      value('literalAndGlob'),
      value('matchesAny'),
      value('principalPolicy'),
      value('resourcePolicy'),
      value('rolePolicy'),
      value('rowsOf'),
      type('Filters'),
      type('Output'),
      type('PlannedCondition'),
      type('Query'),
      type('Request'),
      type('RoleRule'),
      type('Rule'),
      type('TenantRoles'),
      type('TracedCondition'),
    ],
  },
  { part: 'parts', names: [type('ComputedEntry')] },
  { part: 'residual', names: [{ name: '*', as: 'residual' }] },
  { part: 'row-schema', names: [value('rowsThatSatisfy')] },
  { part: 'schema', names: [value('unavailable'), value('violationsOf')] },
];

function statement(from: string, names: readonly Name[]): string {
  const [first] = names;
  if (first?.name === '*') return `import * as ${first.as} from '${from}';`;
  return names.every(({ isType }) => isType)
    ? wrapped(
        names.map(({ name }) => name),
        from,
        'import type',
      )
    : wrapped(names.map(nameText), from);
}

function ownStatement(from: string, names: readonly Name[]): string {
  return names[0]?.name === '*' ? statement(from, names) : wrapped(names.map(nameText).sort(), from);
}

function nameText({ name, as, isType }: Name): string {
  return `${isType ? 'type ' : ''}${name === as ? name : `${name} as ${as}`}`;
}

function wrapped(names: readonly string[], from: string, keyword = 'import'): string {
  const flat = `${keyword} { ${names.join(', ')} } from '${from}';`;
  return flat.length <= WIDTH ? flat : `${keyword} {\n${filled(names)}\n} from '${from}';`;
}

/** Puts as many names on a line as fit: readers look at the code more often than at its imports. */
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
