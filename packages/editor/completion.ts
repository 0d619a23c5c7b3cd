import { type CompletionItem, CompletionItemKind, type Position } from 'vscode-languageserver';
import type { PolicyFile } from '../../compiler/ast/policy.js';
import { lex } from '../cel/parse/lexer.js';
import type { Kind, MessageType } from '../../compiler/parse/schema/field.js';
import { kindAt } from '../../compiler/parse/schema/kind-at.js';
import { policyEnvironment } from '../cel/check/environment.js';
import { fieldsOf, receiverKinds, selected } from './attributes.js';
import { documentationOf, globalFunctions, memberFunctions } from './functions.js';
import { type NameKind, namesIn } from './names.js';
import { visibleFrom } from './navigation.js';
import { offsetAt } from './positions.js';
import { tableOf } from './tables.js';
import { kindOf, type Workspace } from './workspace.js';
import { type Path, yamlCursor, type YamlCursor } from './yaml-cursor.js';

/** The maximum number of proposals: editors filter them, and ask again when they were not all. */
const MOST_ITEMS = 500;

/** A proposal, before it has a place. */
interface Proposal {
  readonly label: string;
  readonly kind: CompletionItemKind;
  readonly detail?: string | undefined;
  readonly documentation?: string | undefined;
  /** Where it is not the label. */
  readonly text?: string;
}

/** Proposals for what is being written at a position. */
export function complete(
  workspace: Workspace,
  path: string,
  position: Position,
): { readonly isIncomplete: boolean; readonly items: CompletionItem[] } {
  const { file } = workspace.get(path) ?? {};
  const [source, table] = [workspace.sourceOf(path), tableOf(path)];
  if (source === undefined || table === undefined) return { isIncomplete: false, items: [] };
  const cursor = yamlCursor(source.text, offsetAt(source, position));
  const inExpression = kindOf(path) === 'policy' && isExpression(cursor);
  const typed = inExpression ? (/\w*$/.exec(cursor.written)?.[0] ?? '') : cursor.written;
  const proposals = inExpression
    ? proposeInExpression(cursor.written, workspace, file)
    : propose(cursor, table, workspace, file);
  const start = { line: position.line, character: Math.max(0, position.character - typed.length) };
  const matching = proposals.filter(({ label }) => label.toLowerCase().startsWith(typed.toLowerCase().slice(0, 1)));
  return {
    isIncomplete: matching.length > MOST_ITEMS,
    items: matching.slice(0, MOST_ITEMS).map(({ label, kind, detail, documentation, text = label }, index) => ({
      label,
      kind,
      sortText: String(index).padStart(4, '0'),
      ...(detail !== undefined && { detail }),
      ...(documentation !== undefined && { documentation: { kind: 'markdown', value: documentation } }),
      textEdit: { range: { start, end: position }, newText: text },
    })),
  };
}

/** Whether a value is a CEL expression. */
function isExpression({ kind, path }: YamlCursor): boolean {
  if (kind !== 'value') return false;
  const [first, second, third] = path;
  const last = path.at(-1);
  if (typeof last === 'string' && EXPRESSIONS.has(last)) return true;
  if (path.length === 4) return second === 'variables' && third === 'local';
  if (path.length === 3) return /^export_?variables$/i.test(String(first)) && second === 'definitions';
  return path.length === 2 && first === 'variables';
}

const EXPRESSIONS: ReadonlySet<string> = new Set([
  'expr',
  'ruleActivated',
  'rule_activated',
  'conditionNotMet',
  'condition_not_met',
]);

function propose(
  cursor: YamlCursor,
  table: MessageType,
  workspace: Workspace,
  file: PolicyFile | undefined,
): readonly Proposal[] {
  const kind = kindAt(table, cursor.path);
  if (kind === undefined) return [];
  // An item that has not got a key yet may also be a value.
  if (cursor.kind === 'key') return [...keysOf(kind, cursor.siblings), ...valuesOf(kind, cursor.path, workspace, file)];
  return valuesOf(kind, cursor.path, workspace, file);
}

function keysOf(kind: Kind, siblings: ReadonlySet<string>): readonly Proposal[] {
  if (kind.kind !== 'object') return [];
  const { fields, exclusive } = kind.type();
  const excluded = new Set(exclusive.filter((group) => group.some((name) => siblings.has(name))).flat());
  return fields
    .filter(({ name, description }) => !siblings.has(name) && !excluded.has(name) && !isDiscouraged(description))
    .map(({ name, description, kind: value }) => ({
      label: name,
      kind: CompletionItemKind.Property,
      documentation: description,
      text: value.kind === 'object' || value.kind === 'map' ? `${name}:` : `${name}: `,
    }));
}

function isDiscouraged(description: string): boolean {
  return /^(?:deprecated|no longer supported)\b/.test(description);
}

function valuesOf(kind: Kind, path: Path, workspace: Workspace, file: PolicyFile | undefined): readonly Proposal[] {
  switch (kind.kind) {
    case 'bool':
      return ['true', 'false'].map(valueNamed);
    case 'enum':
      return kind.names.filter((name) => !/(?:UNSPECIFIED|NO_MATCH)$/.test(name)).map(valueNamed);
    case 'text':
    case 'list': {
      const field = path.findLast((step) => typeof step === 'string') as string;
      const isItem = kind.kind === 'text';
      return isItem || typeof path.at(-1) === 'string' ? textsFor(field, path, workspace, file) : [];
    }
    default:
      return [];
  }
}

function valueNamed(label: string): Proposal {
  return { label, kind: CompletionItemKind.EnumMember };
}

/** The names that a field with strings can have. */
function textsFor(field: string, path: Path, workspace: Workspace, file: PolicyFile | undefined): readonly Proposal[] {
  if (field === 'apiVersion') return [valueNamed('api.authz.dev/v1')];
  const named = (kind: NameKind, only?: readonly PolicyFile[]): readonly Proposal[] =>
    namesOf(workspace, kind, only).map((label) => ({
      label,
      kind: CompletionItemKind.Value,
      text: quotedIfNeeded(label),
    }));
  switch (field) {
    case 'derivedRoles':
      return path[0] === 'resourcePolicy' && path.length > 1
        ? named('derived-role', file && visibleFrom(workspace, file, 'derived-role'))
        : [];
    case 'importDerivedRoles':
      return named('derived-roles');
    case 'import':
      return named(path.includes('constants') ? 'exported-constants' : 'exported-variables');
    case 'role':
    case 'roles':
    case 'parentRoles':
    case 'allRoles':
    case 'notRoles':
      return named('role');
    case 'action':
    case 'actions':
    case 'allowActions':
    case 'also':
      return named('action');
    case 'kind':
      return named('kind');
    case 'resource':
      // In tests it is a key of a fixture.
      return path[0] === 'tests' ? [] : named('kind');
    case 'ref':
      return [...workspace.schemaTexts.keys()].sort().map((name) => valueNamed(`authz:///${name}`));
    default:
      return [];
  }
}

function namesOf(workspace: Workspace, kind: NameKind, only?: readonly PolicyFile[]): readonly string[] {
  const files = only ?? [...workspace.files.values()].flatMap(({ file }) => file ?? []);
  const names = files.flatMap((file) =>
    namesIn(file).flatMap((other) =>
      other.kind === kind && (only === undefined || other.isDefinition) ? other.name : [],
    ),
  );
  return [...new Set(names)].sort();
}

function quotedIfNeeded(name: string): string {
  return /^[A-Za-z_][\w./-]*(?::[A-Za-z_][\w./-]*)*$/.test(name) ? name : JSON.stringify(name);
}

/** @param written the expression up to the position. */
function proposeInExpression(written: string, workspace: Workspace, file: PolicyFile | undefined): readonly Proposal[] {
  if (isInString(written)) return [];
  const chain = /((?:[A-Za-z_]\w{0,100}\.\??){1,20})\w*$/.exec(written.slice(-2_000))?.[1];
  if (chain !== undefined) return proposeMembers(chain.split(/\.\??/).slice(0, -1), workspace, file);
  if (/[)\]]\.\??\w*$/.test(written)) return memberFunctions(undefined).map(functionNamed);
  return [
    ...[...policyEnvironment.names]
      .filter(([name, { reference }]) => !name.includes('.') && reference?.kind !== 'type')
      .map(([label, { type }]) => ({ label, kind: CompletionItemKind.Variable, detail: detailOf(type.kind) })),
    ...globalFunctions().map(functionNamed),
    ...['true', 'false', 'null', 'in'].map((label) => ({ label, kind: CompletionItemKind.Keyword })),
  ];
}

function detailOf(kind: string): string | undefined {
  return kind === 'message' ? undefined : kind;
}

function proposeMembers(
  chain: readonly string[],
  workspace: Workspace,
  file: PolicyFile | undefined,
): readonly Proposal[] {
  const [root = ''] = chain;
  if (chain.length === 1 && file !== undefined) {
    const kind = BINDINGS.get(root);
    if (kind !== undefined)
      return namesOf(workspace, kind, visibleFrom(workspace, file, kind)).map((label) => ({
        label,
        kind: kind === 'variable' ? CompletionItemKind.Variable : CompletionItemKind.Constant,
      }));
  }
  const prefix = `${chain.join('.')}.`;
  const own = globalFunctions().filter((name) => name.startsWith(prefix));
  if (own.length > 0) return own.map((name) => ({ ...functionNamed(name), label: name.slice(prefix.length) }));
  const value = selected(chain, workspace, file);
  if (value === undefined) return memberFunctions(undefined).map(functionNamed);
  const fields = fieldsOf(value).map(({ name, type }) => ({
    label: name,
    kind: CompletionItemKind.Field,
    detail: type,
  }));
  return value.type?.kind === 'message'
    ? fields
    : [...fields, ...memberFunctions(receiverKinds(value)).map(functionNamed)];
}

const BINDINGS: ReadonlyMap<string, 'variable' | 'constant'> = new Map([
  ['V', 'variable'],
  ['variables', 'variable'],
  ['C', 'constant'],
  ['constants', 'constant'],
]);

function functionNamed(label: string): Proposal {
  const documentation = documentationOf(label);
  return { label, kind: CompletionItemKind.Function, ...(documentation !== undefined && { documentation }) };
}

/** Whether an expression ends within a string. */
function isInString(written: string): boolean {
  const { errors } = lex(written);
  return errors.some(({ start }) => written[start] === '"' || written[start] === "'");
}
