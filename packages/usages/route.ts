import type { Node as AnyNode } from 'ts-morph';
import { asksPolicies } from './reach.js';
import { Node } from './ts-morph.js';

/** A route of a framework, and whether a request for it is decided by the policies. */
export interface Route {
  readonly framework: 'express' | 'fastify' | 'hono' | 'nest' | 'next';
  /** `GET`; `ALL` for all methods, `ACTION` for a server action. */
  readonly method: string;
  readonly path: string;
  readonly node: AnyNode;
  readonly guard: Guard;
}

/** `public`: a comment says that it needs no guard. */
export type Guard = 'guarded' | 'public' | 'none';

const PUBLIC = /(?:\/\/|\/\*|^\s*\*).*\bauthz:\s*public\b/;

/** Whether a comment at a place, or in the lines just above it, is `authz: public`. */
export function isPublic(node: AnyNode): boolean {
  const lines = node.getSourceFile().getFullText().split('\n');
  let line = node.getStartLineNumber() - 1;
  if (PUBLIC.test(lines[line] ?? '')) return true;
  for (line -= 1; /^\s*(\/\/|\/?\*|@)/.test(lines[line] ?? ''); line -= 1)
    if (PUBLIC.test(lines[line] as string)) return true;
  return false;
}

/** The guard of a place by itself. */
export function findGuard(place: AnyNode, handlers: readonly AnyNode[]): Guard {
  if (handlers.some(asksPolicies)) return 'guarded';
  return isPublic(place) ? 'public' : 'none';
}

/** A path as it is written; what is computed is shown as `…`. */
export function textOfPath(node: AnyNode | undefined): string {
  if (node === undefined) return '';
  if (Node.isArrayLiteralExpression(node)) return node.getElements().map(textOfPath).join('|');
  if (Node.isStringLiteral(node) || Node.isNoSubstitutionTemplateLiteral(node)) return node.getLiteralText();
  const text = node.getType().getLiteralValue();
  return typeof text === 'string' ? text : '…';
}

/** Two parts of a path as one, with one `/` between and before them. */
export function joinPaths(prefix: string, path: string): string {
  return `/${[prefix, path]
    .map((part) => part.replace(/^\/+|\/+$/g, ''))
    .filter((part) => part !== '')
    .join('/')}`;
}
