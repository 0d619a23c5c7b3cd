import { parseGlob } from '../../../runtime/policy/index.js';
import { given, listed, type Sql, sql } from '../../../runtime/residual/sql/fragment.js';
import type { Unknown } from '../../../runtime/residual/index.js';
import { coverRoles, isEveryRole, type RoleClasses } from '../decision/role-cover.js';
import { sessionTerm } from '../program/filters.js';

/** The tests of roles in a policy: each is a boolean of the statement, of which a condition sees the name. */
export class RoleGates {
  private readonly tests = new Map<string, Sql>();
  private readonly names = new Map<string, string>();

  /** The name of a test as a term; undefined if every principal passes it. */
  gate(classes: RoleClasses, holding: ReadonlySet<string>): Unknown | undefined {
    if (isEveryRole(classes, holding)) return undefined;
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

/** Whether the principal has a role of some classes. */
function roleTest(classes: RoleClasses, holding: ReadonlySet<string>): Sql {
  const { literals, globs, others } = coverRoles(classes, holding);
  const tests = [
    ...(literals.length > 0 ? [sql`authz.has_role(${texts(literals)})`] : []),
    ...globs.map((pattern) => sql`authz.has_role_like(${text(globRegExp(pattern))})`),
    ...others.map(
      ({ matching, notMatching }) =>
        sql`authz.has_other_role(${array(classes.named)}, ${array(matching.map(globRegExp))}, ${array(notMatching.map(globRegExp))})`,
    ),
  ];
  if (tests.length === 0) return sql`false`;
  return tests.reduce((before, test) => sql`${before} OR ${test}`);
}

/** A glob as a regular expression of PostgreSQL. Throws an UnknownGlob for one with more than text and a last `**`. */
function globRegExp(pattern: string): string {
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
