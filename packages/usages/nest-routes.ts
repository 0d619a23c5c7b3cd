import type { ClassDeclaration, Decorator, MethodDeclaration, Node as AnyNode, SourceFile } from 'ts-morph';
import { findCallee } from './application.js';
import { asksPolicies } from './reach.js';
import { isPublic, joinPaths, type Route, textOfPath } from './route.js';
import { Node, SyntaxKind } from './ts-morph.js';

const VERBS = new Set(['All', 'Delete', 'Get', 'Head', 'Options', 'Patch', 'Post', 'Put', 'Sse']);

/** The routes of controllers of Nest. Global guards cover all of them. */
export function nestRoutes(files: readonly SourceFile[]): readonly Route[] {
  const controllers = files
    .flatMap((file) => file.getDescendantsOfKind(SyntaxKind.ClassDeclaration))
    .filter((declaration) => nestDecorator(declaration, (name) => name === 'Controller') !== undefined);
  if (controllers.length === 0) return [];
  const isCovered = files.some(hasGlobalGuard);
  return controllers.flatMap((controller) =>
    controller.getMethods().flatMap((method) => readRoutes(controller, method, isCovered)),
  );
}

function readRoutes(controller: ClassDeclaration, method: MethodDeclaration, isCovered: boolean): readonly Route[] {
  const verb = nestDecorator(method, (name) => VERBS.has(name));
  if (verb === undefined) return [];
  const decorators = [
    ...controller.getDecorators(),
    ...method.getDecorators(),
    ...method.getParameters().flatMap((parameter) => parameter.getDecorators()),
  ];
  const isGuarded =
    isCovered || decorators.some((decorator) => asksPolicies(decorator.getExpression())) || asksPolicies(method);
  const isOpen = [
    controller.getNameNode() ?? controller,
    controller,
    method.getNameNode(),
    ...controller.getDecorators(),
    ...method.getDecorators(),
  ].some(isPublic);
  return [
    {
      framework: 'nest',
      method: verb.getName().toUpperCase(),
      path: joinPaths(controllerPath(controller), textOfPath(verb.getArguments()[0])),
      node: method.getNameNode(),
      guard: isGuarded ? 'guarded' : isOpen ? 'public' : 'none',
    },
  ];
}

function controllerPath(controller: ClassDeclaration): string {
  const argument = nestDecorator(controller, (name) => name === 'Controller')?.getArguments()[0];
  const property = Node.isObjectLiteralExpression(argument) ? argument.getProperty('path') : undefined;
  return textOfPath(
    Node.isPropertyAssignment(property)
      ? property.getInitializer()
      : Node.isObjectLiteralExpression(argument)
        ? undefined
        : argument,
  );
}

/** A decorator of `@nestjs/common`. */
function nestDecorator(
  node: ClassDeclaration | MethodDeclaration,
  isWanted: (name: string) => boolean,
): Decorator | undefined {
  return node.getDecorators().find((decorator) => {
    const call = decorator.getCallExpression();
    return (
      call !== undefined &&
      isWanted(decorator.getName()) &&
      findCallee(call.getExpression())?.package === '@nestjs/common'
    );
  });
}

/** `app.useGlobalGuards(guard)`, and a provider of `APP_GUARD`. */
function hasGlobalGuard(file: SourceFile): boolean {
  const calls = file.getDescendantsOfKind(SyntaxKind.CallExpression).filter((call) => {
    const callee = call.getExpression();
    return Node.isPropertyAccessExpression(callee) && callee.getName() === 'useGlobalGuards';
  });
  const providers = file.getDescendantsOfKind(SyntaxKind.ObjectLiteralExpression).filter((object) => {
    const token = object.getProperty('provide');
    return Node.isPropertyAssignment(token) && token.getInitializer()?.getText() === 'APP_GUARD';
  });
  return [...calls.flatMap((call) => call.getArguments()), ...providers].some((node: AnyNode) => asksPolicies(node));
}
