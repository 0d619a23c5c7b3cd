import { literalAndGlob, type Matcher, matchesAny } from '../../runtime/policy/index.js';
import type { Invariants, Policy, PolicyFile } from '../ast/policy.js';
import { didYouMean } from '../../packages/cel/check/did-you-mean.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { onceByCause, type Problems } from '../diagnostics/problems.js';
import type { Located } from '../diagnostics/span.js';

/** The roles and actions that a project declares. A list that is absent allows any. */
export interface Vocabulary {
  readonly roles?: readonly string[];
  readonly actions?: readonly string[];
}

/** Reports roles and actions of enabled policies that are not declared, and globs that match no declared one. */
export function requireDeclared(documents: readonly PolicyFile[], vocabulary: Vocabulary, report: Diagnostics): void {
  onceByCause(report, (problems) => {
    for (const { policy } of documents) {
      const { roles, actions, patterns } = collectWords(policy);
      requireWords('role', roles, vocabulary.roles, problems);
      requireWords('action', actions, vocabulary.actions, problems);
      requireWords('action', patterns, vocabulary.actions, problems, literalAndGlob);
    }
  });
}

/** Reports each word that matches no declared one. */
export function requireWords(
  what: 'role' | 'action',
  words: readonly Located<string>[],
  declared: readonly string[] | undefined,
  report: Problems,
  matcherOf: (word: string) => Matcher = (word) => matchesAny(word),
): void {
  if (declared === undefined) return;
  const known = new Set(declared);
  for (const { value: word, place } of words) {
    if (known.has(word) || word === '*' || declared.some(matcherOf(word))) continue;
    const notes = [{ message: `to declare it, add \`${word}\` to \`vocabulary.${what}s\` in \`.authz.yaml\`` }];
    report.add(`vocabulary/undeclared-${what}`, place, { word }, { notes, hints: () => didYouMean(word, known) });
  }
}

interface Words {
  readonly roles: readonly Located<string>[];
  readonly actions: readonly Located<string>[];
  /** Actions that are always globs (docs/spec/policy-language.md#globs). */
  readonly patterns: readonly Located<string>[];
}

const NONE: Words = { roles: [], actions: [], patterns: [] };

function collectWords(policy: Policy): Words {
  switch (policy.kind) {
    case 'resource': {
      const { rules } = policy;
      return { ...NONE, roles: rules.flatMap(({ roles }) => roles), actions: rules.flatMap(({ actions }) => actions) };
    }
    case 'principal':
      return { ...NONE, actions: policy.rules.flatMap(({ actions }) => actions.map(({ action }) => action)) };
    case 'role':
      return {
        ...NONE,
        roles: [policy.role, ...policy.parentRoles],
        patterns: policy.rules.flatMap(({ allowActions }) => allowActions),
      };
    case 'derived-roles':
      return { ...NONE, roles: policy.definitions.flatMap(({ parentRoles }) => parentRoles) };
    case 'invariants':
      return wordsOfStatements(policy);
    case 'tenant-roles': {
      const resources = policy.grants.flatMap((grant) => grant.resources);
      return {
        ...NONE,
        roles: policy.grants.map(({ role }) => role),
        actions: resources.flatMap(({ actions }) => actions),
      };
    }
    case 'export-variables':
    case 'export-constants':
      return NONE;
  }
}

function wordsOfStatements({ statements }: Invariants): Words {
  const claims = statements.flatMap(({ claim }) => (claim.form === 'final' ? [] : [claim]));
  const principals = claims.map(({ about }) => about.principal);
  return {
    ...NONE,
    roles: principals.flatMap(({ roles, allRoles, notRoles }) => [...roles, ...allRoles, ...notRoles]),
    actions: claims.flatMap((claim) => [...claim.about.actions, ...(claim.form === 'implies' ? claim.also : [])]),
  };
}
