import ts from 'typescript';

/** What the functions and the doc comments of a TypeScript file are called, in numbers. */
export interface NameCounts {
  readonly functions: number;
  /** Functions named after what they return, `textOf`, and not after what they do. */
  readonly named: number;
  readonly comments: number;
  /** Doc comments that begin with a preposition: whose subject the reader has to guess. */
  readonly prepositions: number;
}

const AFTER_RESULT = /[a-z0-9]Of$/;
const PREPOSITION =
  /^\/\*\*[\s*]*(?:About|After|As|At|Before|Beside|Between|By|During|For|From|In|Into|Of|On|Per|Since|To|Under|Until|With|Without)\b/;

/** Counts the functions and the doc comments of a TypeScript file. */
export function countNames(text: string): NameCounts {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  const names: string[] = [];
  const comments = new Set<string>();
  const visit = (node: ts.Node): void => {
    const name = functionName(node);
    if (name !== undefined) names.push(name);
    for (const { pos, end } of ts.getLeadingCommentRanges(text, node.pos) ?? [])
      if (text.startsWith('/**', pos)) comments.add(`${pos} ${text.slice(pos, end)}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return {
    functions: names.length,
    named: names.filter((name) => AFTER_RESULT.test(name)).length,
    comments: comments.size,
    prepositions: [...comments].filter((comment) => PREPOSITION.test(comment.slice(comment.indexOf(' ') + 1))).length,
  };
}

/** The name of a function, a method, or a constant that is a function. */
function functionName(node: ts.Node): string | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node))
    return node.name && ts.isIdentifier(node.name) ? node.name.text : undefined;
  if (!ts.isVariableDeclaration(node) || node.initializer === undefined || !ts.isIdentifier(node.name))
    return undefined;
  const { initializer } = node;
  return ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer) ? node.name.text : undefined;
}
