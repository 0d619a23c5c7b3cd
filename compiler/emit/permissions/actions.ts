import { type GlobToken, parseGlob } from '#runtime/policy';
import { quote } from '../quote.js';
import type { Kinds } from './kinds.js';

/**
 * The actions of a kind as a type: those that are named, and those that a glob such as `comment:*` matches. A glob that
 * matches everything adds nothing, because otherwise no misspelled action would be found; if policies have only such a
 * glob, every string is an action.
 */
export function actionType(kinds: Kinds, kind: string): string {
  const ofPolicies = kinds.policiesOf(kind).flatMap(({ rules }) => rules.flatMap(({ actions }) => actions));
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
  const pieces = (braces === -1 ? tokens : tokens.slice(0, braces)).map(piece);
  const template = [...pieces, ...(braces === -1 ? [] : [ANY])].join('').replaceAll(ANY + ANY, ANY);
  return template === ANY ? 'string' : `\`${template}\``;
}

const ANY = '${string}';

function piece(token: GlobToken): string {
  if (token.kind !== 'text') return ANY;
  const quoted = quote(`"'${token.text}`).slice(1, -1);
  // Characters that only need an escape in a template.
  return quoted
    .replace(/^"\\'/, '')
    .replace(/\\'/g, "'")
    .replace(/`|\$\{/g, '\\$&');
}
