import { join, relative } from 'node:path';
import type { Node } from 'ts-morph';
import { Source } from '../../../compiler/diagnostics/source.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import type { UsageProblem, UsageRule } from '../../usages/usages.js';
import type { Finding, FindingRule } from './finding.js';
import { regionOfSpan } from './region.js';

/** A problem of an application, with its place as a path from the working directory. */
export interface LocatedProblem extends Pick<UsageProblem, 'rule' | 'message'> {
  readonly level: Finding['level'];
  readonly path: string;
  readonly span: Span;
}

const LEVELS: { readonly [rule in UsageRule]: Finding['level'] } = {
  'usage/unknown-kind': 'error',
  'usage/unknown-action': 'error',
  'usage/unguarded-route': 'error',
  'usage/unused-action': 'warning',
  'usage/untyped-import': 'warning',
  'usage/not-followed': 'note',
};

const HELP: { readonly [rule in UsageRule]: string } = {
  'usage/unknown-kind': `
The application asks about a kind that no policy covers, so every request for it is denied.

Correct the kind, or write a resource policy for it.
`,
  'usage/unknown-action': `
The application asks for an action that no rule about the kind names. Only roles with a rule for \`*\` are allowed it.

Correct the action, name it in a rule, or declare it in the \`vocabulary\` of \`.authz.yaml\`.
`,
  'usage/unguarded-route': `
A route has no guard, and its handlers reach no call that asks the policies.

Add a guard, ask in the handler, or write the comment \`authz: public\` above the route.
`,
  'usage/unused-action': `
The policies name an action that the application never asks for.

Remove it from the rules, or ask for it where the application performs it.
`,
  'usage/untyped-import': `
An import of a framework or of authz has no types, so nothing is known about calls of what it imports.

Install the dependencies of the application, and the types of its framework, such as \`@types/express\`.
`,
  'usage/not-followed': `
A kind or an action is computed at run time, so it is not compared with the policies.

Pass a literal, a constant, a member of an enum, or a value whose type is a union of literals.
`,
};

/** The rules of problems of applications. */
export const USAGE_RULES: readonly FindingRule[] = (Object.keys(LEVELS) as UsageRule[]).map((id) => ({
  id,
  level: LEVELS[id],
  help: HELP[id],
}));

/** @param policies the folder of the policies. */
export function locate({ rule, message, at }: UsageProblem, policies: string): LocatedProblem {
  if ('span' in at)
    return { rule, message, level: LEVELS[rule], path: join(policies, at.span.source.path), span: at.span };
  const { path, span } = findSpan(at);
  return { rule, message, level: LEVELS[rule], path, span };
}

/** A node of the application as a span, and its file from the working directory. */
export function findSpan(node: Node): { readonly path: string; readonly span: Span } {
  const file = node.getSourceFile();
  const path = relative('', file.getFilePath());
  return { path, span: { source: new Source(path, file.getFullText()), start: node.getStart(), end: node.getEnd() } };
}

/** Problems as findings, for logs. */
export function usageFindings(problems: readonly LocatedProblem[]): readonly Finding[] {
  return problems.map(({ rule, message, level, path, span }) => ({
    rule,
    level,
    message,
    location: { path, region: regionOfSpan(span) },
  }));
}
