import {
  composeYaml,
  type CST,
  type Document,
  isCollection,
  isScalar,
  type Node,
  tokenise,
  type Tokens,
  visit,
  type YAMLError,
} from '../../../packages/yaml-input/index.js';
import type { Details, Diagnostics } from '../../diagnostics/diagnostic.js';
import type { Code, MessageParameters } from '../../diagnostics/messages.js';
import type { Source } from '../../diagnostics/source.js';
import type { Place, Span } from '../../diagnostics/span.js';
import { ParseProblems } from '../problems.js';
import { MAX_DEPTH, MAX_DOCUMENT_LENGTH } from '../limits.js';
import { adviseSyntax } from './syntax-advice.js';
import { falseBlank, quotedPrefixes, stripTags } from './tokens.js';
import { type Mask, NO_MASKS } from './mask.js';
import type { YamlMapping } from './node.js';
import { type Malformed, recover, type SyntaxProblem } from './recover.js';
import { buildTree } from './tree.js';
import { adviseDepth } from './tree-advice.js';
import { readUsual } from './usual.js';

/** The mapping in a policy file. */
export interface YamlDocument {
  readonly root: YamlMapping;
  /** Problems with keys, anchors and merges, to which those of fields are added. */
  readonly problems: ParseProblems;
}

/**
 * Reads a policy file (docs/spec/policy-language.md#documents-in-a-file, docs/spec/policy-language.md#yaml-dialect).
 * Returns undefined if it is empty, or if it is not well-formed, which is reported.
 *
 * @param readUnusual reads what is not in the form of most policies.
 */
export function readDocument(source: Source, report: Diagnostics, readUnusual = readAny): YamlDocument | undefined {
  if (source.text.length > MAX_DOCUMENT_LENGTH) {
    report.add('file/too-large', source, { limit: MAX_DOCUMENT_LENGTH });
    return undefined;
  }
  const root = readUsual(source);
  return root === undefined ? readUnusual(source, report) : { root, problems: new ParseProblems() };
}

/** Reads a policy file with the YAML package. */
export function readAny(source: Source, report: Diagnostics): YamlDocument | undefined {
  const read = composeText(source, source.text);
  if ('problems' in read) for (const problem of read.problems) problem.reportTo(report, []);
  return 'problems' in read ? undefined : toDocument(read, source, report);
}

/**
 * Reads a file like `readAny`, without the smallest parts for which it is not well-formed. Reports the problem of each.
 * Undefined if nothing is left.
 */
export function readBroken(source: Source, report: Diagnostics): YamlDocument | undefined {
  const { read, problems, masks } = recover(source, (text) => composeText(source, text));
  for (const problem of problems) {
    const alike = problem.cause === undefined ? [problem] : problems.filter(({ cause }) => cause === problem.cause);
    if (alike[0] !== problem) continue;
    const others = alike.slice(1).map(({ place }) => place);
    problem.reportTo(report, others);
  }
  return 'problems' in read ? undefined : toDocument(read, source, report, masks);
}

function toDocument(
  { tokens, documents }: Composed,
  source: Source,
  report: Diagnostics,
  masks = NO_MASKS,
): YamlDocument | undefined {
  if (documents.length > 1 || tokens.some(({ type }) => type === 'directive')) {
    report.add('yaml/several-documents', source, {}, SEPARATE);
    return undefined;
  }
  return documents[0] && toMapping(documents[0], source, report, masks);
}

const SEPARATE = {
  notes: [{ message: 'move each document to its own file, and remove lines that begin with `%`' }],
};

/** Reads a text of the length of the source, to which places refer. */
function composeText(source: Source, text: string): Composed | Malformed {
  // YAML allows none of these, and the tokenizer uses some as markers.
  const control = /(?![\t\n\r\u0080-\u009f])\p{Cc}/u.exec(text);
  if (control) {
    const reason = `control character ${codePoint(control[0])} is not allowed`;
    return malformed(placeAt(source, control.index), { reason }, { notes: [REMOVE_CHARACTER] });
  }
  const result = tokenise(readableText(text), MAX_DEPTH);
  if ('tooDeepAt' in result) {
    const place = placeAt(source, result.tooDeepAt);
    const notes = adviseDepth();
    return { problems: [problemAt(place, 'yaml/too-deep', { limit: MAX_DEPTH }, { notes })], isFatal: true };
  }
  const prefixes = quotedPrefixes(text, result.tokens);
  if (prefixes.length > 0)
    return { problems: prefixes.map((offset) => problemAt(placeAt(source, offset), 'yaml/quoted-prefix', {}, QUOTE)) };
  const blank = falseBlank(text, result.tokens);
  if (blank === undefined) return composeDocuments(result, text, source);
  const reason = `${codePoint(blank.character)} is not a space in YAML: remove it, or put the string in quotes`;
  return malformed(placeAt(source, blank.offset), { reason });
}

const REMOVE_CHARACTER = { message: 'remove it, or write an escape in double quotes: `"\\x1b"`' };
const QUOTE = { notes: [{ message: 'put all of it in single quotes, as in `\'"GB" in R.attr.geo\'`, or below `|-`' }] };

function malformed(place: Place, parameters: { readonly reason: string }, details?: Details): Malformed {
  return { problems: [problemAt(place, 'yaml/syntax', parameters, details)] };
}

function problemAt<C extends Code>(
  place: Place,
  code: C,
  parameters: MessageParameters<C>,
  details: Details = {},
): SyntaxProblem {
  const { anchor } = place;
  const reportTo: SyntaxProblem['reportTo'] = (report, others) =>
    report.add(code, place, parameters, { ...details, others });
  const movedTo = (offset: number): SyntaxProblem => {
    const { focus: _, ...others } = details;
    return problemAt(placeAt(place.span.source, offset), code, parameters, others);
  };
  return { start: anchor, offset: anchor, place, reportTo, movedTo };
}

type ReadTokens = Exclude<Tokens, { readonly tooDeepAt: number }>;

/** A text without syntax errors. */
interface Composed {
  readonly tokens: readonly CST.Token[];
  readonly documents: readonly Document.Parsed[];
}

function codePoint(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

// The YAML package drops a byte-order mark; here it is the first character of the first key.
function readableText(text: string): string {
  return text.startsWith('\ufeff') ? `x${text.slice(1)}` : text;
}

function placeAt(source: Source, offset: number): Place {
  const start = Math.min(offset, source.text.length);
  return { span: { source, start, end: Math.min(start + 1, source.text.length) }, anchor: start, path: '' };
}

function composeDocuments({ tokens, hasTags }: ReadTokens, text: string, source: Source): Composed | Malformed {
  const written = withoutEmptyDocuments(tokens);
  const hasDocument = written.some(({ type }) => type === 'document');
  if (hasTags) for (const token of written) stripTags(token);
  const documents = composeYaml(hasDocument ? written : written.filter(({ type }) => type === 'error'), text.length, {
    schema: 'failsafe',
    keepSourceTokens: true,
  });
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length === 0) return { tokens, documents: hasDocument ? documents : [] };
  const first = errors.reduce((a, b) => (b.pos[0] < a.pos[0] ? b : a));
  const place = placeAt(source, first.pos[0]);
  const end = Math.min(Math.max(first.pos[1], place.span.end), text.length);
  const span = { ...place.span, end };
  const start = findStart(first.pos[0], documents);
  const isElsewhere = text.slice(start, place.anchor).includes('\n');
  const below = keyBelow(first, errors, source);
  const focus = isElsewhere ? { source, start, end: start + 1 } : (below ?? textAt(span));
  const reason = below === undefined ? inHouseStyle(first.message) : 'all mapping items must start at the same column';
  const details = { focus, notes: adviseSyntax(below === undefined ? first.code : 'BAD_INDENT', reason) };
  const problem = problemAt({ ...place, span }, 'yaml/syntax', { reason }, details);
  // Who indents with tabs does so on many lines.
  const cause = first.code === 'TAB_AS_INDENT' && { cause: first.code };
  return { problems: [{ ...problem, start, ...cause }], errors: errors.length };
}

/**
 * The key that is indented too far, which makes it the next line of the value above it; undefined if this is not what is
 * wrong. The YAML package points to that value.
 */
function keyBelow(first: YAMLError, errors: readonly YAMLError[], source: Source): Span | undefined {
  if (first.code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined;
  const lines = errors.find(({ code, pos }) => code === 'MULTILINE_IMPLICIT_KEY' && pos[0] === first.pos[0]);
  if (lines === undefined) return undefined;
  const { text } = source;
  const value = text.slice(first.pos[0], lines.pos[1]);
  const isValue = text.slice(text.lastIndexOf('\n', first.pos[0]) + 1, first.pos[0]).includes(': ');
  if (!isValue || !value.includes('\n')) return undefined;
  const key = value.slice(value.lastIndexOf('\n')).trimStart();
  return { source, start: lines.pos[1] - key.length, end: lines.pos[1] };
}

/** Where the bracket or the quote opens that an offset is in, if it is in one: what is wrong may begin there. */
function findStart(offset: number, documents: readonly Document.Parsed[]): number {
  let start = offset;
  for (const document of documents)
    visit(document, {
      Node(_, node) {
        if (!isQuotedOrFlow(node)) return undefined;
        // What follows the value, such as the indentation of the next line, is no part of it.
        const [from, to] = node.range ?? [offset, offset];
        if (from <= offset && offset <= to) start = Math.min(start, from);
        return undefined;
      },
    });
  return start;
}

function isQuotedOrFlow(node: Node): boolean {
  if (isScalar(node)) return node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE';
  return isCollection(node) && node.flow === true;
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

function toMapping(
  document: Document.Parsed,
  source: Source,
  report: Diagnostics,
  masks: readonly Mask[],
): YamlDocument | undefined {
  const { root, problems } = buildTree(document, source, masks);
  if (root.type === 'Mapping') return { root, problems };
  if (problems.found) problems.reportTo(report);
  else report.add('yaml/not-a-policy', root.place, {}, WRITE_MAPPING);
  return undefined;
}

const WRITE_MAPPING = {
  notes: [{ message: 'begin the file with `apiVersion: api.authz.dev/v1`, or move it out of the folder' }],
};
