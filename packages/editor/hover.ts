import type { Hover, Position } from 'vscode-languageserver';
import type { Expr } from '../cel/ast/expr.js';
import type { Expression, PolicyFile } from '../../compiler/ast/policy.js';
import { visit } from '../cel/ast/visit.js';
import { printType } from '../cel/library/types.js';
import type { Source } from '../../compiler/diagnostics/source.js';
import type { Span } from '../../compiler/diagnostics/span.js';
import { kindAt } from '../../compiler/parse/schema/kind-at.js';
import { checkExpression } from '../cel/check/check-expression.js';
import { policyEnvironment } from '../cel/check/environment.js';
import { describeSelected, selected } from './attributes.js';
import { EarlierText } from './earlier-text.js';
import { expressionsIn } from './expressions.js';
import { formatDocumentation, formatSignatures } from './functions.js';
import { findDefinitions, nameIn } from './navigation.js';
import { offsetAt, toRange } from './positions.js';
import type { EditedPolicies } from './policy-index.js';
import { findTable } from './tables.js';
import { yamlCursor } from './yaml-cursor.js';

/** The maximum number of UTF-16 units of a definition that is shown. */
const LONGEST_SHOWN = 2_000;

/**
 * What is known about the name, the function, the attribute or the key at a position. While the document does not parse,
 * its last one that did knows the text that has not changed since.
 */
export function hover(workspace: EditedPolicies, path: string, position: Position): Hover | undefined {
  const { file } = workspace.get(path) ?? {};
  const source = workspace.findSource(path);
  if (source === undefined) return undefined;
  const offset = offsetAt(source, position);
  return (file && hoverInDocument(workspace, file, source, offset)) ?? hoverOfKey(path, source.text, offset);
}

/** What is known about a part of a document. */
interface Known {
  /** Markdown. */
  readonly value: string;
  /** Where it is in the text of the document. */
  readonly span: Span;
}

function hoverInDocument(
  workspace: EditedPolicies,
  file: PolicyFile,
  source: Source,
  offset: number,
): Hover | undefined {
  const parsed = new EarlierText(file.source, source);
  const at = parsed.findOffset(offset);
  if (at === undefined) return undefined;
  const known = describeName(workspace, file, at) ?? describeExpression(workspace, file, at);
  const span = known && parsed.toCurrent(known.span);
  return span && { contents: { kind: 'markdown', value: known.value }, range: toRange(span) };
}

function describeName(workspace: EditedPolicies, file: PolicyFile, offset: number): Known | undefined {
  const named = nameIn(workspace, file, offset);
  if (named === undefined || named.occurrence.kind === 'schema') return undefined;
  const [first, ...others] = findDefinitions(workspace, named);
  if (first === undefined) return undefined;
  const { path: where } = first.source;
  const place = `\`${where}:${first.source.lineAndColumn(first.start).line}\``;
  const also = others.length === 0 ? '' : ` and ${others.length} more`;
  return { value: `${code('yaml', definitionText(first))}\n\n${place}${also}`, span: named.occurrence.span };
}

/** The line of a definition, and those below it that are indented more. */
function definitionText(span: Span): string {
  const { source } = span;
  const { line } = source.lineAndColumn(span.start);
  const first = source.line(line);
  const lines = [first];
  let length = first.length;
  const indent = first.search(/[^ ]/);
  for (let next = line + 1; next <= source.lineCount && length < LONGEST_SHOWN; next += 1) {
    const text = source.line(next);
    if (text.trim() === '' || text.search(/[^ ]/) <= indent) break;
    lines.push(text);
    length += text.length;
  }
  return lines
    .map((text) => text.slice(indent))
    .join('\n')
    .slice(0, LONGEST_SHOWN);
}

function describeExpression(workspace: EditedPolicies, file: PolicyFile, offset: number): Known | undefined {
  for (const expression of expressionsIn(file)) {
    const { ast } = expression;
    const whole = expression.spanOf(0, expression.text.length);
    if (ast === undefined || offset < whole.start || offset > whole.end) continue;
    const found = nodeAt(expression, ast, offset);
    if (found === undefined) return undefined;
    const { node, span } = found;
    if (node.kind === 'call' || node.kind === 'macro') {
      const documentation = formatDocumentation(node.kind === 'call' ? nameOfCall(node) : node.macro);
      return documentation === undefined ? undefined : { value: documentation, span };
    }
    const chain = findChain(node);
    const value = chain && selected(chain, workspace, file);
    const type = checkExpression(ast, policyEnvironment).types.get(node);
    if (value === undefined && type === undefined) return undefined;
    const words = value === undefined ? printType(type as NonNullable<typeof type>) : describeSelected(value);
    return { value: `\`${chain?.join('.') ?? expression.text.slice(node.start, node.end)}\`: ${words}`, span };
  }
  return undefined;
}

/** The innermost name or function at an offset. */
function nodeAt(
  expression: Expression,
  ast: Expr,
  offset: number,
): { readonly node: Expr; readonly span: Span } | undefined {
  let found: { readonly node: Expr; readonly span: Span } | undefined;
  visit(ast, (node) => {
    const range = rangeOfName(node);
    if (range === undefined) return;
    const span = expression.spanOf(range.start, range.end);
    if (span.start <= offset && offset <= span.end) found = { node, span };
  });
  return found;
}

function rangeOfName(node: Expr): { readonly start: number; readonly end: number } | undefined {
  switch (node.kind) {
    case 'ident':
      return node;
    case 'select':
      return { start: node.fieldStart, end: node.fieldStart + node.field.length };
    case 'call':
      return node.isOperator ? undefined : { start: node.nameStart, end: node.nameStart + node.function.length };
    case 'macro':
      return { start: node.nameStart, end: node.nameStart + (node.macro.split('.').at(-1) as string).length };
    default:
      return undefined;
  }
}

/** The name of a function, with its namespace. */
function nameOfCall({ function: name, target }: Extract<Expr, { readonly kind: 'call' }>): string {
  const qualified = target?.kind === 'ident' ? `${target.name}.${name}` : name;
  return formatSignatures(qualified) === undefined ? name : qualified;
}

function findChain(node: Expr): readonly string[] | undefined {
  const names: string[] = [];
  let below = node;
  for (; below.kind === 'select'; below = below.operand) names.push(below.field);
  return below.kind === 'ident' ? [...names, below.name].reverse() : undefined;
}

function hoverOfKey(file: string, text: string, offset: number): Hover | undefined {
  const word = /^[\w$]*/.exec(text.slice(offset, offset + 100))?.[0] ?? '';
  const after = offset + word.length;
  if (!/^["']? *:/.test(text.slice(after, after + 10))) return undefined;
  const { kind, path, written } = yamlCursor(text, after);
  const table = findTable(file);
  const parent = kind === 'key' && table !== undefined ? kindAt(table, path) : undefined;
  const field = parent?.kind === 'object' ? parent.type().bySpelling.get(written) : undefined;
  return field && { contents: { kind: 'markdown', value: field.description } };
}

function code(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(({ 0: ticks }) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
