import { findFunction } from '../../../compiler/evaluate.js';
import type { GivenRoles } from '../../../runtime/engine/index.js';
import { parseGlob } from '../../../runtime/policy/index.js';
import * as residual from '../../../runtime/residual/index.js';
import { coverRoles, isEveryRole, type RoleClasses } from '../decision/role-cover.js';
import { SESSION, sessionTerm } from '../program/filters.js';

/** A glob of roles that no filter says. */
export class UnknownGlob extends Error {}

/** The roles of a principal of a table. */
const ROLES = sessionTerm(SESSION.roles, 'json');

/**
 * Where a principal has a role of some classes. Each principal has a role, so all of them have one of any class.
 *
 * @param tenants the roles that tenants define: each stands for others, and for nothing by itself.
 * @throws {UnknownGlob} if a glob is too complicated.
 */
export function hasRoleOf(
  classes: RoleClasses,
  holding: ReadonlySet<string>,
  tenants: GivenRoles | undefined,
): residual.Condition {
  const hasRole = (name: string): residual.Condition => residual.holds(residual.inCollection(name, ROLES));
  if (tenants === undefined)
    return isEveryRole(classes, holding) ? true : residual.anyOf(...shippedRoles(classes, holding, hasRole, undefined));
  const { rolePrefix, given } = tenants;
  return residual.anyOf(
    ...(isEveryRole(classes, holding)
      ? [someRole((role) => isShipped(role, rolePrefix))]
      : shippedRoles(classes, holding, hasRole, rolePrefix)),
    ...[...given].filter(([, roles]) => roles.some((role) => holding.has(role))).map(([name]) => hasRole(name)),
  );
}

/** Tests of a role that no tenant defines. */
function shippedRoles(
  classes: RoleClasses,
  holding: ReadonlySet<string>,
  hasRole: (name: string) => residual.Condition,
  rolePrefix: string | undefined,
): readonly residual.Condition[] {
  const { literals, globs, others } = coverRoles(classes, holding);
  const shipped = (role: residual.Term): readonly residual.Term[] =>
    rolePrefix === undefined ? [] : [isShipped(role, rolePrefix)];
  return [
    ...literals.filter((name) => rolePrefix === undefined || !name.startsWith(rolePrefix)).map(hasRole),
    ...globs.map((pattern) => someRole((role) => allOf([matches(role, pattern), ...shipped(role)]))),
    ...others.map(({ matching, notMatching }) =>
      someRole((role) =>
        allOf([
          ...shipped(role),
          ...(classes.named.length === 0
            ? []
            : [residual.complement(residual.inCollection(role, residual.list(...classes.named)))]),
          ...matching.map((pattern) => matches(role, pattern)),
          ...notMatching.map((pattern) => residual.complement(matches(role, pattern))),
        ]),
      ),
    ),
  ];
}

function isShipped(role: residual.Term, rolePrefix: string): residual.Term {
  return residual.complement(call('startsWith', role, rolePrefix));
}

function someRole(test: (role: residual.Term) => residual.Term): residual.Condition {
  return residual.holds(residual.macro('exists', findFunction('exists'), ['role'], ROLES, test));
}

function allOf(terms: readonly residual.Term[]): residual.Term {
  return terms.length === 0 ? true : terms.reduce((before, term) => residual.and(before, term));
}

/** Whether a role matches a glob with one `*` or `**`, in functions that SQL has. */
function matches(role: residual.Term, pattern: string): residual.Term {
  const tokens = parseGlob(pattern) ?? [];
  const texts = tokens.map((token) => (token.kind === 'text' ? token.text : undefined));
  const at = texts.indexOf(undefined);
  const [start = '', end = ''] = [texts.slice(0, at).join(''), texts.slice(at + 1).join('')];
  const star = tokens[at];
  if (at === -1 || texts.lastIndexOf(undefined) !== at || (star?.kind !== 'star' && star?.kind !== 'anything'))
    throw new UnknownGlob(pattern);
  return allOf([
    ...(start === '' ? [] : [call('startsWith', role, start)]),
    ...(end === '' ? [] : [call('endsWith', role, end)]),
    // The start and the end of a short text may be the same characters.
    ...(start === '' || end === ''
      ? []
      : [residual.atLeast(call('size', role), BigInt([...start].length + [...end].length))]),
    ...(star.kind === 'star' ? [residual.equals(call('size', call('split', role, ':')), pieces(start + end))] : []),
  ]);
}

/** How many pieces a text has between colons, of which `*` matches none. */
function pieces(text: string): bigint {
  return BigInt(text.split(':').length);
}

function call(name: string, ...operands: readonly residual.Term[]): residual.Term {
  return residual.call(name, findFunction(name), ...operands);
}
