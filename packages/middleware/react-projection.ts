/** Answers in components of React, by a projection of the policies: `authzc compile --client`. */
// Versions before 17 have no named exports in Node.
import React, { type ReactElement, type ReactNode } from 'react';

/** The module that `authzc compile --client` writes. */
export interface ClientProjection {
  /** The hash of the bundle that it is of. */
  readonly bundleHash: string;
  capabilities(request: {
    readonly principal: ProjectedPrincipal;
    readonly resource: { readonly kind: string };
    readonly rows: readonly Omit<ProjectedRow, 'kind'>[];
    readonly actions: readonly string[];
    readonly complete?: boolean;
    readonly bundleHash?: string;
  }): readonly { readonly [action: string]: ProjectedAccess }[];
}

/** Whether an action is allowed. `conditional`: only the server can tell. */
export type ProjectedAccess = 'allowed' | 'denied' | 'conditional';

/** Who uses the page, by what a browser may know. */
export interface ProjectedPrincipal {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr?: { readonly [name: string]: unknown } | undefined;
  readonly scope?: string | undefined;
}

/** What a page has loaded of a resource. */
export interface ProjectedRow {
  readonly kind: string;
  readonly id?: string | undefined;
  readonly attr?: { readonly [name: string]: unknown } | undefined;
  readonly scope?: string | undefined;
}

/** The provider and the hook of a page that has a projection. */
export interface ReactProjection {
  /** The principal for the components below. Without one, everything is denied. */
  ProjectionProvider(props: ProjectionProviderProps): ReactElement;
  /**
   * What is allowed on each of several rows: one object by action for each. What a row lacks is unknown, unless it is
   * said to be complete.
   */
  useCapabilities<Action extends string>(
    rows: readonly ProjectedRow[],
    actions: readonly Action[],
    options?: { readonly complete?: boolean },
  ): readonly { readonly [A in Action]: ProjectedAccess }[];
}

export interface ProjectionProviderProps {
  readonly principal: ProjectedPrincipal | null | undefined;
  /**
   * The `bundleHash` of the last answer of the server. Once it is another one than that of the projection, every answer
   * is `conditional` until the page is loaded again.
   */
  readonly bundleHash?: string | undefined;
  readonly children?: ReactNode;
}

/**
 * Creates the provider and the hook of a page over a projection: `reactProjection(await import('./client.js'))`. The
 * answers are for what a page shows: the server decides again.
 *
 * @example
 * import { type ClientProjection, reactProjection } from 'authz/react';
 * import { createElement } from 'react';
 * import { renderToString } from 'react-dom/server';
 *
 * // In your project: import * as projection from './client.js', which `authzc compile --client` writes.
 * const projection: ClientProjection = {
 *   bundleHash: 'b1',
 *   capabilities: ({ rows }) => rows.map(() => ({ edit: 'conditional' })),
 * };
 * const { ProjectionProvider, useCapabilities } = reactProjection(projection);
 *
 * const Buttons = () => {
 *   const [first] = useCapabilities([{ kind: 'album', id: 'a1' }], ['edit']);
 *   return createElement('button', { disabled: first?.edit === 'denied' }, 'Edit');
 * };
 * const principal = { id: 'ann', roles: ['user'] };
 * const page = createElement(ProjectionProvider, { principal, bundleHash: 'b1' }, createElement(Buttons));
 * console.log(renderToString(page)); // => <button>Edit</button>
 */
export function reactProjection(projection: ClientProjection): ReactProjection {
  const Asking = React.createContext<Asking>({ principal: undefined, isStale: false });

  const ProjectionProvider = ({ principal, bundleHash, children }: ProjectionProviderProps): ReactElement => {
    const stale = React.useRef(false);
    // Servers behind one address may have different bundles for a while: the page stays careful.
    stale.current ||= bundleHash !== undefined && bundleHash !== projection.bundleHash;
    const value = { principal: principal ?? undefined, isStale: stale.current };
    return React.createElement(Asking.Provider, { value }, children);
  };
  const useCapabilities = (
    rows: readonly ProjectedRow[],
    actions: readonly string[],
    { complete = false }: { readonly complete?: boolean } = {},
  ): readonly { readonly [action: string]: ProjectedAccess }[] => {
    const { principal, isStale } = React.useContext(Asking);
    return rows.map(({ kind, ...row }) => {
      if (principal === undefined || isStale) return ofAll(actions, isStale ? 'conditional' : 'denied');
      const request = { principal, resource: { kind }, rows: [row], actions, complete };
      return projection.capabilities(request)[0] ?? ofAll(actions, 'conditional');
    });
  };
  return { ProjectionProvider, useCapabilities } as ReactProjection;
}

interface Asking {
  readonly principal: ProjectedPrincipal | undefined;
  readonly isStale: boolean;
}

function ofAll(actions: readonly string[], access: ProjectedAccess): { readonly [action: string]: ProjectedAccess } {
  return Object.fromEntries(actions.map((action) => [action, access]));
}
