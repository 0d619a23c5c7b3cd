import ts from 'typescript';

/** One change of a source file: the text from `start` to `end` is replaced. */
export interface Mutation {
  /** What changes, for the report: `&& becomes ||`. */
  readonly change: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The expression that is evaluated when the change matters. */
  readonly within: Range;
}

/** A part of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Every change that can be made to a source file, in the order of the text. Types, imports and the messages of errors
 * stay as they are.
 */
export function mutationsOf(path: string, text: string): readonly Mutation[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const visit = (node: ts.Node): void => {
    if (isLeftAlone(node)) return;
    for (const [change, part, replacement] of mutationsAt(node, source)) {
      found.push({ change, ...rangeOf(part, source), replacement, within: rangeOf(evaluated(part), source) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.sort((a, b) => a.start - b.start || a.end - b.end || (a.change < b.change ? -1 : 1));
}

/** The text with a mutation in it. */
export function mutated(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function rangeOf(node: ts.Node, source: ts.SourceFile): Range {
  return { start: node.getStart(source), end: node.getEnd() };
}

/**
 * The nearest expression around a part that may be put into parentheses: a statement's own, and all of a chain of
 * calls.
 */
function evaluated(part: ts.Node): ts.Node {
  if (ts.isExpressionStatement(part)) return part.expression;
  if (ts.isIfStatement(part)) return part.expression;
  let node = part;
  while (isLinkOf(node.parent, node)) node = node.parent;
  return node;
}

function isLinkOf(parent: ts.Node, node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node || parent.name === node;
  return (
    (ts.isCallExpression(parent) || ts.isElementAccessExpression(parent) || ts.isNonNullExpression(parent)) &&
    parent.expression === node
  );
}

type Change = readonly [change: string, part: ts.Node, replacement: string];

/** Types have no tests, and tests of message wording are of little use. */
function isLeftAlone(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isThrowStatement(node)) return true;
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'invariant';
}

function mutationsAt(node: ts.Node, source: ts.SourceFile): readonly Change[] {
  const text = (part: ts.Node): string => part.getText(source);
  if (ts.isBinaryExpression(node)) return ofOperator(node, text);
  if (ts.isPrefixUnaryExpression(node)) return ofPrefix(node, text);
  if (ts.isPostfixUnaryExpression(node)) {
    const isIncrement = node.operator === ts.SyntaxKind.PlusPlusToken;
    return [
      [isIncrement ? '++ becomes --' : '-- becomes ++', node, `${text(node.operand)}${isIncrement ? '--' : '++'}`],
    ];
  }
  if (ts.isIfStatement(node)) return ofIf(node, text);
  if (ts.isConditionalExpression(node)) {
    const swapped = `${text(node.condition)} ? ${text(node.whenFalse)} : ${text(node.whenTrue)}`;
    return [['the branches are swapped', node, swapped]];
  }
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [['true becomes false', node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [['false becomes true', node, 'true']];
  if (ts.isNumericLiteral(node))
    return ts.isPropertyAssignment(node.parent) && node.parent.name === node
      ? []
      : [[`${node.text} becomes ${Number(node.text) + 1}`, node, String(Number(node.text) + 1)]];
  if (ts.isBigIntLiteral(node)) return [[`${text(node)} becomes one more`, node, `(${text(node)} + 1n)`]];
  if (ts.isStringLiteral(node) && isCompared(node)) return [['the string becomes another', node, "'another'"]];
  if (ts.isExpressionStatement(node) && !isSuperCall(node)) return [['the statement is removed', node, ';']];
  if (ts.isPropertyAccessExpression(node) && ts.isCallExpression(node.parent)) {
    const other = QUANTIFIERS[node.name.text];
    return other === undefined ? [] : [[`${node.name.text} becomes ${other}`, node.name, other]];
  }
  return [];
}

const QUANTIFIERS: { readonly [name: string]: string | undefined } = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
};

const OPERATORS: { readonly [operator: string]: string | undefined } = {
  '&&': '||',
  '||': '&&',
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '<<': '>>',
  '>>': '<<',
  '+=': '-=',
  '-=': '+=',
  '&&=': '||=',
  '||=': '&&=',
};

function ofOperator(node: ts.BinaryExpression, text: (part: ts.Node) => string): readonly Change[] {
  const operator = text(node.operatorToken);
  if (operator === '??') return [['the fallback is dropped', node, text(node.left)]];
  const other = OPERATORS[operator];
  if (other === undefined || ((operator === '+' || operator === '+=') && [node.left, node.right].some(isText)))
    return [];
  // `a && b || c` would not parse with `??`; with parentheses it stands for what the other operator means.
  const swapped = `${text(node.left)} ${other} ${text(node.right)}`;
  return [[`${operator} becomes ${other}`, node, operator === '&&' || operator === '||' ? `(${swapped})` : swapped]];
}

function ofPrefix(node: ts.PrefixUnaryExpression, text: (part: ts.Node) => string): readonly Change[] {
  switch (node.operator) {
    case ts.SyntaxKind.ExclamationToken:
      return [['! is dropped', node, text(node.operand)]];
    case ts.SyntaxKind.MinusToken:
      return [['- is dropped', node, text(node.operand)]];
    case ts.SyntaxKind.PlusPlusToken:
      return [['++ becomes --', node, `--${text(node.operand)}`]];
    case ts.SyntaxKind.MinusMinusToken:
      return [['-- becomes ++', node, `++${text(node.operand)}`]];
    default:
      return [];
  }
}

function ofIf(node: ts.IfStatement, text: (part: ts.Node) => string): readonly Change[] {
  const never: Change = ['the condition becomes false', node.expression, 'false'];
  const always: Change = ['the condition becomes true', node.expression, 'true'];
  if (node.elseStatement === undefined) return [never, always];
  return [
    never,
    always,
    [
      'the branches are swapped',
      node,
      `if (${text(node.expression)}) ${text(node.elseStatement)} else ${text(node.thenStatement)}`,
    ],
  ];
}

function isText(node: ts.Expression): boolean {
  return (
    ts.isStringLiteral(node) ||
    ts.isTemplateExpression(node) ||
    ts.isNoSubstitutionTemplateLiteral(node) ||
    (ts.isBinaryExpression(node) && [node.left, node.right].some(isText))
  );
}

function isCompared({ parent }: ts.StringLiteral): boolean {
  return ts.isCaseClause(parent) || (ts.isBinaryExpression(parent) && /^[!=]==$/.test(parent.operatorToken.getText()));
}

function isSuperCall(node: ts.ExpressionStatement): boolean {
  return ts.isCallExpression(node.expression) && node.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
}
