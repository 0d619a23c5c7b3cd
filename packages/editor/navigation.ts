import type { Location, Position, Range, TextEdit, WorkspaceEdit } from 'vscode-languageserver';
import { importKey } from '../../compiler/ast/names.js';
import type { PolicyFile } from '../../compiler/ast/policy.js';
import type { Span } from '../../compiler/diagnostics/span.js';
import { type NameKind, namesIn, type Occurrence } from './names.js';
import { offsetAt, toRange } from './positions.js';
import type { EditedPolicies } from './policy-index.js';
import type { Workspace } from './workspace.js';

/** A name, with the documents that may define it. */
export interface Named {
  readonly occurrence: Occurrence;
  /** The documents whose definitions of the name are meant; undefined for names that all policies share. */
  readonly owners: readonly PolicyFile[] | undefined;
}

/** The name at a position of a document, if its text parses. */
function nameAt(workspace: EditedPolicies, path: string, position: Position): Named | undefined {
  const { source, file } = workspace.get(path) ?? {};
  return file === undefined || file.source !== source ? undefined : nameIn(workspace, file, offsetAt(source, position));
}

/** The name at an offset of a document. */
export function nameIn(workspace: EditedPolicies, file: PolicyFile, offset: number): Named | undefined {
  const occurrence = namesIn(file).find(({ span }) => span.start <= offset && offset <= span.end);
  return occurrence && { occurrence, owners: findOwners(workspace, file, occurrence) };
}

/** Where a name is defined. */
export function findDefinitions(workspace: EditedPolicies, { occurrence, owners }: Named): readonly Span[] {
  const files = owners ?? [...workspace.files.values()].flatMap(({ file }) => file ?? []);
  return files.flatMap((file) =>
    namesIn(file)
      .filter((other) => other.isDefinition && isSame(other, occurrence))
      .map(({ span }) => span),
  );
}

export function definition(workspace: Workspace, path: string, position: Position): Location[] {
  const named = nameAt(workspace, path, position);
  if (named === undefined) return [];
  const schema = named.occurrence.kind === 'schema' ? schemaPath(workspace, named.occurrence.name) : undefined;
  if (schema !== undefined) return [{ uri: workspace.makeUri(schema), range: START }];
  return findDefinitions(workspace, named).map((span) => toLocation(workspace, span));
}

export function references(
  workspace: Workspace,
  path: string,
  position: Position,
  withDefinitions: boolean,
): Location[] {
  const named = nameAt(workspace, path, position);
  if (named === undefined) return [];
  return findOccurrences(workspace, named)
    .filter(({ isDefinition }) => withDefinitions || !isDefinition)
    .map(({ span }) => toLocation(workspace, span));
}

/** The range of a name that can be renamed. Undefined for names that requests use, such as roles and actions. */
export function renameable(workspace: Workspace, path: string, position: Position): Range | undefined {
  const named = nameAt(workspace, path, position);
  return named?.owners === undefined ? undefined : toRange(named.occurrence.span);
}

/**
 * Renames a name in all files.
 *
 * @returns the edits, or why there are none.
 */
export function rename(workspace: Workspace, path: string, position: Position, to: string): WorkspaceEdit | string {
  const named = nameAt(workspace, path, position);
  if (named?.owners === undefined) return 'only names that policies define for each other can be renamed';
  const { kind } = named.occurrence;
  if (!(kind === 'variable' || kind === 'constant' ? IDENTIFIER : IDENT).test(to) || RESERVED.has(to))
    return `\`${to}\` is not a valid name`;
  const unparsed = [...workspace.files.values()].find(
    ({ source, file }) => file !== undefined && file.source !== source,
  );
  if (unparsed !== undefined) return `\`${unparsed.source.path}\` has errors: fix them first`;
  const taken = findDefinitions(workspace, { ...named, occurrence: { ...named.occurrence, name: to } });
  if (taken.length > 0 && to !== named.occurrence.name) return `\`${to}\` is already defined`;
  const changes: { [uri: string]: TextEdit[] } = {};
  const seen = new Set<string>();
  for (const { span } of findOccurrences(workspace, named)) {
    const uri = workspace.makeUri(span.source.path);
    const edits = changes[uri] ?? [];
    changes[uri] = edits;
    // A YAML alias repeats the text of its anchor.
    const key = `${uri} ${span.start}`;
    if (!seen.has(key)) edits.push({ range: toRange(span), newText: to });
    seen.add(key);
  }
  return { changes };
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const IDENT = /^[-_a-zA-Z0-9.]+$/;
const RESERVED: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);
const START: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function toLocation(workspace: Workspace, span: Span): Location {
  return { uri: workspace.makeUri(span.source.path), range: toRange(span) };
}

/** All places of a name, in the order of the files. */
function findOccurrences(workspace: Workspace, named: Named): readonly Occurrence[] {
  const owners = named.owners && new Set(named.owners);
  const files = [...workspace.files.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
  return files.flatMap(([, { file }]) =>
    file === undefined
      ? []
      : namesIn(file).filter(
          (other) =>
            isSame(other, named.occurrence) &&
            (owners === undefined || findOwners(workspace, file, other)?.some((owner) => owners.has(owner)) === true),
        ),
  );
}

function isSame(a: Occurrence, b: Occurrence): boolean {
  return a.kind === b.kind && a.name === b.name;
}

/** The documents whose definitions an occurrence refers to; undefined for names without a scope. */
function findOwners(
  workspace: EditedPolicies,
  file: PolicyFile,
  { kind, name, isDefinition }: Occurrence,
): readonly PolicyFile[] | undefined {
  switch (kind) {
    case 'derived-roles':
    case 'exported-variables':
    case 'exported-constants':
      return isDefinition ? [file] : workspace.withKey(importKey(DOCUMENTS[kind], name));
    case 'derived-role':
    case 'variable':
    case 'constant':
      return isDefinition ? [file] : visibleFrom(workspace, file, kind).filter((owner) => defines(owner, kind, name));
    case 'kind':
    case 'role':
    case 'action':
    case 'schema':
      return undefined;
  }
}

const DOCUMENTS = {
  'derived-roles': 'derived_roles',
  'exported-variables': 'export_variables',
  'exported-constants': 'export_constants',
} as const;

function defines(file: PolicyFile, kind: NameKind, name: string): boolean {
  return namesIn(file).some((other) => other.isDefinition && other.kind === kind && other.name === name);
}

/** The documents whose derived roles, variables or constants a document can name. */
export function visibleFrom(
  workspace: EditedPolicies,
  file: PolicyFile,
  kind: 'derived-role' | 'variable' | 'constant',
): readonly PolicyFile[] {
  const { policy } = file;
  if (kind === 'derived-role') {
    const sets = policy.kind === 'resource' ? policy.importDerivedRoles : [];
    return sets.flatMap(({ value }) => workspace.withKey(importKey('derived_roles', value)));
  }
  if (!('variables' in policy)) return [file];
  const imports = kind === 'variable' ? policy.variables.imports : policy.constants.imports;
  const set = kind === 'variable' ? 'export_variables' : 'export_constants';
  return [file, ...imports.flatMap(({ value }) => workspace.withKey(importKey(set, value)))];
}

/** The path of a schema by its reference. */
function schemaPath(workspace: Workspace, reference: string): string | undefined {
  const file = reference.replace(/^authz:\/\/\//, '').replace(/#.*$/s, '');
  return workspace.schemaTexts.has(file) ? `_schemas/${file}` : undefined;
}
