/** What the package exports, and the source of each: pages are checked against these. */
export const PACKAGE_SOURCES: { readonly [specifier: string]: string } = {
  'authz/runtime': 'runtime/engine/index.ts',
  'authz/client': 'client/index.ts',
  'authz/client/grpc': 'client/grpc.ts',
  'authz/residual': 'runtime/residual/filters.ts',
};
