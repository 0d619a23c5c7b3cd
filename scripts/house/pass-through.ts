import ts from 'typescript';

/**
 * Whether the text of a function does nothing but call another one with what it was given: `(a, b) => run(a, b.c)`,
 * `get(name) { return this.map.get(name); }`.
 */
export function isPassThrough(text: string): boolean {
  return [text, `function ${text}`, `class A { ${text} }`].some((candidate) => {
    const source = ts.createSourceFile('a.js', candidate, ts.ScriptTarget.Latest, false, ts.ScriptKind.JS);
    const [statement, ...others] = source.statements;
    if (statement === undefined || others.length > 0) return false;
    const body = bodyOf(statement);
    return body !== undefined && onlyCalls(body);
  });
}

function bodyOf(statement: ts.Statement): ts.ConciseBody | undefined {
  if (ts.isFunctionDeclaration(statement)) return statement.body;
  if (ts.isExpressionStatement(statement) && ts.isArrowFunction(statement.expression)) return statement.expression.body;
  if (!ts.isClassDeclaration(statement)) return undefined;
  const [member] = statement.members;
  return member !== undefined && ts.isMethodDeclaration(member) ? member.body : undefined;
}

function onlyCalls(body: ts.ConciseBody): boolean {
  if (!ts.isBlock(body)) return isCall(body);
  const [statement, ...others] = body.statements;
  if (statement === undefined || others.length > 0) return false;
  const isLast = ts.isReturnStatement(statement) || ts.isExpressionStatement(statement);
  return isLast && statement.expression !== undefined && isCall(statement.expression);
}

/** A call whose arguments are names and members: what is computed or made for a call is work. */
function isCall(node: ts.Expression): boolean {
  if (ts.isAwaitExpression(node) || ts.isParenthesizedExpression(node)) return isCall(node.expression);
  return ts.isCallExpression(node) && isPath(node.expression) && node.arguments.every(isPath);
}

function isPath(node: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(node)) return isPath(node.expression);
  return ts.isIdentifier(node) || node.kind === ts.SyntaxKind.ThisKeyword || ts.isLiteralExpression(node);
}
