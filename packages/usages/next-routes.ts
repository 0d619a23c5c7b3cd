import type { Node as AnyNode, SourceFile } from 'ts-morph';
import { asksPolicies } from './reach.js';
import { findGuard, isPublic, type Route } from './route.js';
import { Node } from './ts-morph.js';

const METHODS = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);
const HANDLERS = /(?:^|\/)app\/((?:.*\/)?)route\.[jt]sx?$/;
const PAGES = /(?:^|\/)pages\/(api\/.*?)(?:\/index)?\.[jt]sx?$/;
const MIDDLEWARE = /^(?:src\/)?(?:middleware|proxy)\.[jt]s$/;

/** The route handlers, API routes and server actions of Next.js. Its files are known by their paths. */
export function nextRoutes(files: readonly SourceFile[], folder: string): readonly Route[] {
  const makePath = (file: SourceFile): string => file.getFilePath().slice(folder.length + 1);
  const isCovered = files.some((file) => MIDDLEWARE.test(makePath(file)) && coversAll(file));
  return files.flatMap((file) => {
    const routes = routesIn(file, makePath(file));
    return isCovered ? routes.map((route) => ({ ...route, guard: 'guarded' as const })) : routes;
  });
}

function routesIn(file: SourceFile, path: string): readonly Route[] {
  const folder = HANDLERS.exec(path)?.[1];
  if (folder !== undefined) {
    const route = `/${folder
      .split('/')
      .filter((part) => part !== '' && !/^\(.*\)$/.test(part))
      .join('/')}`;
    return findExports(file, (name) => METHODS.has(name)).map((found) => createRoute(found.name, route, found.node));
  }
  const page = PAGES.exec(path)?.[1];
  if (page !== undefined)
    return findExports(file, (name) => name === 'default').map(({ node }) => createRoute('ALL', `/${page}`, node));
  const [first] = file.getStatements();
  if (!Node.isExpressionStatement(first) || !/^(['"])use server\1;?$/.test(first.getText())) return [];
  return findExports(file, () => true).map(({ name, node }) => createRoute('ACTION', name, node));
}

function createRoute(method: string, path: string, node: AnyNode): Route {
  const place =
    Node.isVariableDeclaration(node) || Node.isFunctionDeclaration(node) ? (node.getNameNode() ?? node) : node;
  const guard = findGuard(place, [Node.isVariableDeclaration(node) ? (node.getInitializer() ?? node) : node]);
  return { framework: 'next', method, path, node: place, guard: guard === 'none' && isPublic(node) ? 'public' : guard };
}

/** The functions that a file exports, and what else can be called. */
function findExports(
  file: SourceFile,
  isWanted: (name: string) => boolean,
): readonly { readonly name: string; readonly node: AnyNode }[] {
  return [...file.getExportedDeclarations()].flatMap(([name, [node]]) =>
    node !== undefined && isWanted(name) && node.getType().getCallSignatures().length > 0 ? [{ name, node }] : [],
  );
}

/** Whether the middleware of an application asks about every request: one with a `matcher` leaves some out. */
function coversAll(file: SourceFile): boolean {
  const exported = [...file.getExportedDeclarations()];
  return (
    exported.every(([name]) => name !== 'config') &&
    exported.some(([, nodes]) => nodes.some((node: AnyNode) => asksPolicies(node)))
  );
}
