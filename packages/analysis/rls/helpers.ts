import type { Helper } from './protection.js';
import type { Session } from '../../../compiler/tables/session.js';
import type { ComputedType } from './computed-values.js';
import { principalBody } from './session-source.js';

/**
 * The functions that policies call, in the schema `authz`. They are written in plpgsql, as functions of SQL are copied
 * into each place of a policy and planned again with every statement. They are STABLE: an IMMUTABLE one would show rows of
 * the principal before, from a plan that is kept.
 *
 * @param session its attributes have types that are tested before anybody is somebody.
 */
export function helpers(session: Session): readonly Helper[] {
  const isSigned = session.source === 'signed';
  const own = isSigned ? 'authz.own_principal()' : 'authz.principal()';
  return [
    helper('principal()', 'jsonb', principalBody(session)),
    ...(isSigned ? [helper('own_principal()', 'jsonb', OWN_PRINCIPAL)] : []),
    helper('is_set()', 'boolean', returns('authz.principal() IS NOT NULL')),
    helper('id()', 'text', returns(`${own} ->> 'id'`)),
    helper('roles()', 'jsonb', returns(`${own} -> 'roles'`)),
    helper('attr()', 'jsonb', returns(`coalesce(${own} -> 'attr', '{}')`)),
    helper('token()', 'jsonb', returns(`coalesce(${own} -> 'token', '{}')`)),
    helper('attr_text(name text)', 'text', returns(`${own} -> 'attr' ->> name`)),
    helper('attr_number(name text)', 'double precision', returns(`(${own} -> 'attr' ->> name)::double precision`)),
    helper('attr_boolean(name text)', 'boolean', returns(`(${own} -> 'attr' ->> name)::boolean`)),
    helper('attr_list(name text)', 'jsonb', returns(`${own} -> 'attr' -> name`)),
    helper(
      'has_computed(VARIADIC ids text[])',
      'boolean',
      returns(
        "NOT EXISTS (SELECT FROM unnest(ids) AS each(id)\n    WHERE jsonb_typeof(authz.principal() -> 'computed' -> each.id) IS DISTINCT FROM 'array')",
      ),
    ),
    ...Object.entries(COMPUTED).map(([name, [type, expression]]) =>
      helper(`computed_${name}(id text)`, type, returns(expression(own))),
    ),
    helper('has_role(VARIADIC names text[])', 'boolean', returns(`coalesce(${own} -> 'roles' ?| names, false)`)),
    helper(
      'has_role_like(pattern text)',
      'boolean',
      returns(
        `EXISTS (SELECT FROM jsonb_array_elements_text(${own} -> 'roles') AS own(role) WHERE own.role ~ pattern)`,
      ),
    ),
    helper(
      'has_other_role(named text[], patterns text[], others text[])',
      'boolean',
      returns(
        [
          `EXISTS (SELECT FROM jsonb_array_elements_text(${own} -> 'roles') AS own(role)`,
          '    WHERE NOT own.role = ANY (named)',
          '      AND NOT EXISTS (SELECT FROM unnest(patterns) AS each(pattern) WHERE own.role !~ each.pattern)',
          '      AND NOT EXISTS (SELECT FROM unnest(others) AS each(pattern) WHERE own.role ~ each.pattern))',
        ].join('\n'),
      ),
    ),
  ];
}

/** How a computed value is read: a list of it, or an empty one where it fails. */
const COMPUTED: Readonly<Record<ComputedType, readonly [type: string, expression: (own: string) => string]>> = {
  boolean: ['boolean', (own) => `(${own} -> 'computed' -> id ->> 0)::boolean`],
  text: ['text', (own) => `${own} -> 'computed' -> id ->> 0`],
  number: ['double precision', (own) => `(${own} -> 'computed' -> id ->> 0)::double precision`],
  timestamp: ['timestamp with time zone', (own) => `(${own} -> 'computed' -> id ->> 0)::timestamp with time zone`],
  list: ['jsonb', (own) => `${own} -> 'computed' -> id -> 0`],
  json: ['jsonb', (own) => `${own} -> 'computed' -> id -> 0`],
};

/**
 * The principal of a session in which there must be one. Whoever can run any SQL can take a signed value away while a
 * statement runs, and wait until it has expired: what a policy reads then is not missing, as a DENY that compares it would
 * deny nothing.
 */
const OWN_PRINCIPAL = `DECLARE
  own jsonb := authz.principal();
BEGIN
  IF own IS NULL THEN
    RAISE insufficient_privilege USING MESSAGE = 'the session has no principal';
  END IF;
  RETURN own;
END`;

function helper(signature: string, type: string, body: string): Helper {
  return { signature, type, body };
}

function returns(expression: string): string {
  return `BEGIN\n  RETURN ${expression};\nEND`;
}
