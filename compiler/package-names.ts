/**
 * The names under which the packages of this project are published. Manifests, generated code and new projects take
 * them from here.
 */
export const PACKAGE_NAMES = {
  /** What programs import: engine, filters, clients. */
  library: 'authz',
  /** `authzc`, and what it is made of. */
  compiler: 'authzc',
  /** The server of compiled bundles. */
  server: 'authz-server',
} as const;
