/** A piece of an XML document: an element, a CDATA section, or text. */
export type Content = string | { readonly kind: 'cdata'; readonly text: string } | XmlElement;

export interface XmlElement {
  readonly kind: 'element';
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: readonly Content[];
}

export function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  content: readonly Content[],
): XmlElement {
  return { kind: 'element', name, attributes, content };
}

export function cdata(text: string): Content {
  return { kind: 'cdata', text };
}

/** Serializes a document, one element per line, indented by two spaces a level. */
export function xmlDocument(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${formatLines(root, '').join('\n')}\n`;
}

function formatLines(content: Content, indent: string): readonly string[] {
  if (typeof content === 'string') return [`${indent}${escaped(content)}`];
  if (content.kind === 'cdata') return [`${indent}${inline(content)}`];
  const { name, attributes, content: inner } = content;
  const start = `${indent}<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escaped(value)}"`)
    .join('')}`;
  if (inner.length === 0) return [`${start}/>`];
  if (inner.every(isText)) return [`${start}>${inner.map(inline).join('')}</${name}>`];
  return [`${start}>`, ...inner.flatMap((child) => formatLines(child, `${indent}  `)), `${indent}</${name}>`];
}

type Text = Exclude<Content, XmlElement>;

function isText(content: Content): content is Text {
  return typeof content === 'string' || content.kind === 'cdata';
}

function inline(content: Text): string {
  if (typeof content === 'string') return escaped(content);
  // A CDATA section ends at `]]>`, so that sequence is split between two sections.
  return `<![CDATA[${allowed(content.text).replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

function escaped(text: string): string {
  return allowed(text).replace(/[&<>"\n\r\t]/g, (character) => ENTITIES.get(character) ?? character);
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
  ['\t', '&#9;'],
]);

/** XML cannot represent some characters. */
function allowed(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd');
}
