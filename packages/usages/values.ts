import type { Node as AnyNode, Symbol as AnySymbol, Type } from 'ts-morph';
import {
  findArguments,
  callSites,
  type FunctionNode,
  isFunction,
  findList,
  findResults,
  findSymbol,
} from './functions.js';
import { Node, SyntaxKind } from './ts-morph.js';

/** An expression, and the part of its value that is asked for: names of properties, and `[]` for each element. */
export interface Slot {
  readonly node: AnyNode;
  readonly path: readonly string[];
  /** The calls in whose functions the expression is. */
  readonly frame?: Frame | undefined;
  /** What the value is where there is none: the default of a destructured property. */
  readonly otherwise?: AnyNode | undefined;
}

interface Frame {
  readonly fn: FunctionNode;
  readonly args: readonly (Slot | undefined)[];
}

/** What a part of an expression may be. */
export type Outcome =
  | { readonly kind: 'text'; readonly text: string; readonly node: AnyNode }
  /** A parameter of a function, which each of its callers may pass otherwise. */
  | {
      readonly kind: 'parameter';
      readonly fn: FunctionNode;
      readonly index: number;
      readonly slot: Slot;
      readonly path: readonly string[];
    }
  /** A value that is computed. */
  | { readonly kind: 'unknown'; readonly node: AnyNode };

export const ELEMENT = '[]';
const DEEPEST = 40;
const MOST_TEXTS = 500;

/** The texts that a part of an expression may be. Parameters are not looked up in callers. */
export function findOutcomes(slot: Slot, depth = 0): readonly Outcome[] {
  const { otherwise, ...own } = slot;
  if (otherwise !== undefined) {
    const outcomes = findOutcomes(own, depth);
    const isWritten =
      outcomes.length > 0 && outcomes.every((one) => one.kind === 'text' && Node.isStringLiteral(one.node));
    return isWritten ? outcomes : [...outcomes, ...findOutcomes({ node: otherwise, path: [] }, depth + 1)];
  }
  if (depth > DEEPEST) return [{ kind: 'unknown', node: slot.node }];
  const step = stepFrom(slot, depth);
  const outcomes = Array.isArray(step) ? step.flatMap((next: Slot) => findOutcomes(next, depth + 1)) : step.outcomes;
  if (!outcomes.some(({ kind }) => kind === 'unknown')) return unique(outcomes);
  return textsOfType(slot) ?? unique(outcomes);
}

/** The texts that the type of a part of an expression has; undefined if these are not a few. */
export function textsOfType({ node, path }: Slot): readonly Outcome[] | undefined {
  let types: readonly Type[] = [node.getType()];
  for (const name of path)
    types = types.flatMap((type) => members(type).flatMap((member) => partOfType(member, name, node) ?? []));
  const all = types.flatMap(members);
  if (all.length === 0) return path.length === 0 ? undefined : isMissing(node, path) ? [] : undefined;
  const texts = all.filter((type) => !type.isUndefined() && !type.isNull()).map((type) => type.getLiteralValue());
  if (!texts.every((text) => typeof text === 'string') || texts.length > MOST_TEXTS) return undefined;
  return texts.map((text) => ({ kind: 'text', text, node }));
}

/** Each element of a list as a slot of its own; what cannot be taken apart stays whole. */
export function findElements(slot: Slot, trail: readonly FunctionNode[] = [], depth = 0): readonly Slot[] {
  if (slot.path.length === 0 || depth > DEEPEST) return [slot];
  const step = stepFrom(slot, depth);
  if (Array.isArray(step)) return step.flatMap((next: Slot) => findElements(next, trail, depth + 1));
  return step.outcomes.flatMap((outcome) => {
    if (outcome.kind !== 'parameter' || trail.includes(outcome.fn)) return [slot];
    const sites = callSites(outcome.fn);
    if (sites.length === 0) return [slot];
    return sites.flatMap((site) => {
      const bound = bind(outcome, site);
      return bound === undefined ? [] : findElements(bound, [...trail, outcome.fn], depth + 1);
    });
  });
}

/** The slot that a call passes for a parameter; undefined if it passes none. */
export function bind(
  { fn, index, path, slot }: Extract<Outcome, { kind: 'parameter' }>,
  site: AnyNode,
): Slot | undefined {
  const passed = findArguments(site)?.[index];
  const { otherwise } = slot;
  if (passed !== undefined) return { node: passed, path, otherwise };
  const list = index === 0 ? findList(site) : undefined;
  if (list !== undefined) return { node: list, path: [ELEMENT, ...path], otherwise };
  const initializer = fn.getParameters()[index]?.getInitializer();
  return initializer && { node: initializer, path, otherwise };
}

type Step = Slot[] | { readonly outcomes: readonly Outcome[] };

/** One step from an expression to those that its value comes from. */
function stepFrom(slot: Slot, depth: number): Step {
  const { node, path, frame } = slot;
  const [first, ...rest] = path;
  const to = (next: AnyNode | undefined, nextPath = path): Step =>
    next === undefined ? unknown(node) : [{ node: next, path: nextPath, frame }];
  if (
    Node.isParenthesizedExpression(node) ||
    Node.isAsExpression(node) ||
    Node.isSatisfiesExpression(node) ||
    Node.isNonNullExpression(node) ||
    Node.isAwaitExpression(node) ||
    Node.isJsxExpression(node)
  )
    return to(node.getExpression());
  if (Node.isConditionalExpression(node))
    return [...(to(node.getWhenTrue()) as Slot[]), ...(to(node.getWhenFalse()) as Slot[])];
  if (Node.isBinaryExpression(node)) {
    const operator = node.getOperatorToken().getKind();
    if (operator === SyntaxKind.QuestionQuestionToken || operator === SyntaxKind.BarBarToken)
      return [...(to(node.getLeft()) as Slot[]), ...(to(node.getRight()) as Slot[])];
    if (operator === SyntaxKind.PlusToken && first === undefined)
      return joined(node, [node.getLeft(), node.getRight()], frame, depth);
    return unknown(node);
  }
  if (Node.isStringLiteral(node) || Node.isNoSubstitutionTemplateLiteral(node))
    return first === undefined ? { outcomes: [{ kind: 'text', text: node.getLiteralText(), node }] } : unknown(node);
  if (Node.isTemplateExpression(node) && first === undefined)
    return joined(
      node,
      [node.getHead(), ...node.getTemplateSpans().flatMap((span) => [span.getExpression(), span.getLiteral()])],
      frame,
      depth,
    );
  if (Node.isNullLiteral(node) || (Node.isIdentifier(node) && node.getText() === 'undefined')) return [];
  if (Node.isIdentifier(node)) return fromSymbol(findSymbol(node), slot);
  if (Node.isPropertyAccessExpression(node)) {
    const declared = node.getNameNode().getSymbol()?.getDeclarations()[0];
    if (Node.isThisExpression(node.getExpression()) && declared !== undefined) return fromDeclaration(declared, slot);
    return to(node.getExpression(), [node.getName(), ...path]);
  }
  if (Node.isElementAccessExpression(node)) {
    const key = node.getArgumentExpression();
    return Node.isStringLiteral(key) ? to(node.getExpression(), [key.getLiteralText(), ...path]) : unknown(node);
  }
  if (first === undefined) return unknown(node);
  if (Node.isObjectLiteralExpression(node)) {
    for (const property of [...node.getProperties()].reverse()) {
      if (Node.isSpreadAssignment(property)) {
        if (property.getExpression().getType().getProperty(first) !== undefined) return to(property.getExpression());
      } else if (
        property
          .getNameNode()
          .getText()
          .replace(/^(['"])(.*)\1$/, '$2') !== first
      )
        continue;
      else if (Node.isPropertyAssignment(property)) return to(property.getInitializer(), rest);
      else if (Node.isShorthandPropertyAssignment(property))
        return fromSymbol(property.getValueSymbol(), { node: property.getNameNode(), path: rest, frame });
      else if (Node.isMethodDeclaration(property)) return results(property, rest, frame);
      else return unknown(property);
    }
    return [];
  }
  if (Node.isJsxOpeningElement(node) || Node.isJsxSelfClosingElement(node)) {
    for (const attribute of node.getAttributes())
      if (Node.isJsxAttribute(attribute) && attribute.getNameNode().getText() === first)
        return to(attribute.getInitializer(), rest);
    return node.getAttributes().some(Node.isJsxSpreadAttribute) ? unknown(node) : [];
  }
  if (Node.isArrayLiteralExpression(node) && first === ELEMENT)
    return node
      .getElements()
      .flatMap(
        (element) => (Node.isSpreadElement(element) ? to(element.getExpression()) : to(element, rest)) as Slot[],
      );
  if (isFunction(node)) return results(node, path, frame);
  if (Node.isCallExpression(node)) {
    const callee = node.getExpression();
    const [mapper] = node.getArguments();
    if (first === ELEMENT && Node.isPropertyAccessExpression(callee)) {
      const list: Slot = { node: callee.getExpression(), path: [ELEMENT], frame };
      if (callee.getName() === 'map' && mapper !== undefined && isFunction(mapper))
        return results(mapper, rest, { fn: mapper, args: [list] });
      if (['filter', 'slice', 'toSorted', 'toReversed'].includes(callee.getName())) return to(callee.getExpression());
    }
    const declared = findSymbol(callee)
      ?.getDeclarations()
      .map(findFunction)
      .find((fn) => fn !== undefined);
    if (declared === undefined || isDeclaredElsewhere(declared)) return unknown(node);
    return results(declared, path, {
      fn: declared,
      args: node.getArguments().map((arg) => ({ node: arg, path: [], frame })),
    });
  }
  return unknown(node);
}

function results(fn: FunctionNode, path: readonly string[], frame: Frame | undefined): Step {
  return findResults(fn).map((node) => ({ node, path, frame }));
}

function fromSymbol(symbol: AnySymbol | undefined, slot: Slot): Step {
  const [declaration] = symbol?.getDeclarations() ?? [];
  return declaration === undefined ? unknown(slot.node) : fromDeclaration(declaration, slot);
}

function fromDeclaration(declaration: AnyNode, slot: Slot): Step {
  const { node, path, frame } = slot;
  if (isDeclaredElsewhere(declaration)) return unknown(node);
  if (Node.isBindingElement(declaration)) {
    const name = Node.isArrayBindingPattern(declaration.getParent())
      ? ELEMENT
      : (declaration.getPropertyNameNode() ?? declaration.getNameNode()).getText();
    const owner = declaration.getParent().getParent();
    const bound = fromDeclaration(owner, {
      node,
      path: declaration.getDotDotDotToken() ? path : [name, ...path],
      frame,
    });
    const otherwise = declaration.getInitializer();
    if (otherwise === undefined) return bound;
    if (Array.isArray(bound)) return bound.map((one: Slot) => ({ ...one, otherwise }));
    return {
      outcomes: bound.outcomes.map((one) =>
        one.kind === 'parameter' ? { ...one, slot: { ...one.slot, otherwise } } : one,
      ),
    };
  }
  if (Node.isVariableDeclaration(declaration)) {
    const list = declaration.getFirstAncestorByKind(SyntaxKind.VariableDeclarationList);
    const loop = list?.getParent();
    if (Node.isForOfStatement(loop) && loop.getInitializer() === list)
      return [{ node: loop.getExpression(), path: [ELEMENT, ...path], frame }];
    const initializer = declaration.getInitializer();
    const isConstant = declaration.getVariableStatement()?.getDeclarationKind() === 'const';
    return isConstant && initializer !== undefined ? [{ node: initializer, path, frame }] : unknown(node);
  }
  if (Node.isPropertyDeclaration(declaration)) {
    const initializer = declaration.getInitializer();
    return declaration.isReadonly() && initializer !== undefined ? [{ node: initializer, path }] : unknown(node);
  }
  if (Node.isParameterDeclaration(declaration)) {
    const fn = declaration.getParent() as FunctionNode;
    const index = declaration.getChildIndex() === -1 ? 0 : fn.getParameters().indexOf(declaration);
    if (frame?.fn === fn) {
      const passed = frame.args[index];
      if (passed !== undefined) return [{ ...passed, path: [...passed.path, ...path] }];
      const initializer = declaration.getInitializer();
      return initializer === undefined ? [] : [{ node: initializer, path }];
    }
    if (declaration.isRestParameter()) return unknown(node);
    return { outcomes: [{ kind: 'parameter', fn, index, path, slot }] };
  }
  const fn = findFunction(declaration);
  return fn !== undefined && path.length > 0 ? results(fn, path, undefined) : unknown(node);
}

/** The function of a declaration that has a body. */
export function findFunction(declaration: AnyNode): FunctionNode | undefined {
  if (isFunction(declaration)) return declaration;
  const initializer =
    Node.isVariableDeclaration(declaration) ||
    Node.isPropertyAssignment(declaration) ||
    Node.isPropertyDeclaration(declaration)
      ? declaration.getInitializer()
      : undefined;
  return initializer !== undefined && isFunction(initializer) ? initializer : undefined;
}

/** Whether something is declared outside of the application. */
export function isDeclaredElsewhere(node: AnyNode): boolean {
  const file = node.getSourceFile();
  return file.isDeclarationFile() || file.isInNodeModules();
}

/** The texts of several expressions, one after the other. */
function joined(whole: AnyNode, parts: readonly AnyNode[], frame: Frame | undefined, depth: number): Step {
  let texts: readonly string[] = [''];
  for (const part of parts) {
    const isText = Node.isTemplateHead(part) || Node.isTemplateMiddle(part) || Node.isTemplateTail(part);
    const own = isText
      ? [{ kind: 'text' as const, text: part.getLiteralText() }]
      : findOutcomes({ node: part, path: [], frame }, depth + 1);
    texts = texts
      .flatMap((text) => own.map((outcome) => (outcome.kind === 'text' ? text + outcome.text : undefined)))
      .filter((text) => text !== undefined);
    if (own.some(({ kind }) => kind !== 'text') || texts.length > MOST_TEXTS) return unknown(whole);
  }
  return { outcomes: texts.map((text) => ({ kind: 'text', text, node: whole })) };
}

function unknown(node: AnyNode): Step {
  return { outcomes: [{ kind: 'unknown', node }] };
}

function members(type: Type): readonly Type[] {
  const constraint = type.isTypeParameter() ? type.getConstraint() : undefined;
  const whole = constraint ?? type;
  return whole.isUnion() && !whole.isBoolean() ? whole.getUnionTypes().flatMap(members) : [whole];
}

/** Undefined for a type that has no such part. */
function partOfType(type: Type, name: string, at: AnyNode): Type | undefined {
  if (type.isAny() || type.isUnknown()) return type;
  if (name === ELEMENT) {
    return type.isTuple() || type.isArray() || type.isReadonlyArray() ? type.getNumberIndexType() : undefined;
  }
  return type.getProperty(name)?.getTypeAtLocation(at);
}

/** Whether a type is known and has no such part: an optional property that was not written. */
function isMissing(node: AnyNode, path: readonly string[]): boolean {
  const types = members(node.getType());
  return path.length > 0 && types.every((type) => type.isObject() && !type.isArray());
}

function unique(outcomes: readonly Outcome[]): readonly Outcome[] {
  const seen = new Set<string>();
  return outcomes.filter((outcome) => {
    const key =
      outcome.kind === 'text'
        ? `${outcome.text}\n${outcome.node.getStart()}\n${outcome.node.getSourceFile().getFilePath()}`
        : `${outcome.kind}${seen.size}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
