/** Decisions in components of React, by an engine in the same process, or by a projection of the policies. */
// Versions before 17 have no named exports in Node.
import React, { type ReactElement, type ReactNode } from 'react';
import type { Engine } from '../../runtime/engine/index.js';
import type {
  ActionOf,
  AnyPermissions,
  KindOf,
  Permissions,
  PlannedResourceOf,
  PrincipalOf,
  ResourceOf,
} from '../client/index.js';

export {
  type ClientProjection,
  type ProjectedAccess,
  type ProjectedPrincipal,
  type ProjectedRow,
  type ProjectionProviderProps,
  type ReactProjection,
  reactProjection,
} from './react-projection.js';

/**
 * Whether an action is allowed. `conditional`: for some resources with these properties it may be, and for others it may
 * not be.
 */
export type Access = 'allowed' | 'denied' | 'conditional';

/** The hooks and components of an application. */
export interface ReactAuthz<P extends Permissions> {
  /** The principal for the components below. Without one, everything is denied. */
  AuthzProvider(props: AuthzProviderProps<P>): ReactElement;
  /**
   * Whether the principal may do an action. About a resource with an `id`, the answer is `allowed` or `denied`. About
   * resources of which only some properties are known, it is one of the three. Throws what the engine throws, so an error
   * boundary handles it.
   */
  useAccess: UseAccess<P>;
  /** The same for several actions, by action. */
  useAccesses: UseAccesses<P>;
  /**
   * The same for each of several rows, such as those of a table with buttons: one object by action for each row. About a
   * row with an `id` all attributes are known; about one without, those that it lists.
   */
  useCapabilities: UseCapabilities<P>;
}

export interface AuthzProviderProps<P extends Permissions> {
  readonly principal: PrincipalOf<P> | null | undefined;
  readonly children?: ReactNode;
}

/** A resource to check, or the known properties of resources to plan for. */
export type Subject<P extends Permissions, K extends KindOf<P>> =
  | ResourceOf<P, K>
  | (PlannedResourceOf<P, K> & { readonly id?: undefined });

type UseAccess<P extends Permissions> = <K extends KindOf<P>>(action: ActionOf<P, K>, subject: Subject<P, K>) => Access;

type UseAccesses<P extends Permissions> = <K extends KindOf<P>, A extends ActionOf<P, K>>(
  actions: readonly A[],
  subject: Subject<P, K>,
) => { readonly [Action in A]: Access };

type UseCapabilities<P extends Permissions> = <K extends KindOf<P>, A extends ActionOf<P, K>>(
  rows: readonly Subject<P, K>[],
  actions: readonly A[],
) => readonly { readonly [Action in A]: Access }[];

/**
 * Creates the hooks of an application. What they return decides what a page shows; the server must decide again, because
 * callers can change everything in a page.
 *
 * @example
 * import { reactAuthz } from 'authz/react';
 * import { createEngine } from 'authz/runtime';
 * import { createElement } from 'react';
 * import { renderToString } from 'react-dom/server';
 * import { policies } from './generated/index.js';
 * import type { Policies } from './generated/types.js';
 *
 * const { AuthzProvider, useAccess } = reactAuthz(createEngine<Policies>(policies));
 *
 * const EditButton = () => {
 *   const access = useAccess('edit', { kind: 'album', attr: { owner: 'bob', status: 'OPEN' } });
 *   return createElement('button', { disabled: access === 'denied' }, 'Edit');
 * };
 * const principal = { id: 'ann', roles: ['user'] };
 * const page = createElement(AuthzProvider, { principal }, createElement(EditButton));
 * console.log(renderToString(page)); // => <button disabled="">Edit</button>
 */
export function reactAuthz<P extends Permissions = AnyPermissions>(engine: Engine<P>): ReactAuthz<P> {
  // The types of requests are for callers. The implementation does not know kinds.
  const untyped = engine as unknown as Engine;
  const Principal = React.createContext<Principal | undefined>(undefined);

  const AuthzProvider = ({ principal, children }: AuthzProviderProps<AnyPermissions>): ReactElement => {
    const value = principal ?? undefined;
    return React.createElement(Principal.Provider, { value }, children);
  };
  const useAccesses = (actions: readonly string[], subject: Known): Accesses => {
    const principal = React.useContext(Principal);
    return Object.fromEntries(actions.map((action) => [action, checkAccess(untyped, principal, action, subject)]));
  };
  const useAccess = (action: string, subject: Known): Access => {
    const principal = React.useContext(Principal);
    return checkAccess(untyped, principal, action, subject);
  };
  const useCapabilities = (rows: readonly Known[], actions: readonly string[]): readonly Accesses[] => {
    const principal = React.useContext(Principal);
    const prepared = principal && untyped.for(principal);
    return rows.map((row) =>
      Object.fromEntries(
        actions.map((action) => [
          action,
          row.id === undefined || prepared === undefined
            ? checkAccess(untyped, principal, action, row)
            : prepared.can(action, row)
              ? 'allowed'
              : 'denied',
        ]),
      ),
    );
  };
  return { AuthzProvider, useAccess, useAccesses, useCapabilities } as unknown as ReactAuthz<P>;
}

type Principal = PrincipalOf<AnyPermissions>;
type Known = Subject<AnyPermissions, string>;
interface Accesses {
  readonly [action: string]: Access;
}

function checkAccess(engine: Engine, principal: Principal | undefined, action: string, subject: Known): Access {
  if (principal === undefined) return 'denied';
  if (subject.id !== undefined)
    return engine.isAllowed({ principal, resource: subject, action }) ? 'allowed' : 'denied';
  const { filter, unplanned } = engine.plan({ principal, resource: subject, actions: [action] });
  const access = ACCESS[filter.kind];
  // A rule that has no filter is left out of the plan, so it may select too few resources.
  return access === 'denied' && unplanned.length > 0 ? 'conditional' : access;
}

const ACCESS = {
  KIND_ALWAYS_ALLOWED: 'allowed',
  KIND_ALWAYS_DENIED: 'denied',
  KIND_CONDITIONAL: 'conditional',
} as const;
