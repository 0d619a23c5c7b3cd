import type { SessionKey } from './sign.js';

/** A principal whose rows a database shows: as a check receives it. */
export interface SessionPrincipal {
  readonly id: string;
  /** The roles, at least one. */
  readonly roles: readonly string[];
  readonly attr?: { readonly [name: string]: unknown } | undefined;
}

/** What a transaction needs besides the principal. */
export interface SessionOptions {
  /**
   * The role of the database that the policies are for. By default that of the connection, which must then be one of
   * them.
   */
  readonly role?: string;
  /** The claims that policies read as `request.auxData.jwt`. */
  readonly token?: { readonly [claim: string]: unknown };
  /** The key for a database whose sessions are signed. */
  readonly sign?: SessionKey;
  /**
   * What policies need to know of a principal and SQL cannot compute: `computed` of what `authzc compile --table` writes. If it
   * is missing, or of other policies, the tables that need it show nothing.
   */
  readonly computed?: Compute;
  /**
   * Whether a transaction of another principal may be around this one: that principal is restored at the end. By default
   * that is an error.
   */
  readonly nested?: boolean;
}

/** Computes values of a principal: lists by id, of the value or of nothing. */
export type Compute = (session: {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: { readonly [name: string]: unknown };
  readonly token?: { readonly [claim: string]: unknown };
}) => { readonly [id: string]: readonly unknown[] };

/** Bytes of a session value. A database reads it with every statement. */
const LONGEST_VALUE = 65_536;

/** Levels of nested values. */
const DEEPEST_VALUE = 1_000;

/**
 * A principal as the setting `authz.principal` has it: JSON that the helpers of `authzc rls` read. Dates become strings, as
 * for a check.
 *
 * @param compute of the values that SQL cannot compute.
 * @throws {TypeError} for a value that a database would read differently than a check does: whoever reads less decides
 * otherwise.
 */
export function sessionValue(principal: SessionPrincipal, token: SessionOptions['token'], compute?: Compute): string {
  const { id, roles, attr = {}, ...others } = principal;
  if (typeof id !== 'string' || id === '') throw new TypeError('principal.id: not a text, or empty');
  if (!Array.isArray(roles) || roles.length === 0) throw new TypeError('principal.roles: not a list, or empty');
  for (const role of roles)
    if (typeof role !== 'string' || role === '') throw new TypeError('principal.roles: a role is not a text, or empty');
  for (const [name, value] of Object.entries(others))
    if (value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0))
      throw new TypeError(`principal.${name}: policies of a database do not know it`);
  const value = {
    id,
    roles,
    attr: plain(attr, 'principal.attr', 0),
    ...(token && { token: plain(token, 'token', 0) }),
  };
  for (const part of [id, ...roles]) requireText(part, 'principal');
  if (!isPlainObject(value.attr)) throw new TypeError('principal.attr: not an object');
  const told = compute === undefined ? value : { ...value, computed: compute(value as Parameters<Compute>[0]) };
  const json = JSON.stringify(told);
  if (new TextEncoder().encode(json).length > LONGEST_VALUE)
    throw new TypeError(`the principal has more than ${LONGEST_VALUE} bytes as JSON`);
  return json;
}

/** A value as JSON, without members that are undefined. */
function plain(value: unknown, path: string, depth: number): unknown {
  if (depth > DEEPEST_VALUE) throw new TypeError(`${path}: nested more than ${DEEPEST_VALUE} levels`);
  switch (typeof value) {
    case 'string':
      requireText(value, path);
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${path}: ${value} is not in JSON`);
      return value;
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return value;
      if (value instanceof Date) return dateText(value, path);
      if (Array.isArray(value)) return value.map((item, position) => plain(item, `${path}[${position}]`, depth + 1));
      if (!isPlainObject(value)) throw new TypeError(`${path}: neither JSON nor a Date`);
      return Object.fromEntries(
        Object.entries(value).flatMap(([name, item]) => {
          requireText(name, path);
          return item === undefined ? [] : [[name, plain(item, `${path}.${name}`, depth + 1)]];
        }),
      );
    default:
      throw new TypeError(`${path}: a ${typeof value} is not in JSON`);
  }
}

function dateText(date: Date, path: string): string {
  if (Number.isNaN(date.getTime())) throw new TypeError(`${path}: an invalid Date`);
  return date.toISOString();
}

/** A text of PostgreSQL contains neither NUL nor half a character. */
function requireText(text: string, path: string): void {
  if (/\0|\p{Surrogate}/u.test(text)) throw new TypeError(`${path}: a text with NUL or half a character`);
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
