import { composeYaml, type CST, type Document, tokenise, type Tokens } from '../../../packages/yaml-input/index.js';
import type { Diagnostics } from '../../diagnostics/diagnostic.js';
import type { Source } from '../../diagnostics/source.js';
import type { Place, Span } from '../../diagnostics/span.js';
import { FirstProblem } from '../first-problem.js';
import { MAX_DEPTH, MAX_DOCUMENT_LENGTH } from '../limits.js';
import { adviseSyntax } from './syntax-advice.js';
import { falseBlank, quotedPrefixes, stripTags } from './tokens.js';
import type { YamlMapping } from './node.js';
import { buildTree } from './tree.js';
import { readUsual } from './usual.js';

/** The mapping in a policy file. */
export interface YamlDocument {
  readonly root: YamlMapping;
  /** Problems with anchors and merges: they compete with problems in fields for being the first. */
  readonly problems: FirstProblem;
}

/**
 * Reads a policy file (docs/spec/policy-language.md#documents-in-a-file, docs/spec/policy-language.md#yaml-dialect).
 * Returns undefined if it is empty, or if it is not well-formed, which is reported.
 */
export function readDocument(source: Source, report: Diagnostics): YamlDocument | undefined {
  if (source.text.length > MAX_DOCUMENT_LENGTH) {
    report.add('file/too-large', source, { limit: MAX_DOCUMENT_LENGTH });
    return undefined;
  }
  const root = readUsual(source);
  return root === undefined ? readAny(source, report) : { root, problems: new FirstProblem() };
}

/** Reads a policy file with the YAML package. */
export function readAny(source: Source, report: Diagnostics): YamlDocument | undefined {
  const read = readTokens(source, report);
  if (read === undefined) return undefined;
  const documents = composeDocuments(read, source, report);
  if (documents === undefined) return undefined;
  if (documents.length > 1 || read.tokens.some(({ type }) => type === 'directive')) {
    report.add('yaml/several-documents', source, {});
    return undefined;
  }
  return documents[0] && mappingOf(documents[0], source, report);
}

type ReadTokens = Exclude<Tokens, { readonly tooDeepAt: number }>;

function readTokens(source: Source, report: Diagnostics): ReadTokens | undefined {
  // YAML allows none of these, and the tokenizer uses some as markers.
  const control = /(?![\t\n\r\u0080-\u009f])\p{Cc}/u.exec(source.text);
  if (control) {
    report.add('yaml/syntax', placeAt(source, control.index), {
      reason: `control character ${codePoint(control[0])} is not allowed`,
    });
    return undefined;
  }
  const result = tokenise(readableText(source), MAX_DEPTH);
  if ('tooDeepAt' in result) {
    report.add('yaml/too-deep', placeAt(source, result.tooDeepAt), { limit: MAX_DEPTH });
    return undefined;
  }
  const prefixes = quotedPrefixes(source.text, result.tokens);
  for (const offset of prefixes) report.add('yaml/quoted-prefix', placeAt(source, offset), {});
  if (prefixes.length > 0) return undefined;
  const blank = falseBlank(source.text, result.tokens);
  if (blank === undefined) return result;
  const reason = `${codePoint(blank.character)} is not a space in YAML: remove it, or put the string in quotes`;
  report.add('yaml/syntax', placeAt(source, blank.offset), { reason });
  return undefined;
}

function codePoint(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

// The YAML package drops a byte-order mark; here it is the first character of the first key.
function readableText(source: Source): string {
  return source.text.startsWith('\ufeff') ? `x${source.text.slice(1)}` : source.text;
}

function placeAt(source: Source, offset: number): Place {
  const start = Math.min(offset, source.text.length);
  return { span: { source, start, end: Math.min(start + 1, source.text.length) }, anchor: start, path: '' };
}

function composeDocuments(
  { tokens, hasTags }: ReadTokens,
  source: Source,
  report: Diagnostics,
): readonly Document.Parsed[] | undefined {
  const written = withoutEmptyDocuments(tokens);
  const hasDocument = written.some(({ type }) => type === 'document');
  if (hasTags) for (const token of written) stripTags(token);
  const documents = composeYaml(
    hasDocument ? written : written.filter(({ type }) => type === 'error'),
    source.text.length,
    { schema: 'failsafe', keepSourceTokens: true },
  );
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) {
    const first = errors.reduce((a, b) => (b.pos[0] < a.pos[0] ? b : a));
    const place = placeAt(source, first.pos[0]);
    const end = Math.min(Math.max(first.pos[1], place.span.end), source.text.length);
    const span = { ...place.span, end };
    const focus = textAt(span);
    report.add(
      'yaml/syntax',
      { ...place, span },
      { reason: inHouseStyle(first.message) },
      { focus, notes: adviseSyntax(first.code) },
    );
    return undefined;
  }
  return hasDocument ? documents : [];
}

/**
 * The line that is wrong, if the YAML package points to the blanks before it, or to the end of the file after it.
 * Undefined if it points to text.
 */
function textAt({ source, start, end }: Span): Span | undefined {
  const { text } = source;
  if (text.slice(start, end).trim() !== '' || text.trim() === '') return undefined;
  const next = start + text.slice(start).search(/\S/);
  if (next >= start) return { source, start: next, end: next + 1 };
  const last = text.trimEnd().length;
  return { source, start: last - 1, end: last };
}

// A document that contains only `---` and comments is absent (docs/spec/policy-language.md#documents-in-a-file), and so
// is the `...` that ends it.
function withoutEmptyDocuments(tokens: readonly CST.Token[]): readonly CST.Token[] {
  const written: CST.Token[] = [];
  let dropped = true;
  for (const token of tokens) {
    if (token.type === 'document') dropped = !hasContent(token);
    if (!dropped || (token.type !== 'document' && token.type !== 'doc-end')) written.push(token);
  }
  return written;
}

function hasContent(document: CST.Document): boolean {
  return document.value !== undefined || document.start.some(({ type }) => type === 'anchor' || type === 'tag');
}

function inHouseStyle(message: string): string {
  const line = (message.split('\n')[0] as string).replace(/\.$/, '');
  return line.charAt(0).toLowerCase() + line.slice(1);
}

function mappingOf(document: Document.Parsed, source: Source, report: Diagnostics): YamlDocument | undefined {
  const { root, syntax, problems } = buildTree(document, source);
  if (syntax.found) syntax.reportTo(report);
  else if (root.type === 'Mapping') return { root, problems };
  else if (problems.found) problems.reportTo(report);
  else report.add('yaml/not-a-policy', root.place, {});
  return undefined;
}
