/** The types of the module of a projection, which are the same for all of them. */
export const CLIENT_DECLARATIONS = `/** The hash of the bundle that the projection is of. */
export declare const bundleHash: string;

/** Whether an action is allowed. \`conditional\`: only the server can tell. */
export type ProjectedAccess = 'allowed' | 'denied' | 'conditional';

/** What is allowed on each row: one object by action for each. */
export declare function capabilities<Action extends string>(request: {
  readonly principal: {
    readonly id: string;
    readonly roles: readonly string[];
    readonly attr?: { readonly [name: string]: unknown } | undefined;
    readonly scope?: string | undefined;
  };
  readonly resource: { readonly kind: string };
  readonly rows: readonly {
    readonly id?: string | undefined;
    readonly attr?: { readonly [name: string]: unknown } | undefined;
    readonly scope?: string | undefined;
  }[];
  readonly actions: readonly Action[];
  /** Whether an attribute that a row lacks is missing; otherwise it is unknown. */
  readonly complete?: boolean | undefined;
  /** The hash that the last answer of the server had. */
  readonly bundleHash?: string | undefined;
}): readonly { readonly [A in Action]: ProjectedAccess }[];
`;
