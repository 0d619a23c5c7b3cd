import type {
  ArrowFunction,
  ConstructorDeclaration,
  FunctionDeclaration,
  FunctionExpression,
  MethodDeclaration,
  Node as AnyNode,
  Symbol as AnySymbol,
} from 'ts-morph';
import { Node, SyntaxKind } from './ts-morph.js';

/** A function with a body. */
export type FunctionNode =
  | ArrowFunction
  | ConstructorDeclaration
  | FunctionDeclaration
  | FunctionExpression
  | MethodDeclaration;

/** Whether a node is a function. */
export function isFunction(node: AnyNode): node is FunctionNode {
  return (
    Node.isArrowFunction(node) ||
    Node.isFunctionExpression(node) ||
    Node.isFunctionDeclaration(node) ||
    Node.isMethodDeclaration(node) ||
    Node.isConstructorDeclaration(node)
  );
}

/** The symbol of an expression, where it is declared: imports are followed. */
export function findSymbol(node: AnyNode): AnySymbol | undefined {
  const symbol = node.getSymbol();
  return symbol?.isAlias() === true ? (symbol.getAliasedSymbol() ?? symbol) : symbol;
}

/** The expressions that a function returns. */
export function findResults(fn: FunctionNode): readonly AnyNode[] {
  const body = Node.isArrowFunction(fn) ? fn.getBody() : undefined;
  if (body !== undefined && !Node.isBlock(body)) return [body];
  return fn
    .getDescendantsOfKind(SyntaxKind.ReturnStatement)
    .filter((statement) => statement.getFirstAncestor(isFunction) === fn)
    .flatMap((statement) => statement.getExpression() ?? []);
}

const sites = new WeakMap<FunctionNode, readonly AnyNode[]>();
const LIST_METHODS = new Set(['every', 'filter', 'find', 'flatMap', 'forEach', 'map', 'some']);

/**
 * The places that call a function: calls, `new` for constructors, elements of JSX for components, and calls such as
 * `list.map(fn)`. A place that passes the function on as a value is one, too; `argumentsOf` knows nothing of it.
 */
export function callSites(fn: FunctionNode): readonly AnyNode[] {
  let found = sites.get(fn);
  if (found === undefined) {
    found = findSites(fn);
    sites.set(fn, found);
  }
  return found;
}

function findSites(fn: FunctionNode): readonly AnyNode[] {
  const parent = fn.getParent();
  if (Node.isCallExpression(parent) && parent.getArguments().includes(fn as AnyNode)) return [fn];
  const name = findName(fn);
  if (name === undefined) return [];
  return name.findReferencesAsNodes().flatMap((reference) => {
    const up = reference.getParent();
    if (
      up === undefined ||
      Node.isImportSpecifier(up) ||
      Node.isExportSpecifier(up) ||
      Node.isExportAssignment(up) ||
      Node.isImportClause(up)
    )
      return [];
    if (reference === name || Node.isTypeQuery(up) || Node.isMethodSignature(up) || Node.isMethodDeclaration(up))
      return [];
    const whole = Node.isPropertyAccessExpression(up) && up.getNameNode() === reference ? up : reference;
    const user = whole.getParent();
    if ((Node.isCallExpression(user) || Node.isNewExpression(user)) && user.getExpression() === whole) return [user];
    if (Node.isJsxOpeningElement(user) || Node.isJsxSelfClosingElement(user)) return [user];
    if (Node.isJsxClosingElement(user) || Node.isTypeReference(user)) return [];
    return [whole];
  });
}

/** The arguments of a place of `callSites`; undefined if they are not known. */
export function findArguments(site: AnyNode): readonly AnyNode[] | undefined {
  if (Node.isCallExpression(site) || Node.isNewExpression(site)) return site.getArguments();
  // The element stands for its properties.
  if (Node.isJsxOpeningElement(site) || Node.isJsxSelfClosingElement(site)) return [site];
  return undefined;
}

/** The list whose elements a callback is called with, as in `list.map(fn)`. */
export function findList(site: AnyNode): AnyNode | undefined {
  const call = site.getParent();
  const callee = Node.isCallExpression(call) && call.getArguments()[0] === site ? call.getExpression() : undefined;
  return Node.isPropertyAccessExpression(callee) && LIST_METHODS.has(callee.getName())
    ? callee.getExpression()
    : undefined;
}

/** The name that others call a function by. */
function findName(fn: FunctionNode) {
  if (Node.isConstructorDeclaration(fn)) return fn.getParentIfKind(SyntaxKind.ClassDeclaration)?.getNameNode();
  if (Node.isFunctionDeclaration(fn) || Node.isMethodDeclaration(fn)) return asIdentifier(fn.getNameNode());
  const parent = fn.getParent();
  const isNamed =
    Node.isVariableDeclaration(parent) || Node.isPropertyAssignment(parent) || Node.isPropertyDeclaration(parent);
  return isNamed ? asIdentifier(parent.getNameNode()) : undefined;
}

function asIdentifier(node: AnyNode | undefined) {
  return Node.isIdentifier(node) ? node : undefined;
}
