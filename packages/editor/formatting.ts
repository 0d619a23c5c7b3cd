import type { TextEdit } from 'vscode-languageserver';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import type { Source } from '../../compiler/diagnostics/source.js';
import { formatted } from '../../compiler/format/format.js';
import { keepLineEnds } from '../../compiler/format/line-ends.js';
import { toRange } from './positions.js';

/** The change of a document that `authzc fmt` makes; none for a document that is not well-formed. */
export function format(source: Source): TextEdit[] {
  const text = keepLineEnds(source.text, formatted(source, new Diagnostics()) ?? source.text);
  if (text === source.text) return [];
  const shorter = Math.min(text.length, source.text.length);
  let start = 0;
  while (start < shorter && text[start] === source.text[start]) start += 1;
  let end = 0;
  while (end < shorter - start && text.at(-1 - end) === source.text.at(-1 - end)) end += 1;
  const range = toRange({ source, start, end: source.text.length - end });
  return [{ range, newText: text.slice(start, text.length - end) }];
}
