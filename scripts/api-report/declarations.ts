import { type ClassDeclaration, type FunctionDeclaration, Node, ts, type VariableDeclaration } from 'ts-morph';

const printer = ts.createPrinter({ removeComments: true });
/** A type that the compiler inferred may be the whole content of a table. In characters. */
const LONGEST_TYPE = 400;

/** A declaration as callers see it: without comments, bodies and private members. */
export function declarationText(node: Node): string {
  const text = printed(node)
    .replace(/^export (default )?/, '')
    .replace(/^(declare|async) /, '');
  return text.replace(/^( +)/gm, (spaces) => ' '.repeat(spaces.length / 2));
}

function printed(node: Node): string {
  if (Node.isVariableDeclaration(node)) return `const ${node.getName()}: ${typeText(node)};`;
  if (Node.isFunctionDeclaration(node)) {
    const { compilerNode: it } = node;
    return print(
      ts.factory.createFunctionDeclaration(
        undefined,
        it.asteriskToken,
        it.name,
        it.typeParameters,
        it.parameters,
        it.type ?? inferred(node),
        undefined,
      ),
      node,
    );
  }
  if (Node.isClassDeclaration(node)) return printedClass(node);
  return print(node.compilerNode, node);
}

function printedClass(node: ClassDeclaration): string {
  const { compilerNode: it } = node;
  const members = it.members.flatMap(publicMember);
  return print(
    ts.factory.createClassDeclaration(undefined, it.name, it.typeParameters, it.heritageClauses, members),
    node,
  );
}

/** A member without its body; none if it is private. */
function publicMember(member: ts.ClassElement): readonly ts.ClassElement[] {
  const modifiers = ts.canHaveModifiers(member) ? (ts.getModifiers(member) ?? []) : [];
  const isPrivate = modifiers.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
  if (isPrivate || (member.name !== undefined && ts.isPrivateIdentifier(member.name))) return [];
  const { factory } = ts;
  const kept = modifiers.filter(
    ({ kind }) => kind !== ts.SyntaxKind.AsyncKeyword && kind !== ts.SyntaxKind.OverrideKeyword,
  );
  if (ts.isMethodDeclaration(member))
    return [
      factory.createMethodDeclaration(
        kept,
        member.asteriskToken,
        member.name,
        member.questionToken,
        member.typeParameters,
        member.parameters,
        member.type,
        undefined,
      ),
    ];
  if (ts.isConstructorDeclaration(member))
    return [factory.createConstructorDeclaration(kept, member.parameters.map(withoutPrivate), undefined)];
  if (ts.isGetAccessorDeclaration(member))
    return [factory.createGetAccessorDeclaration(kept, member.name, member.parameters, member.type, undefined)];
  if (ts.isSetAccessorDeclaration(member))
    return [factory.createSetAccessorDeclaration(kept, member.name, member.parameters, undefined)];
  if (ts.isPropertyDeclaration(member))
    return [
      factory.createPropertyDeclaration(
        kept,
        member.name,
        member.questionToken,
        member.type,
        member.type === undefined ? member.initializer : undefined,
      ),
    ];
  return [];
}

/** A parameter that is a private member is a plain one to callers. */
function withoutPrivate(parameter: ts.ParameterDeclaration): ts.ParameterDeclaration {
  const isPrivate = ts.getModifiers(parameter)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) === true;
  const { dotDotDotToken, name, questionToken, type, initializer } = parameter;
  return isPrivate
    ? ts.factory.createParameterDeclaration(undefined, dotDotDotToken, name, questionToken, type, initializer)
    : parameter;
}

/** A variable's type as it is written, or as the compiler infers it. */
function typeText(node: VariableDeclaration): string {
  const written = node.getTypeNode();
  if (written !== undefined) return print(written.compilerNode, node);
  const initializer = node.getInitializer();
  if (Node.isArrowFunction(initializer) && initializer.getReturnTypeNode() !== undefined) {
    const types = initializer.getTypeParameters().map((parameter) => parameter.getText());
    const parameters = initializer.getParameters().map((parameter) => parameter.getText());
    const generic = types.length === 0 ? '' : `<${types.join(', ')}>`;
    return `${generic}(${parameters.join(', ')}) => ${initializer.getReturnTypeNodeOrThrow().getText()}`;
  }
  const text = node
    .getType()
    .getText(node, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope);
  // A path of this machine must not be in the report.
  const local = text.replace(/import\("[^"]*"\)\./g, '');
  return local.length <= LONGEST_TYPE ? local : `${local.slice(0, LONGEST_TYPE)}…`;
}

function inferred(node: FunctionDeclaration): ts.TypeNode {
  return ts.factory.createTypeReferenceNode(
    node
      .getReturnType()
      .getText(node)
      .replace(/import\("[^"]*"\)\./g, ''),
  );
}

function print(node: ts.Node, at: Node): string {
  return printer.printNode(ts.EmitHint.Unspecified, node, at.getSourceFile().compilerNode);
}

/** Whether callers see a declaration: they see the overloads of a function, and not what implements them. */
export function isVisible(node: Node): boolean {
  return !Node.isFunctionDeclaration(node) || !node.isImplementation() || node.getOverloads().length === 0;
}

/** The first sentence of a doc comment; empty without one. */
export function firstSentence(node: Node): string {
  const owner = Node.isVariableDeclaration(node) ? node.getVariableStatement() : node;
  const docs = Node.isJSDocable(owner) ? owner.getJsDocs() : [];
  const text = (docs.at(-1)?.getDescription() ?? '').replace(/\s+/g, ' ').trim();
  return /^.*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}

/** The code of the first `@example` of a doc comment. */
export function exampleText(node: Node): string | undefined {
  const docs = Node.isJSDocable(node) ? node.getJsDocs() : [];
  const tag = docs.flatMap((doc) => doc.getTags()).find((each) => each.getTagName() === 'example');
  return tag?.getCommentText()?.trim();
}
