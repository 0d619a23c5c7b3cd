import { type Sql, sql } from '../../../runtime/residual/sql/fragment.js';
import { quotedText } from '../../../runtime/residual/sql/policy-condition.js';
import { FAILED, scalar, type SqlValue } from '../../../runtime/residual/sql/value.js';
import type { Session } from '../../../compiler/tables/session.js';
import { SESSION } from '../program/filters.js';
import { computedValue } from './computed-values.js';
import type { RoleGates } from './roles.js';

/** The declared types of the attributes of principals, by name. */
export type SessionTypes = Session['attributes'];

/**
 * The values of a session in SQL. Each calls a helper in a SELECT of its own, which PostgreSQL evaluates once per
 * statement. A bare call in an OR would be evaluated for each row.
 *
 * @returns the values of variables; undefined for a variable that is not of the session.
 */
export function sessionValues(types: SessionTypes, gates: RoleGates): (variable: string) => SqlValue | undefined {
  return (variable) => {
    const gate = gates.find(variable);
    if (gate !== undefined) return once('boolean', gate, 'never');
    switch (variable) {
      case SESSION.id:
        return once('text', sql`authz.id()`, 'never');
      case SESSION.roles:
        return { ...json(sql`authz.roles()`), list: sql`(SELECT authz.roles())`, isThere: true };
      case SESSION.attributes:
        return { ...json(sql`authz.attr()`), isThere: true };
      case SESSION.token:
        return { ...json(sql`authz.token()`), isThere: true };
      case SESSION.now:
        return scalar('timestamp', sql`date_trunc('milliseconds', statement_timestamp())`, 'binary', {
          null: 'never',
          isUnread: false,
          isOfStatement: true,
        });
    }
    return (
      computedValue(variable) ??
      pathValue(variable, SESSION.attributes, sql`authz.attr()`, types) ??
      pathValue(variable, SESSION.token, sql`authz.token()`, {})
    );
  };
}

/** An attribute or a claim, or a field of one; undefined for a variable that is not below the root. */
function pathValue(variable: string, root: string, document: Sql, types: SessionTypes): SqlValue | undefined {
  if (!variable.startsWith(`${root}.`)) return undefined;
  const [name = '', ...fields] = variable.slice(root.length + 1).split('.');
  const type = Object.hasOwn(types, name) ? types[name] : undefined;
  if (type === undefined || (type === 'list' && fields.length > 0))
    return json([name, ...fields].reduce((object, field) => sql`${object} -> ${quotedText(field)}`, document));
  if (fields.length > 0) return FAILED;
  if (type === 'list') {
    const list = sql`authz.attr_list(${quotedText(name)})`;
    return { ...json(list), list: sql`(SELECT ${list})` };
  }
  return once(type, sql`authz.${`attr_${type}`}(${quotedText(name)})`, 'missing');
}

function once(type: 'text' | 'number' | 'boolean', call: Sql, absence: 'never' | 'missing'): SqlValue {
  return scalar(type, sql`(SELECT ${call})`, 'deterministic', { null: absence, isOfStatement: true });
}

function json(call: Sql): { readonly kind: 'json'; readonly sql: Sql; readonly type: Sql } {
  return { kind: 'json', sql: sql`(SELECT ${call})`, type: sql`(SELECT jsonb_typeof(${call}))` };
}
