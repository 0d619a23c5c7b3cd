import { type CompletionItem, CompletionItemKind, type Position } from 'vscode-languageserver';
import type { PolicyFile } from '../../compiler/ast/policy.js';
import { listValues } from '../../compiler/attributes/json-type.js';
import { visibleJson } from '../../compiler/diagnostics/visible.js';
import { lex } from '../cel/parse/lexer.js';
import type { Kind, MessageType } from '../../compiler/parse/schema/field.js';
import { kindAt } from '../../compiler/parse/schema/kind-at.js';
import { policyEnvironment } from '../cel/check/environment.js';
import { factName } from '../../runtime/facts/fact-names.js';
import { listFields, receiverKinds, selected } from './attributes.js';
import { chooseKind } from './file-kind.js';
import { formatDocumentation, globalFunctions, memberFunctions } from './functions.js';
import { type NameKind, namesIn } from './names.js';
import { visibleFrom } from './navigation.js';
import { offsetAt } from './positions.js';
import type { EditedPolicies } from './policy-index.js';
import { findTable } from './tables.js';
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
  workspace: EditedPolicies,
  path: string,
  position: Position,
): { readonly isIncomplete: boolean; readonly items: CompletionItem[] } {
  const { file } = workspace.get(path) ?? {};
  const [source, table] = [workspace.findSource(path), findTable(path)];
  if (source === undefined || table === undefined) return { isIncomplete: false, items: [] };
  const cursor = yamlCursor(source.text, offsetAt(source, position));
  const inExpression = chooseKind(path) === 'policy' && isExpression(cursor);
  const typed = inExpression ? readTyped(cursor.written) : cursor.written;
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
  workspace: EditedPolicies,
  file: PolicyFile | undefined,
): readonly Proposal[] {
  const kind = kindAt(table, cursor.path);
  if (kind === undefined) return [];
  // An item that has not got a key yet may also be a value.
  if (cursor.kind === 'key')
    return [...proposeKeys(kind, cursor.siblings), ...proposeValues(kind, cursor.path, workspace, file)];
  return proposeValues(kind, cursor.path, workspace, file);
}

function proposeKeys(kind: Kind, siblings: ReadonlySet<string>): readonly Proposal[] {
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

function proposeValues(
  kind: Kind,
  path: Path,
  workspace: EditedPolicies,
  file: PolicyFile | undefined,
): readonly Proposal[] {
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
function textsFor(
  field: string,
  path: Path,
  workspace: EditedPolicies,
  file: PolicyFile | undefined,
): readonly Proposal[] {
  if (field === 'apiVersion') return [valueNamed('api.authz.dev/v1')];
  const named = (kind: NameKind, only?: readonly PolicyFile[]): readonly Proposal[] =>
    listNames(workspace, kind, only).map((label) => ({
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
    case 'unknown':
      return path[0] === 'tests' ? listFacts(workspace).map(valueNamed) : [];
    case 'ref':
      return [...workspace.schemaTexts.keys()].sort().map((name) => valueNamed(`authz:///${name}`));
    default:
      return [];
  }
}

/** The facts that the schemas of policies list. */
function listFacts(workspace: EditedPolicies): readonly string[] {
  const facts = [...workspace.files.values()].flatMap(({ file }) =>
    file === undefined
      ? []
      : FACT_ROOTS.flatMap(([variable, root]) => {
          const attributes = selected([variable, 'attr'], workspace, file);
          return attributes === undefined ? [] : listFields(attributes).map(({ name }) => factName(root, name));
        }),
  );
  return [...new Set(facts)].sort();
}

const FACT_ROOTS = [
  ['R', 'resource.attr'],
  ['P', 'principal.attr'],
] as const;

function listNames(workspace: EditedPolicies, kind: NameKind, only?: readonly PolicyFile[]): readonly string[] {
  const files = only ?? [...workspace.files.values()].flatMap(({ file }) => file ?? []);
  const names = files.flatMap((file) =>
    namesIn(file).flatMap((other) =>
      other.kind === kind && (only === undefined || other.isDefinition) ? other.name : [],
    ),
  );
  return [...new Set(names)].sort();
}

/** A name as a string of YAML, in which `null` is none and DEL is not allowed. */
function quotedIfNeeded(name: string): string {
  return /^(?!(?:null|Null|NULL)$)[A-Za-z_][\w./-]*(?::[A-Za-z_][\w./-]*)*$/.test(name) ? name : visibleJson(name);
}

/** @param written the expression up to the position. */
function proposeInExpression(
  written: string,
  workspace: EditedPolicies,
  file: PolicyFile | undefined,
): readonly Proposal[] {
  const quote = findOpenQuote(written);
  if (quote !== undefined) return proposeAllowed(written.slice(0, quote), workspace, file);
  const chain = /((?:[A-Za-z_]\w{0,100}\.\??){1,20})\w*$/.exec(written.slice(-2_000))?.[1];
  if (chain !== undefined) return proposeMembers(chain.split(/\.\??/).slice(0, -1), workspace, file);
  if (/[)\]]\.\??\w*$/.test(written)) return memberFunctions(undefined).map(functionNamed);
  return [
    ...[...policyEnvironment.names]
      .filter(([name, { reference }]) => !name.includes('.') && reference?.kind !== 'type')
      .map(([label, { type }]) => ({ label, kind: CompletionItemKind.Variable, detail: describeKind(type.kind) })),
    ...globalFunctions().map(functionNamed),
    ...['true', 'false', 'null', 'in'].map((label) => ({ label, kind: CompletionItemKind.Keyword })),
  ];
}

function describeKind(kind: string): string | undefined {
  return kind === 'message' ? undefined : kind;
}

function proposeMembers(
  chain: readonly string[],
  workspace: EditedPolicies,
  file: PolicyFile | undefined,
): readonly Proposal[] {
  const [root = ''] = chain;
  if (chain.length === 1 && file !== undefined) {
    const kind = BINDINGS.get(root);
    if (kind !== undefined)
      return listNames(workspace, kind, visibleFrom(workspace, file, kind)).map((label) => ({
        label,
        kind: kind === 'variable' ? CompletionItemKind.Variable : CompletionItemKind.Constant,
      }));
  }
  const prefix = `${chain.join('.')}.`;
  const own = globalFunctions().filter((name) => name.startsWith(prefix));
  if (own.length > 0) return own.map((name) => ({ ...functionNamed(name), label: name.slice(prefix.length) }));
  const value = selected(chain, workspace, file);
  if (value === undefined) return memberFunctions(undefined).map(functionNamed);
  const fields = listFields(value).map(({ name, type }) => ({
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
  const documentation = formatDocumentation(label);
  return { label, kind: CompletionItemKind.Function, ...(documentation !== undefined && { documentation }) };
}

/** The values that the schemas allow for the attribute that a string is compared with, such as `R.attr.status == "`. */
function proposeAllowed(before: string, workspace: EditedPolicies, file: PolicyFile | undefined): readonly Proposal[] {
  const chain = COMPARED.exec(before.slice(-2_000))?.[1];
  if (chain === undefined) return [];
  const names = [...chain.matchAll(/\w+/g)].map(([name]) => name);
  const type = selected(names, workspace, file)?.schema?.type;
  const values = (type && listValues(type)) ?? [];
  return values.flatMap((value) => (typeof value === 'string' && !/["'\\\n]/.test(value) ? valueNamed(value) : []));
}

/** Names up to an operator that compares them with strings: `R.attr.status ==`, `R.attr["status"] in ["draft",`. */
const COMPARED =
  /([A-Za-z_]\w{0,100}(?:\.\??\w{1,100}|\[\??["']\w{1,100}["']\]){1,20})\s*(?:[!=]=\s*|\bin\s*\[[^[\]]{0,2000})$/;

/** The part of a name, or of a string, that is written at the end of an expression. */
function readTyped(written: string): string {
  const quote = findOpenQuote(written);
  return quote === undefined ? (/\w*$/.exec(written)?.[0] ?? '') : written.slice(quote + 1);
}

/** The offset of the quote of a string in which an expression ends. */
function findOpenQuote(written: string): number | undefined {
  const { errors } = lex(written);
  return errors.find(({ start }) => written[start] === '"' || written[start] === "'")?.start;
}
