import { type SessionOptions, type SessionPrincipal, sessionValue } from './session-value.js';
import { claimsOf, signedValue } from './sign.js';

export type { SessionOptions, SessionPrincipal } from './session-value.js';

/** Thrown where a transaction already has a principal: its statements would show rows of another one. */
export class NestedPrincipalError extends Error {
  override readonly name = 'NestedPrincipalError';

  constructor() {
    super('the transaction has a principal already: ask as another one in a transaction of its own');
  }
}

/** Thrown where the role of a transaction is exempt from policies, so that it would see all rows. */
export class ExemptRoleError extends Error {
  override readonly name = 'ExemptRoleError';

  constructor(role: string) {
    super(
      `the role \`${role}\` is a superuser or has BYPASSRLS, and policies do not apply to it: name the role that they are for`,
    );
  }
}

/** Runs a statement with parameters `$1`, `$2` in a transaction, and returns its rows. */
export type Run = (statement: string, parameters: readonly string[]) => Promise<readonly unknown[]>;

/** Pools and connections whose role was looked at. */
const known = new WeakMap<object, Set<string>>();

/**
 * Makes a transaction one of a principal, until it ends: the next user of its connection does not inherit it.
 *
 * @returns what to call before the transaction ends without an error: a savepoint that is released keeps its settings.
 * @param owner what the connection is of, so that its role is looked at once.
 * @throws {TypeError} for a principal that a database would read differently, before anything is sent.
 * @throws {NestedPrincipalError} in a transaction of another principal.
 * @throws {ExemptRoleError} for a role that policies do not apply to.
 */
export async function enterSession(
  run: Run,
  owner: object,
  principal: SessionPrincipal,
  { role, token, sign, computed, nested = false }: SessionOptions,
): Promise<() => Promise<void>> {
  const plain = sessionValue(principal, token, computed);
  const value = sign === undefined ? plain : await signedValue(plain, sign, Date.now());
  const [state] = (await run(
    "SELECT current_setting('authz.principal', true) AS before, current_setting('role') AS role, set_config('authz.principal', $1, true) AS now",
    [value],
  )) as readonly { readonly before: string | null; readonly role: string }[];
  if (state === undefined) throw new NestedPrincipalError();
  const before = state.before ?? '';
  if (before !== '' && !nested && claimsOf(before) !== claimsOf(plain)) throw new NestedPrincipalError();
  if (role !== undefined) await run("SELECT set_config('role', $1, true) AS role", [role]);
  await requireRole(run, owner, role);
  return async () => {
    if (before === '') return;
    await run("SELECT set_config('role', $1, true) AS role", [state.role]);
    await run("SELECT set_config('authz.principal', $1, true) AS before", [before]);
  };
}

/** Throws for a role that policies do not apply to. It is looked at once. */
async function requireRole(run: Run, owner: object, role: string | undefined): Promise<void> {
  const roles = known.get(owner) ?? new Set();
  known.set(owner, roles);
  if (roles.has(role ?? '')) return;
  const [own] = (await run(
    'SELECT current_user::text AS name, rolsuper OR rolbypassrls AS exempt FROM pg_roles WHERE rolname = current_user',
    [],
  )) as readonly { readonly name: string; readonly exempt: boolean }[];
  if (own?.exempt !== false) throw new ExemptRoleError(own?.name ?? '');
  roles.add(role ?? '');
}
