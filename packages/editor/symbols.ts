import { type DocumentSymbol, SymbolKind, type WorkspaceSymbol } from 'vscode-languageserver';
import { nameOfPrincipalAction, nameOfResourceRule, nameOfRoleRule, makePolicyKey } from '../../compiler/ast/names.js';
import { placeOfDocument } from '../../compiler/ast/places.js';
import type { Policy, PolicyFile } from '../../compiler/ast/policy.js';
import type { Place, Span } from '../../compiler/diagnostics/span.js';
import { namesIn, type NameKind } from './names.js';
import { toRange } from './positions.js';
import type { Workspace } from './workspace.js';

/** The outline of a document: its rules, derived roles, statements, variables and constants. */
export function documentSymbols(file: PolicyFile): DocumentSymbol[] {
  const { source } = file;
  const whole = toRange({ source, start: 0, end: source.text.length });
  const members = [...definitionsIn(file), ...listRules(file.policy)].sort((a, b) => a.span.start - b.span.start);
  return [
    {
      name: makePolicyKey(file.policy),
      kind: SymbolKind.Class,
      range: whole,
      selectionRange: toRange(placeOfDocument(file).span),
      children: members.map(({ name, detail, kind, span }) => ({
        name: name === '' ? '""' : name,
        detail,
        kind,
        range: toRange(span),
        selectionRange: toRange({ ...span, end: Math.min(span.end, endOfLine(span)) }),
      })),
    },
  ];
}

/** The maximum number of symbols in an answer: editors ask again with a longer query. */
const MOST_SYMBOLS = 500;

/** Documents and definitions whose names contain the letters of a query in this order. */
export function workspaceSymbols(workspace: Workspace, query: string): WorkspaceSymbol[] {
  const found: WorkspaceSymbol[] = [];
  for (const [, { file }] of [...workspace.files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (file === undefined) continue;
    const document = { name: makePolicyKey(file.policy), kind: SymbolKind.Class, span: placeOfDocument(file).span };
    for (const { name, kind, span } of [document, ...definitionsIn(file)]) {
      if (found.length >= MOST_SYMBOLS) return found;
      if (!isSubsequence(query.toLowerCase(), name.toLowerCase())) continue;
      const location = { uri: workspace.makeUri(span.source.path), range: toRange(span) };
      found.push({ name, kind, location, containerName: span.source.path });
    }
  }
  return found;
}

function isSubsequence(letters: string, text: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

interface Member {
  readonly name: string;
  readonly detail: string;
  readonly kind: SymbolKind;
  readonly span: Span;
}

const KINDS: { readonly [kind in NameKind]?: readonly [kind: SymbolKind, detail: string] } = {
  'derived-role': [SymbolKind.Interface, 'derived role'],
  variable: [SymbolKind.Variable, 'variable'],
  constant: [SymbolKind.Constant, 'constant'],
};

function definitionsIn(file: PolicyFile): readonly Member[] {
  return namesIn(file).flatMap(({ kind: of, name, span, isDefinition }) => {
    const [kind, detail] = KINDS[of] ?? [];
    return isDefinition && kind !== undefined && detail !== undefined ? [{ name, detail, kind, span }] : [];
  });
}

function listRules(policy: Policy): readonly Member[] {
  const member = (name: string, detail: string, place: Place): Member => ({
    name,
    detail,
    kind: SymbolKind.Function,
    span: place.span,
  });
  const list = (items: readonly { readonly value: string }[]): string => items.map(({ value }) => value).join(', ');
  switch (policy.kind) {
    case 'resource':
      return policy.rules.map((rule, index) =>
        member(nameOfResourceRule(rule, index), `${rule.effect} ${list(rule.actions)}`, rule.place),
      );
    case 'principal':
      return policy.rules.flatMap((rule) =>
        rule.actions.map((action, index) =>
          member(
            nameOfPrincipalAction(rule, index),
            `${action.effect} ${action.action.value} on ${rule.resource.value}`,
            action.place,
          ),
        ),
      );
    case 'role':
      return policy.rules.map((rule, index) =>
        member(nameOfRoleRule(rule, index), `${list(rule.allowActions)} on ${rule.resource.value}`, rule.place),
      );
    case 'invariants':
      return policy.statements.map(({ name, claim, place }) => member(name.value, claim.form, place));
    case 'derived-roles':
    case 'export-variables':
    case 'export-constants':
    case 'tenant-roles':
      return [];
  }
}

function endOfLine({ source, start }: Span): number {
  const end = source.text.indexOf('\n', start);
  return end === -1 ? source.text.length : end;
}
