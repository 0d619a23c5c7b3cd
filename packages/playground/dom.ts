/**
 * Attributes and handlers of an element: `onclick` and the like are functions, `true` is an attribute without a value,
 * absent ones are omitted.
 */
export interface Attributes {
  readonly [name: string]: string | number | boolean | undefined | ((event: Event) => void);
}

export type Child = Node | string | undefined;

/** Creates an element. Strings become text nodes: no part of a response becomes markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key.slice('on'.length), value);
    else if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : String(value));
  }
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** A name such as `resource.album.vdefault` that lines can break at its separators, not within a word. */
export function breakable(name: string): readonly (Node | string)[] {
  return name.split(/(?<=[./#:_@-])/).flatMap((part, index) => (index === 0 ? [part] : [element('wbr'), part]));
}

/** The text of a paragraph, in which backticks mark code. */
export function inlineNodes(text: string): readonly (HTMLElement | string)[] {
  return text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 0 ? part : element('code', {}, part)));
}
