import type { ActionTable } from '../ir/program.js';
import { bracketed, type Doc } from './doc.js';
import { quoted } from './quote.js';

/** The properties `actions` and `otherActions` of a table, given the identifier of each rule; undefined if empty. */
export function actionTableDocs(
  table: ActionTable,
  names: readonly string[],
): { readonly actions: Doc | undefined; readonly otherActions: Doc | undefined } {
  return {
    actions: mapUnlessEmpty(
      table.actions.map(({ action, rules }): readonly [string, Doc] => [
        action,
        bracketed('[', identifiers(rules, names), ']'),
      ]),
    ),
    otherActions: ruleList(table.otherActions, names),
  };
}

/** A list of rules by identifier; undefined if it is empty. */
export function ruleList(rules: readonly number[], names: readonly string[]): Doc | undefined {
  return listUnlessEmpty(identifiers(rules, names));
}

function identifiers(rules: readonly number[], names: readonly string[]): readonly string[] {
  return rules.map((rule) => names[rule] as string);
}

/** `[a, b]`; undefined if it is empty. */
export function listUnlessEmpty(items: readonly Doc[]): Doc | undefined {
  return items.length === 0 ? undefined : bracketed('[', items, ']');
}

/** The properties `version` and `scope` of a policy, unless they have the usual values. */
export function scopeDocs({
  version,
  scope,
}: {
  readonly version: string;
  readonly scope: string;
}): readonly (readonly [name: string, value: Doc | undefined])[] {
  return [
    ['version', version === 'default' ? undefined : quoted(version)],
    ['scope', scope === '' ? undefined : quoted(scope)],
  ];
}

/** `new Map([...])`; undefined if it is empty. */
export function mapUnlessEmpty(entries: readonly (readonly [key: string, value: Doc])[]): Doc | undefined {
  if (entries.length === 0) return undefined;
  return bracketed(
    'new Map([',
    entries.map(([key, value]): Doc => ['[', quoted(key), ', ', value, ']']),
    '])',
  );
}

/** Quoted strings, for a call or a list. */
export function texts(values: readonly string[]): readonly Doc[] {
  return values.map(quoted);
}
