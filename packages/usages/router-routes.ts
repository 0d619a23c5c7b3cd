import type { CallExpression, Node as AnyNode, SourceFile } from 'ts-morph';
import { findCallee } from './application.js';
import { callSites, type FunctionNode, isFunction, findResults, findSymbol } from './functions.js';
import { asksPolicies } from './reach.js';
import { type Guard, findGuard, isPublic, joinPaths, type Route, textOfPath } from './route.js';
import { Node, SyntaxKind } from './ts-morph.js';
import { findFunction } from './values.js';

/** A call that adds something to a router of Express, Fastify or Hono. */
interface Entry {
  readonly framework: 'express' | 'fastify' | 'hono';
  readonly router: AnyNode;
  readonly call: CallExpression;
  readonly method: string;
  readonly path: string;
  /** All arguments but the path. */
  readonly handlers: readonly AnyNode[];
}

/** A place where a router becomes part of another one. */
interface Mount extends Pick<Entry, 'framework' | 'router' | 'path' | 'handlers'> {
  readonly at: AnyNode;
}

const VERBS = new Set(['all', 'delete', 'get', 'head', 'options', 'patch', 'post', 'put']);
const PACKAGES: { readonly [name: string]: Entry['framework'] } = {
  express: 'express',
  'express-serve-static-core': 'express',
  fastify: 'fastify',
  hono: 'hono',
};

/** The routes of Express, Fastify and Hono. */
export function routerRoutes(files: readonly SourceFile[]): readonly Route[] {
  const entries = files.flatMap((file) => file.getDescendantsOfKind(SyntaxKind.CallExpression).flatMap(readEntries));
  const byRouter = groupBy(entries, ({ router }) => router);
  const mounts = groupBy(
    [...entries.flatMap(findMounts), ...[...byRouter.keys()].flatMap(mountsOfParameter)],
    ({ child }) => child,
  );
  const graph: Graph = {
    entriesOf: (router) => byRouter.get(router) ?? [],
    mountsOf: (router) => mounts.get(router) ?? [],
  };
  return entries.filter(isRoute).map((entry) => {
    const { framework, call, handlers, router, path } = entry;
    const own = findGuard(findPlace(call), handlers);
    return {
      framework,
      method: readMethod(entry),
      path: joinPaths(findPrefix(router, graph), path),
      node: findPlace(call),
      guard: own === 'none' ? scopeGuard(entry, call, graph) : own,
    };
  });
}

interface Graph {
  entriesOf(router: AnyNode): readonly Entry[];
  mountsOf(router: AnyNode): readonly (Mount & { readonly child: AnyNode })[];
}

function readEntries(call: CallExpression): readonly Entry[] {
  const callee = call.getExpression();
  if (!Node.isPropertyAccessExpression(callee)) return [];
  const method = callee.getName();
  if (!VERBS.has(method) && !['addHook', 'on', 'register', 'route', 'use'].includes(method)) return [];
  const framework = PACKAGES[findCallee(callee)?.package ?? ''];
  const router = findRouter(callee.getExpression());
  if (framework === undefined || router === undefined) return [];
  const args = call.getArguments();
  const routed = routeCall(callee.getExpression());
  if (routed !== undefined)
    return [{ framework, router, call, method, path: textOfPath(routed.getArguments()[0]), handlers: args }];
  if (method === 'on' && framework === 'hono')
    return [
      { framework, router, call, method: textOfPath(args[0]), path: textOfPath(args[1]), handlers: args.slice(2) },
    ];
  // `app.get('setting')` of Express, and `router.route('/path')`, of which the calls after it are the routes.
  if (VERBS.has(method) && args.length < 2 && framework === 'express') return [];
  if (method === 'route' && framework !== 'hono')
    return framework === 'fastify'
      ? [{ framework, router, call, method, path: optionText(args[0], 'url'), handlers: args }]
      : [];
  const hasPath = method !== 'register' && method !== 'addHook' && isPath(args[0]);
  const path = method === 'register' ? optionText(args[1], 'prefix') : hasPath ? textOfPath(args[0]) : '';
  return [{ framework, router, call, method, path, handlers: hasPath ? args.slice(1) : args }];
}

function isRoute({ method, framework }: Entry): boolean {
  return (
    method !== 'use' && method !== 'register' && method !== 'addHook' && !(method === 'route' && framework === 'hono')
  );
}

function readMethod({ method, handlers }: Entry): string {
  return (method === 'route' ? optionText(handlers[0], 'method') : method).toUpperCase();
}

/** `router.route('/path')` of Express. */
function routeCall(node: AnyNode): CallExpression | undefined {
  if (!Node.isCallExpression(node)) return undefined;
  const callee = node.getExpression();
  if (!Node.isPropertyAccessExpression(callee)) return undefined;
  return callee.getName() === 'route' && PACKAGES[findCallee(callee)?.package ?? ''] === 'express'
    ? node
    : routeCall(callee.getExpression());
}

/** What identifies a router: the expression that makes it, or the parameter that it is. */
function findRouter(node: AnyNode, depth = 0): AnyNode | undefined {
  if (depth > 20) return undefined;
  if (Node.isAwaitExpression(node) || Node.isParenthesizedExpression(node) || Node.isAsExpression(node))
    return findRouter(node.getExpression(), depth + 1);
  if (Node.isNewExpression(node)) return node;
  if (Node.isCallExpression(node)) {
    const callee = node.getExpression();
    if (
      Node.isPropertyAccessExpression(callee) &&
      PACKAGES[findCallee(callee)?.package ?? ''] !== undefined &&
      callee.getName() !== 'Router'
    )
      return findRouter(callee.getExpression(), depth + 1);
    const made = functionAt(callee);
    return made === undefined
      ? node
      : findResults(made)
          .map((result) => findRouter(result, depth + 1))
          .find((found) => found !== undefined);
  }
  const [declaration] = Node.isPropertyAccessExpression(node)
    ? (node.getNameNode().getSymbol()?.getDeclarations() ?? [])
    : (findSymbol(node)?.getDeclarations() ?? []);
  if (declaration === undefined) return undefined;
  if (Node.isParameterDeclaration(declaration)) return declaration;
  if (Node.isExportAssignment(declaration)) return findRouter(declaration.getExpression(), depth + 1);
  const initializer =
    Node.isVariableDeclaration(declaration) || Node.isPropertyDeclaration(declaration)
      ? declaration.getInitializer()
      : undefined;
  return initializer === undefined ? declaration : findRouter(initializer, depth + 1);
}

function functionAt(node: AnyNode): FunctionNode | undefined {
  if (isFunction(node)) return node;
  for (const declaration of findSymbol(node)?.getDeclarations() ?? []) {
    if (declaration.getSourceFile().isDeclarationFile()) continue;
    if (Node.isExportAssignment(declaration)) return functionAt(declaration.getExpression());
    const found = findFunction(declaration);
    if (found !== undefined) return found;
    const initializer = Node.isVariableDeclaration(declaration) ? declaration.getInitializer() : undefined;
    if (initializer !== undefined) return findPlugin(initializer);
  }
  return undefined;
}

/** The function of a plugin, also inside of a call such as `fp(async (app) => ...)`. */
function findPlugin(node: AnyNode): FunctionNode | undefined {
  if (Node.isCallExpression(node))
    return node
      .getArguments()
      .map(findPlugin)
      .find((found) => found !== undefined);
  return Node.isIdentifier(node) || isFunction(node) ? functionAt(node) : undefined;
}

/** The routers that an entry mounts. */
function findMounts({
  framework,
  router,
  call,
  method,
  path,
  handlers,
}: Entry): readonly (Mount & { readonly child: AnyNode })[] {
  const mount = { framework, router, path, at: call };
  if (method === 'register') {
    const child = handlers[0] && findPlugin(handlers[0])?.getParameters()[0];
    return child === undefined ? [] : [{ ...mount, child, handlers: [] }];
  }
  if (method !== 'use' && !(method === 'route' && framework === 'hono')) return [];
  return handlers.flatMap((handler) => {
    const type = handler.getType().getSymbol()?.getName() ?? '';
    const child = /^(Router|Express|Application|Hono|OpenAPIHono|HonoBase)$/.test(type)
      ? findRouter(handler)
      : undefined;
    return child === undefined ? [] : [{ ...mount, child, handlers: handlers.filter((other) => other !== handler) }];
  });
}

/** A function that adds routes to the router that it is passed. */
function mountsOfParameter(router: AnyNode): readonly (Mount & { readonly child: AnyNode })[] {
  if (!Node.isParameterDeclaration(router)) return [];
  const fn = router.getParent();
  if (!isFunction(fn)) return [];
  const index = fn.getParameters().indexOf(router);
  return callSites(fn).flatMap((site) => {
    if (!Node.isCallExpression(site) || (site as AnyNode) === fn) return [];
    const passed = site.getArguments()[index];
    const parent = passed && findRouter(passed);
    return parent === undefined
      ? []
      : [{ framework: 'express' as const, router: parent, path: '', at: site, handlers: [], child: router }];
  });
}

/** The guard that a place has from what was added before it to its router, and to those that the router is mounted on. */
function scopeGuard(
  { router, path }: Pick<Entry, 'router' | 'path'>,
  at: AnyNode,
  graph: Graph,
  seen: readonly AnyNode[] = [],
): Guard {
  if (seen.includes(router)) return 'none';
  const before = graph
    .entriesOf(router)
    .filter((entry) => isMiddleware(entry) && isBefore(entry, at) && covers(entry.path, path));
  if (before.some(({ handlers }) => handlers.some(asksPolicies))) return 'guarded';
  if (hooksOfPlugins(router, graph).some(asksPolicies)) return 'guarded';
  const guards = graph.mountsOf(router).map((mount): Guard => {
    const own = mount.handlers.some(asksPolicies) ? 'guarded' : isPublic(findPlace(mount.at)) ? 'public' : 'none';
    return own === 'none'
      ? scopeGuard({ router: mount.router, path: joinPaths(mount.path, path) }, mount.at, graph, [...seen, router])
      : own;
  });
  if (guards.length === 0 || guards.includes('none')) return 'none';
  return guards.includes('public') ? 'public' : 'guarded';
}

function isMiddleware({ method }: Entry): boolean {
  return method === 'use' || method === 'addHook' || method === 'all';
}

/** The hooks of plugins that `fastify-plugin` adds to the router that registers them. */
function hooksOfPlugins(router: AnyNode, graph: Graph): readonly AnyNode[] {
  return graph.entriesOf(router).flatMap(({ method, handlers: [plugin] }) => {
    if (method !== 'register' || plugin === undefined) return [];
    const fn = findPlugin(plugin);
    const isShared = fn !== undefined && Node.isCallExpression(fn.getParent()) && fn.getParent() !== plugin.getParent();
    const [inner] = isShared ? fn.getParameters() : [];
    return inner === undefined
      ? []
      : graph
          .entriesOf(inner)
          .filter((entry) => entry.method === 'addHook')
          .flatMap(({ handlers }) => handlers);
  });
}

/** Hooks of Fastify hold for all routes of their scope. Calls in another file are taken to come before. */
function isBefore({ framework, call }: Entry, at: AnyNode): boolean {
  return framework === 'fastify' || call.getSourceFile() !== at.getSourceFile() || call.getEnd() <= nameEnd(at);
}

/** Calls of a chain begin at the same place, and end one after the other. */
function nameEnd(at: AnyNode): number {
  return Node.isCallExpression(at) ? at.getExpression().getEnd() : at.getStart();
}

/** Whether a middleware of a path is called for another path. */
function covers(middleware: string, path: string): boolean {
  const own = middleware
    .replace(/\/?\*[^/]*$/, '')
    .split('/')
    .filter((part) => part !== '');
  const parts = path.split('/').filter((part) => part !== '');
  return own.every(
    (part, index) => part === parts[index] || (parts[index] !== undefined && (part.startsWith(':') || part === '*')),
  );
}

function findPrefix(router: AnyNode, graph: Graph, seen: readonly AnyNode[] = []): string {
  const [mount] = graph.mountsOf(router);
  if (mount === undefined || seen.includes(router)) return '';
  return joinPaths(findPrefix(mount.router, graph, [...seen, router]), mount.path);
}

/** The name of the method in a call: where calls of a chain differ. */
function findPlace(call: AnyNode): AnyNode {
  const callee = Node.isCallExpression(call) ? call.getExpression() : undefined;
  return Node.isPropertyAccessExpression(callee) ? callee.getNameNode() : call;
}

function isPath(node: AnyNode | undefined): boolean {
  if (node === undefined) return false;
  if (Node.isArrayLiteralExpression(node)) return node.getElements().every(isPath);
  return (
    Node.isRegularExpressionLiteral(node) ||
    node.getType().isString() ||
    node.getType().isStringLiteral() ||
    node.getType().isTemplateLiteral()
  );
}

function optionText(node: AnyNode | undefined, name: string): string {
  const property = Node.isObjectLiteralExpression(node) ? node.getProperty(name) : undefined;
  return Node.isPropertyAssignment(property) ? textOfPath(property.getInitializer()) : '';
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => AnyNode): ReadonlyMap<AnyNode, readonly T[]> {
  const groups = new Map<AnyNode, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
