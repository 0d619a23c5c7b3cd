/** A token of markdown-it, as far as titles need it. */
export interface Token {
  readonly type: string;
  readonly content: string;
  readonly children: readonly { readonly type: string }[] | null;
  readonly attrJoin: (name: string, value: string) => void;
}

/** The class of a paragraph that is the title of the block below it. */
const TITLE = 'block-title';

/** The class of a paragraph that consists of links, which the start page shows as buttons. */
const BUTTONS = 'buttons';

/** Marks the paragraphs that consist of three links between dots, such as `[Start](a.md) · [Try](b.md) · [Why](c.md)`. */
export function markButtons(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const text = tokens[index + 1]?.content ?? '';
    const links = text.split(' · ');
    const isButtons = links.length === 3 && links.every((link) => /^(?:\[[^\]]+\]\([^)]+\)|<a [^<]*<\/a>)$/.test(link));
    if (isButtons && token.type === 'paragraph_open') token.attrJoin('class', BUTTONS);
  }
}

/**
 * Marks the paragraphs that only name the file of the code block below them, such as "`policies/note.yaml`:", so that the
 * site shows them as titles. Forges show the line as it is.
 */
export function titleBlocks(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const [text, , block] = tokens.slice(index + 1, index + 4);
    const isTitle =
      token.type === 'paragraph_open' && block?.type === 'fence' && /^`[^`\s]+`:$/.test(text?.content ?? '');
    if (isTitle) token.attrJoin('class', TITLE);
  }
}
