import { glob } from '../../../runtime/policy/index.js';
import type { Module } from '../../../compiler/ir/program.js';
import { rulesAbout } from './decisions.js';

/** The roles that policies distinguish: names, one for each class of other names, and the globs that make the classes. */
export interface RoleClasses {
  readonly named: readonly string[];
  readonly others: readonly string[];
  /** Names and globs of roles as rules write them, without `*`. */
  readonly patterns: readonly string[];
}

/** Tests of one role that together are passed by the roles of some classes, and by no others. */
export interface RoleCover {
  /** Names; sorted. */
  readonly literals: readonly string[];
  /** Globs; sorted. */
  readonly globs: readonly string[];
  /** Classes of roles without a name: those that no rule names, that match some globs and not others. */
  readonly others: readonly { readonly matching: readonly string[]; readonly notMatching: readonly string[] }[];
}

/** Whether these are the roles of all classes. */
export function isEveryRole({ named, others }: RoleClasses, holding: ReadonlySet<string>): boolean {
  return [...named, ...others].every((role) => holding.has(role));
}

/** A set of classes as the patterns of rules that cover it exactly, and what is left with its class. */
export function coverRoles({ named, others, patterns }: RoleClasses, holding: ReadonlySet<string>): RoleCover {
  const all = [...named, ...others];
  const covers = patterns
    .map((pattern) => ({ pattern, roles: all.filter((role) => matches(pattern, role)) }))
    .filter(({ roles }) => roles.length > 0 && roles.every((role) => holding.has(role)));
  const covered = new Set(covers.flatMap(({ roles }) => roles));
  const left = [...holding].filter((role) => !covered.has(role));
  const literals = [
    ...covers.map(({ pattern }) => pattern).filter((pattern) => !pattern.includes('*')),
    ...left.filter((role) => named.includes(role)),
  ];
  const globs = patterns.filter((pattern) => pattern.includes('*'));
  return {
    literals: [...new Set(literals)].sort(),
    globs: covers
      .map(({ pattern }) => pattern)
      .filter((pattern) => pattern.includes('*'))
      .sort(),
    others: left
      .filter((role) => !named.includes(role))
      .map((role) => ({
        matching: globs.filter((pattern) => matches(pattern, role)),
        notMatching: globs.filter((pattern) => !matches(pattern, role)),
      })),
  };
}

function matches(pattern: string, role: string): boolean {
  return pattern.includes('*') ? glob(pattern)(role) : pattern === role;
}

/** The names and globs of roles that rules have, without `*`: the same that make the classes of roles. */
export function listRolePatterns(modules: readonly Module[], kind: string): readonly string[] {
  const patterns = modules.flatMap((module) =>
    module.kind === 'resource' || module.kind === 'principal'
      ? rulesAbout(module, kind).flatMap(({ roles }) => roles)
      : [],
  );
  return [...new Set(patterns)].filter((pattern) => pattern !== '*').sort();
}
