import { element } from './dom.js';
import type { Json } from './json.js';

/** A value as indented text with its words coloured. */
export function jsonText(value: Json): HTMLElement {
  const pre = element('pre', { class: 'code', tabindex: 0, 'aria-label': 'JSON' });
  const text = JSON.stringify(value, undefined, 2);
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    pre.append(text.slice(end, match.index), element('span', { class: classOf(match) }, match[0]));
    end = match.index + match[0].length;
  }
  pre.append(text.slice(end));
  return pre;
}

/** Strings, with what tells a name from a value, and all else that is a word. */
const TOKEN = /("(?:[^"\\]|\\.)*")(?=(:)?)|-?\d[\d.eE+-]*|true|false|null/g;

function classOf([, text, colon]: RegExpExecArray): string {
  if (text === undefined) return 'json-word';
  return colon === undefined ? 'json-text' : 'json-name';
}
