import { glob, parseGlob } from '../../../runtime/policy/index.js';
import { given, listed, type Sql, sql } from '../../../runtime/residual/sql/fragment.js';
import type { Unknown } from '../../../runtime/residual/index.js';
import { sessionTerm } from '../program/filters.js';

/** The roles that policies distinguish: names, one for each class of other names, and the globs that make the classes. */
export interface RoleClasses {
  readonly named: readonly string[];
  readonly others: readonly string[];
  /** Names and globs of roles as rules write them, without `*`. */
  readonly patterns: readonly string[];
}

/** The tests of roles in a policy: each is a boolean of the statement, of which a condition sees the name. */
export class RoleGates {
  private readonly tests = new Map<string, Sql>();
  private readonly names = new Map<string, string>();

  /** The name of a test as a term; undefined if every principal passes it. */
  gate(classes: RoleClasses, holding: ReadonlySet<string>): Unknown | undefined {
    const all = [...classes.named, ...classes.others];
    if (all.every((role) => holding.has(role))) return undefined;
    // A name that stands for others stands for those of its classes: another scope has other ones.
    const key = JSON.stringify([classes, [...holding].sort()]);
    const known = this.names.get(key);
    const name = known ?? `request.roles.gate${this.names.size}`;
    if (known === undefined) {
      this.names.set(key, name);
      this.tests.set(name, roleTest(classes, holding));
    }
    return sessionTerm(name, 'bool');
  }

  find(variable: string): Sql | undefined {
    return this.tests.get(variable);
  }
}

/** A glob of a role that no regular expression of PostgreSQL says. */
export class UnknownGlob extends Error {}

/**
 * Whether the principal has a role of some classes. A set is written with the patterns of rules that cover it exactly,
 * and what is left with its class.
 */
function roleTest({ named, others, patterns }: RoleClasses, holding: ReadonlySet<string>): Sql {
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
  const tests = [
    ...(literals.length > 0 ? [sql`authz.has_role(${texts([...new Set(literals)].sort())})`] : []),
    ...covers
      .map(({ pattern }) => pattern)
      .filter((pattern) => pattern.includes('*'))
      .sort()
      .map((pattern) => sql`authz.has_role_like(${text(globRegExp(pattern))})`),
    ...left
      .filter((role) => !named.includes(role))
      .map((role) => {
        const like = globs.filter((pattern) => matches(pattern, role)).map(globRegExp);
        const unlike = globs.filter((pattern) => !matches(pattern, role)).map(globRegExp);
        return sql`authz.has_other_role(${array(named)}, ${array(like)}, ${array(unlike)})`;
      }),
  ];
  if (tests.length === 0) return sql`false`;
  return tests.reduce((before, test) => sql`${before} OR ${test}`);
}

function matches(pattern: string, role: string): boolean {
  return pattern.includes('*') ? glob(pattern)(role) : pattern === role;
}

/** A glob as a regular expression of PostgreSQL. Throws an UnknownGlob for one with more than text and a last `**`. */
export function globRegExp(pattern: string): string {
  const tokens = parseGlob(pattern) ?? [];
  const parts = tokens.map((token, position) => {
    if (token.kind === 'text') return token.text.replace(/[.\\+*?()[\]{}|^$]/g, '\\$&');
    if (token.kind === 'star') return '[^:]*';
    if (token.kind === 'anything' && position === tokens.length - 1) return '.*';
    throw new UnknownGlob(pattern);
  });
  return `^(?:${parts.join('')})$`;
}

function texts(values: readonly string[]): Sql {
  return listed(values.map(text));
}

function array(values: readonly string[]): Sql {
  return sql`ARRAY[${values.length === 0 ? '' : texts(values)}]::text[]`;
}

function text(value: string): Sql {
  return given(value);
}
