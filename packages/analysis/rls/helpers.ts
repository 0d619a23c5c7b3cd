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
  return [
    helper('principal()', 'jsonb', principalBody(session)),
    helper('is_set()', 'boolean', returns('authz.principal() IS NOT NULL')),
    helper('id()', 'text', returns("authz.principal() ->> 'id'")),
    helper('roles()', 'jsonb', returns("authz.principal() -> 'roles'")),
    helper('attr()', 'jsonb', returns("coalesce(authz.principal() -> 'attr', '{}')")),
    helper('token()', 'jsonb', returns("coalesce(authz.principal() -> 'token', '{}')")),
    helper('attr_text(name text)', 'text', returns("authz.principal() -> 'attr' ->> name")),
    helper(
      'attr_number(name text)',
      'double precision',
      returns("(authz.principal() -> 'attr' ->> name)::double precision"),
    ),
    helper('attr_boolean(name text)', 'boolean', returns("(authz.principal() -> 'attr' ->> name)::boolean")),
    helper('attr_list(name text)', 'jsonb', returns("authz.principal() -> 'attr' -> name")),
    helper(
      'has_computed(VARIADIC ids text[])',
      'boolean',
      returns(
        "NOT EXISTS (SELECT FROM unnest(ids) AS each(id)\n    WHERE jsonb_typeof(authz.principal() -> 'computed' -> each.id) IS DISTINCT FROM 'array')",
      ),
    ),
    ...Object.entries(COMPUTED).map(([name, [type, expression]]) =>
      helper(`computed_${name}(id text)`, type, returns(expression)),
    ),
    helper(
      'has_role(VARIADIC names text[])',
      'boolean',
      returns("coalesce(authz.principal() -> 'roles' ?| names, false)"),
    ),
    helper(
      'has_role_like(pattern text)',
      'boolean',
      returns(
        "EXISTS (SELECT FROM jsonb_array_elements_text(authz.principal() -> 'roles') AS own(role) WHERE own.role ~ pattern)",
      ),
    ),
    helper(
      'has_other_role(named text[], patterns text[], others text[])',
      'boolean',
      returns(
        [
          "EXISTS (SELECT FROM jsonb_array_elements_text(authz.principal() -> 'roles') AS own(role)",
          '    WHERE NOT own.role = ANY (named)',
          '      AND NOT EXISTS (SELECT FROM unnest(patterns) AS each(pattern) WHERE own.role !~ each.pattern)',
          '      AND NOT EXISTS (SELECT FROM unnest(others) AS each(pattern) WHERE own.role ~ each.pattern))',
        ].join('\n'),
      ),
    ),
  ];
}

/** How a computed value is read: a list of it, or an empty one where it fails. */
const COMPUTED: Readonly<Record<ComputedType, readonly [type: string, expression: string]>> = {
  boolean: ['boolean', "(authz.principal() -> 'computed' -> id ->> 0)::boolean"],
  text: ['text', "authz.principal() -> 'computed' -> id ->> 0"],
  number: ['double precision', "(authz.principal() -> 'computed' -> id ->> 0)::double precision"],
  timestamp: ['timestamp with time zone', "(authz.principal() -> 'computed' -> id ->> 0)::timestamp with time zone"],
  list: ['jsonb', "authz.principal() -> 'computed' -> id -> 0"],
  json: ['jsonb', "authz.principal() -> 'computed' -> id -> 0"],
};

function helper(signature: string, type: string, body: string): Helper {
  return { signature, type, body };
}

function returns(expression: string): string {
  return `BEGIN\n  RETURN ${expression};\nEND`;
}
