/** Which roles tenants may give, as the bundle has it (docs/spec/policy-language.md#tenantroles). */
export interface TenantRoles {
  /** The file, relative to the policy folder. */
  readonly sourcePath: string;
  /** The scope above the tenants: `tenants` of `tenants.*`, empty of `*`. */
  readonly scope: string;
  /** How their roles begin in requests: `tenant:`. */
  readonly rolePrefix: string;
  readonly grants: readonly {
    readonly role: string;
    readonly resources: readonly {
      /** A kind or a glob. */
      readonly resource: string;
      /** Actions and globs. */
      readonly actions: readonly string[];
    }[];
  }[];
}
