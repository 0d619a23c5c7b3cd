import type { CallExpression, MethodDeclaration, MethodSignature, Node as AnyNode } from 'ts-morph';
import { isAsk } from './asks.js';
import { isFunction, findSymbol } from './functions.js';
import { Node, SyntaxKind } from './ts-morph.js';
import { isDeclaredElsewhere } from './values.js';

const known = new WeakMap<AnyNode, boolean>();

/**
 * Whether what an expression or a function does comes to a question about the policies: in itself, or in a function of
 * the application that it names. The functions that it only assigns to something else are left out.
 */
export function asksPolicies(node: AnyNode): boolean {
  const before = known.get(node);
  if (before !== undefined) return before;
  // A function that calls itself adds nothing to what the rest of it does.
  known.set(node, false);
  const result = visit(node, node);
  known.set(node, result);
  return result;
}

function visit(node: AnyNode, root: AnyNode): boolean {
  if (node !== root && isAssignedFunction(node)) return false;
  if (Node.isTypeNode(node)) return false;
  if (Node.isCallExpression(node) && isAsk(node as CallExpression)) return true;
  // Of `handlers.remove`, `handlers` is not what runs.
  if (
    Node.isPropertyAccessExpression(node) &&
    Node.isIdentifier(node.getExpression()) &&
    named(node.getNameNode()).length > 0
  )
    return visit(node.getNameNode(), root);
  if (Node.isIdentifier(node) && named(node).some(asksPolicies)) return true;
  return node.forEachChild((child) => visit(child, root) || undefined) ?? false;
}

/** `x = () => ...`, also in a declaration: it does something only where it is named. */
function isAssignedFunction(node: AnyNode): boolean {
  if (!isFunction(node)) return false;
  const parent = node.getParent();
  return (
    Node.isFunctionDeclaration(node) ||
    (Node.isVariableDeclaration(parent) && parent.getInitializer() === node) ||
    (Node.isBinaryExpression(parent) && parent.getOperatorToken().getKind() === SyntaxKind.EqualsToken)
  );
}

/** The methods by which frameworks call classes that they are given: guards, middleware and interceptors of Nest. */
const METHODS = new Set(['canActivate', 'use', 'intercept']);

/** What a name stands for in the application. */
function named(name: AnyNode): readonly AnyNode[] {
  const parent = name.getParent();
  if (Node.isNewExpression(parent) && parent.getExpression() === name) return [];
  const isDeclaration =
    parent !== undefined &&
    'getNameNode' in parent &&
    !Node.isPropertyAccessExpression(parent) &&
    !Node.isShorthandPropertyAssignment(parent) &&
    (parent as { getNameNode(): unknown }).getNameNode() === name;
  if (isDeclaration) return [];
  const symbol = Node.isShorthandPropertyAssignment(parent) ? parent.getValueSymbol() : findSymbol(name);
  return (symbol?.getDeclarations() ?? []).flatMap((declaration): readonly AnyNode[] => {
    if (isDeclaredElsewhere(declaration)) return [];
    if (Node.isClassDeclaration(declaration))
      return declaration.getMethods().filter((method) => METHODS.has(method.getName()));
    if (Node.isMethodDeclaration(declaration) && declaration.isAbstract()) return findImplementations(declaration);
    if (isFunction(declaration)) return [declaration];
    if (Node.isBindingElement(declaration))
      return findInitializer(declaration.getFirstAncestorByKind(SyntaxKind.VariableDeclaration));
    if (Node.isMethodSignature(declaration)) return findImplementations(declaration);
    if (
      Node.isVariableDeclaration(declaration) ||
      Node.isPropertyAssignment(declaration) ||
      Node.isPropertyDeclaration(declaration)
    )
      return findInitializer(declaration);
    return [];
  });
}

/** The methods of classes that implement a method of an interface, or an abstract one. */
function findImplementations(signature: MethodDeclaration | MethodSignature): readonly AnyNode[] {
  const name = signature.getNameNode();
  if (!Node.isIdentifier(name)) return [];
  return name.getImplementations().flatMap((found) => {
    const method = found.getNode().getParent();
    return method !== undefined && isFunction(method) ? [method] : [];
  });
}

function findInitializer(declaration: { getInitializer(): AnyNode | undefined } | undefined): readonly AnyNode[] {
  const initializer = declaration?.getInitializer();
  return initializer === undefined ? [] : [initializer];
}
