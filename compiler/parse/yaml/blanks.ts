import type { CST } from 'yaml';
import { eachItem } from './tokens.js';

/**
 * A character that looks like a space and is not one in YAML, where only a space, a tab and a line break are: a name
 * would silently contain it.
 */
export interface FalseBlank {
  readonly offset: number;
  readonly character: string;
}

/**
 * The first false blank next to a bracket or a comma of a flow collection, or that is all of a value: `[admin<U+00A0>]`
 * would be a role that nobody has. Within a text, as between two words of a description, and in quotes they are
 * characters like any other.
 */
export function falseBlank(tokens: readonly CST.Token[]): FalseBlank | undefined {
  let first: FalseBlank | undefined;
  eachItem(tokens, (item, parent) => {
    for (const token of [item.key, item.value]) {
      if (token?.type !== 'scalar') continue;
      const found = blankIn(token, parent.type === 'flow-collection');
      if (found !== undefined && (first === undefined || found.offset < first.offset)) first = found;
    }
  });
  return first;
}

const FALSE_BLANK = '[\\u0085\\u00a0\\u1680\\u2000-\\u200b\\u2028\\u2029\\u202f\\u205f\\u2060\\u3000\\ufeff]';
const AT_START = new RegExp(`^${FALSE_BLANK}`);
const AT_END = new RegExp(`${FALSE_BLANK}$`);
const NOTHING_ELSE = new RegExp(`^(?:${FALSE_BLANK}|[ \\t\\r\\n])+$`);

function blankIn({ source, offset }: CST.FlowScalar, isInFlow: boolean): FalseBlank | undefined {
  if (!isInFlow && !NOTHING_ELSE.test(source)) return undefined;
  if (AT_START.test(source)) return { offset, character: source.charAt(0) };
  if (AT_END.test(source)) return { offset: offset + source.length - 1, character: source.charAt(source.length - 1) };
  return undefined;
}
