import type { ActionTable } from '../ir/program.js';
import { bracketed, type Doc } from './doc.js';
import { quote } from './quote.js';

/** The properties `actions` and `otherActions` of a table, given the identifier of each rule. */
export function actionTableDocs(
  table: ActionTable,
  names: readonly string[],
): { readonly actions: Doc; readonly otherActions: Doc } {
  return {
    actions: mapDoc(table.actions.map(({ action, rules }): readonly [string, Doc] => [action, ruleList(rules, names)])),
    otherActions: ruleList(table.otherActions, names),
  };
}

/** A list of rules by identifier. */
export function ruleList(rules: readonly number[], names: readonly string[]): Doc {
  return bracketed(
    '[',
    rules.map((rule) => names[rule] as string),
    ']',
  );
}

/** `new Map([...])`. */
export function mapDoc(entries: readonly (readonly [key: string, value: Doc])[]): Doc {
  if (entries.length === 0) return 'new Map()';
  return bracketed(
    'new Map([',
    entries.map(([key, value]): Doc => [`[${quote(key)}, `, value, ']']),
    '])',
  );
}

/** Quoted texts, for a call or a list. */
export function texts(values: readonly string[]): readonly Doc[] {
  return values.map(quote);
}
