import { type GlobToken, parseGlob } from '../../../runtime/policy/index.js';
import { quote, templateText } from '../quote.js';
import type { Kinds } from './kinds.js';

/**
 * The actions of a kind as a type: those that are named, and those that a glob such as `comment:*` matches. A glob that
 * matches everything adds nothing, because otherwise no misspelled action would be found; if policies have only such a
 * glob, every string is an action.
 */
export function actionType(kinds: Kinds, kind: string): string {
  const ofPolicies = kinds.listPolicies(kind).flatMap(({ rules }) => rules.flatMap(({ actions }) => actions));
  const others = kinds.rulesAbout(kind).flatMap(({ rule: { actions } }) => actions);
  const patterns = new Set([...ofPolicies, ...others]);
  const types = new Set([...patterns].filter((text) => !isEverything(text)).map(patternType));
  return types.size === 0 ? 'string' : [...types].sort().join(' | ');
}

function isEverything(text: string): boolean {
  return /^\*+$/.test(text);
}

/** `view`, or the closest template type for a glob: `*` is any string. */
function patternType(text: string): string {
  const tokens = text.includes('*') ? parseGlob(text) : undefined;
  if (tokens === undefined) return quote(text);
  const braces = tokens.findIndex(({ kind }) => kind === 'open');
  const all = [...(braces === -1 ? tokens : tokens.slice(0, braces)).map(piece), ...(braces === -1 ? [] : [ANY])];
  const pieces = all.filter((each, index) => each !== ANY || all[index - 1] !== ANY);
  return pieces.every((each) => each === ANY) ? 'string' : `\`${pieces.join('')}\``;
}

const ANY = '${string}';

function piece(token: GlobToken): string {
  return token.kind === 'text' ? templateText(token.text) : ANY;
}
