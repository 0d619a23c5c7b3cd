/** A token of markdown-it, as far as tables need it. */
export interface TableToken {
  readonly type: string;
  readonly content: string;
  tag: string;
}

/**
 * The tokens of a page without the head of tables whose head has no words, and with empty cells of other heads as cells of
 * the body are: screen readers announce a header that has no name.
 */
export function withoutEmptyHeads<T extends TableToken>(tokens: readonly T[]): readonly T[] {
  const kept: T[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] as T;
    if (token.type === 'thead_open') {
      const end = tokens.findIndex(({ type }, at) => at > index && type === 'thead_close');
      const head = tokens.slice(index, end + 1);
      if (head.some(({ type, content }) => type === 'inline' && content !== '')) kept.push(...head.map(asCell));
      index = end;
    } else kept.push(token);
  }
  return kept;
}

/** An empty header becomes a cell; other tokens stay as they are. */
function asCell<T extends TableToken>(token: T, index: number, head: readonly T[]): T {
  const text = token.type === 'th_open' ? head[index + 1] : token.type === 'th_close' ? head[index - 1] : undefined;
  if (text?.type === 'inline' && text.content === '') token.tag = 'td';
  return token;
}
