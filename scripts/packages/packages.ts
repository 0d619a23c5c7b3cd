import { PACKAGE_NAMES } from '../../compiler/package-names.js';

/** A package that is built from this repository. Versions, license and engines are those of the repository. */
export interface PackageDefinition {
  readonly name: string;
  readonly description: string;
  /** The commands: the name of the program of each. */
  readonly bin?: { readonly [command: string]: string };
  /** The sources of the programs; each is built to `dist/NAME.js`. */
  readonly programs?: { readonly [name: string]: string };
  /** Threads that the programs start: the path below `dist` without its ending, and the source. */
  readonly threads?: { readonly [path: string]: string };
  /** What can be imported: the source of each entry point. */
  readonly entries?: { readonly [entry: string]: string };
  /** Modules that no entry point imports, because they are started as threads. */
  readonly modules?: readonly string[];
  /** Entry points of another package of this repository, under their earlier names. */
  readonly facades?: { readonly [entry: string]: string };
  /** Files and folders that are shipped as they are, apart from tests. `SHIPPED_AS` has those with another path. */
  readonly files: readonly string[];
  /** Packages that are installed with it, in the versions of the repository. */
  readonly dependencies: readonly string[];
  /**
   * Packages that an application installs when it uses what needs them, with the versions that suit. The README of the
   * package lists them, and `peerDependenciesMeta` names them for package managers that resolve only what a package
   * declares. `peerDependencies` would make npm install a development tool of the application for production as well,
   * once a package needed in production names it or one of its dependencies.
   */
  readonly optionalPeers: { readonly [name: string]: string };
  /** What a registry finds the package by. */
  readonly keywords: readonly string[];
  /** The folder that says most about it, to which registries link. */
  readonly directory: string;
}

/** The paths in packages that differ from those here. Files of projects name them. */
const SHIPPED_AS: ReadonlyMap<string, string> = new Map([['packages/editor/schemas', 'schemas']]);

/** The path in the package of a file or folder of this repository. */
export function shippedPath(path: string): string {
  return SHIPPED_AS.get(path) ?? path;
}

/** The keywords of all packages. */
const KEYWORDS: readonly string[] = [
  'authorization',
  'policy',
  'access-control',
  'rbac',
  'abac',
  'permissions',
  'cel',
  'pdp',
];

/** What programs import. Its only dependency is RE2, and programs without patterns of requests do not load that. */
const LIBRARY: PackageDefinition = {
  name: PACKAGE_NAMES.library,
  description: 'Decides with compiled authorization policies: engine, filters for lists, clients of a server',
  entries: {
    './runtime': 'runtime/engine/index.ts',
    './runtime/cel': 'packages/cel/runtime/index.ts',
    './runtime/policy': 'runtime/policy/index.ts',
    './runtime/residual': 'runtime/residual/index.ts',
    './runtime/schema': 'packages/json-schema/index.ts',
    './runtime/row-schema': 'runtime/row-schema/index.ts',
    './runtime/parts': 'runtime/engine/parts.ts',
    './runtime/explain': 'packages/analysis/explain/index.ts',
    './runtime/partial': 'packages/analysis/partial/index.ts',
    './runtime/subjects': 'packages/analysis/subjects/index.ts',
    './residual': 'runtime/residual/filters.ts',
    './residual/sql': 'runtime/residual/sql/index.ts',
    './facts': 'runtime/facts/index.ts',
    './bundle': 'packages/bundle/load-bundle.ts',
    './client': 'packages/client/index.ts',
    './client/grpc': 'packages/client/grpc.ts',
    './middleware/express': 'packages/middleware/express.ts',
    './middleware/fastify': 'packages/middleware/fastify.ts',
    './middleware/hono': 'packages/middleware/hono.ts',
    './middleware/nest': 'packages/middleware/nest.ts',
    './middleware/next': 'packages/middleware/next.ts',
    './middleware/trpc': 'packages/middleware/trpc.ts',
    './react': 'packages/middleware/react.ts',
    './adapters/conformance': 'packages/adapters/conformance/index.ts',
    './adapters/facts': 'packages/adapters/facts.ts',
    './adapters/drizzle': 'packages/adapters/drizzle.ts',
    './adapters/elasticsearch': 'packages/adapters/elasticsearch.ts',
    './adapters/knex': 'packages/adapters/knex.ts',
    './adapters/kysely': 'packages/adapters/kysely.ts',
    './adapters/mikro-orm': 'packages/adapters/mikro-orm.ts',
    './adapters/mongodb': 'packages/adapters/mongodb/index.ts',
    './adapters/prisma': 'packages/adapters/prisma/index.ts',
    './adapters/sequelize': 'packages/adapters/sequelize.ts',
    './adapters/typeorm': 'packages/adapters/typeorm.ts',
    './rls/drizzle': 'packages/rls/drizzle.ts',
    './rls/knex': 'packages/rls/knex.ts',
    './rls/kysely': 'packages/rls/kysely.ts',
    './rls/pg': 'packages/rls/pg.ts',
    './rls/postgres-js': 'packages/rls/postgres-js.ts',
    './rls/prisma': 'packages/rls/prisma.ts',
    './rls/typeorm': 'packages/rls/typeorm.ts',
  },
  facades: {
    './compiler': `${PACKAGE_NAMES.compiler}/compiler`,
    './analysis': `${PACKAGE_NAMES.compiler}/analysis`,
    './mcp': `${PACKAGE_NAMES.compiler}/mcp`,
  },
  files: ['skills/authz-lists'],
  dependencies: ['re2js'],
  keywords: [...KEYWORDS, 'row-level-security', 'sql', 'middleware', 'edge'],
  directory: 'runtime',
  optionalPeers: {
    // tests/installation/peers.test.ts tries the oldest and the newest version of each that a guard or an adapter needs.
    '@grpc/grpc-js': '1.x',
    '@mikro-orm/core': '6.x || 7.x',
    '@nestjs/common': '10.x || 11.x || 12.x',
    '@trpc/server': '10.x || 11.x',
    'drizzle-orm': '>=0.34.0 <1',
    express: '^4.17.0 || 5.x',
    fastify: '4.x || 5.x',
    hono: '^3.6.0 || 4.x',
    jose: '5.x || 6.x',
    knex: '2.x || 3.x',
    kysely: '>=0.26.0 <1',
    react: '^16.8.0 || 17.x || 18.x || 19.x',
    semver: '6.x || 7.x',
    sequelize: '6.x',
    typeorm: '^0.3.12 || 1.x',
  },
};

/**
 * What sends telemetry elsewhere, with the versions that an application may have beside the command line, which then
 * sends with them. Most servers do not load it.
 */
const EXPORTERS: { readonly [name: string]: string } = {
  '@opentelemetry/api': '1.x',
  '@opentelemetry/exporter-metrics-otlp-grpc': '>=0.200.0 <1',
  '@opentelemetry/exporter-metrics-otlp-proto': '>=0.200.0 <1',
  '@opentelemetry/exporter-trace-otlp-grpc': '>=0.200.0 <1',
  '@opentelemetry/exporter-trace-otlp-proto': '>=0.200.0 <1',
  '@opentelemetry/propagator-b3': '2.x',
  '@opentelemetry/resources': '2.x',
  '@opentelemetry/sdk-metrics': '2.x',
  '@opentelemetry/sdk-trace-node': '2.x',
};

/**
 * The clients of Kafka, for audit logs there, and of PostgreSQL, for roles of tenants there. The one of Kafka needs a
 * newer Node than authz does.
 */
const CLIENTS: { readonly [name: string]: string } = { '@platformatic/kafka': '1.x', pg: '8.x' };

/**
 * The command line and what it consists of. It contains the server that `authzc serve` runs, without the exporters. It
 * does not depend on the library, so that it runs from an archive before anything is published.
 */
const COMPILER: PackageDefinition = {
  name: PACKAGE_NAMES.compiler,
  description: 'Compiles authorization policies to TypeScript, tests and analyses them',
  bin: { authzc: 'authzc' },
  programs: { authzc: 'packages/cli/authzc.ts' },
  threads: {
    'chunks/folder-thread': 'packages/editor/compile/folder-thread.ts',
    'chunks/part-thread': 'packages/cli/policies/part-thread.ts',
    'chunks/shadow-thread': 'server/rollout/shadow-thread.ts',
    'chunks/z3-worker': 'packages/analysis/solve/z3-worker.ts',
  },
  entries: {
    './compiler': 'compiler/index.ts',
    './analysis': 'packages/cli/analysis-library.ts',
    './mcp': 'packages/mcp-guard/index.ts',
  },
  modules: ['packages/analysis/solve/z3-worker.ts'],
  files: [
    'action.yml',
    'deploy/ci',
    'docs/config.schema.json',
    'docs/diagnostics',
    'examples/templates',
    'packages/editor/schemas',
    'skills',
    // Sources that bundles of policies are made of.
    'runtime',
    'packages/cel/runtime',
    'packages/json-schema',
    'packages/analysis/candidates',
    'packages/analysis/coverage',
    'packages/analysis/decision',
    'packages/analysis/explain',
    'packages/analysis/facts/of-point.ts',
    'packages/analysis/facts/paths.ts',
    'packages/analysis/facts/read-set.ts',
    'packages/analysis/facts/schema-reads.ts',
    'packages/analysis/formula',
    'packages/analysis/partial',
    'packages/analysis/program',
    'packages/analysis/question',
    'packages/analysis/sampler',
    'packages/analysis/subjects',
    'packages/analysis/witness',
    'compiler/append.ts',
    'compiler/ast/names.ts',
    'packages/cel/check/did-you-mean.ts',
    'packages/cel/library/types.ts',
    'packages/cel/nearest-name.ts',
    'compiler/diagnostics/invariant.ts',
    'compiler/diagnostics/source.ts',
    'compiler/evaluate.ts',
    'compiler/ir',
    'compiler/lower/rules.ts',
    'compiler/lower/values.ts',
    'compiler/optimise',
    'compiler/validate/kind-patterns.ts',
  ],
  dependencies: ['@grpc/grpc-js', '@jridgewell/sourcemap-codec', 'esbuild', 'node-sqlite3-wasm', 're2js', 'yaml'],
  keywords: [...KEYWORDS, 'compiler', 'testing', 'verification', 'cli'],
  directory: 'packages/cli',
  optionalPeers: {
    'ts-morph': '28.x',
    'z3-solver': '5.x',
    mysql2: '3.x',
    ...EXPORTERS,
    ...CLIENTS,
  },
};

/** The server of compiled bundles. */
const SERVER: PackageDefinition = {
  name: PACKAGE_NAMES.server,
  description: 'Serves decisions of compiled authorization policies: REST, gRPC, Connect and AuthZEN',
  bin: { 'authz-server': 'server' },
  programs: { server: 'packages/cli/server.ts' },
  threads: { 'chunks/shadow-thread': 'server/rollout/shadow-thread.ts' },
  files: ['docs/config.schema.json'],
  dependencies: ['@grpc/grpc-js', ...Object.keys(EXPORTERS), 'node-sqlite3-wasm'],
  keywords: [...KEYWORDS, 'server', 'grpc', 'authzen'],
  directory: 'server',
  optionalPeers: CLIENTS,
};

/** All packages, in the order in which they are published. */
export const PACKAGES: readonly PackageDefinition[] = [LIBRARY, COMPILER, SERVER];

/** The sources of the modules of a package that are imported or started as threads. */
export function sourcesOf({ entries = {}, modules = [] }: PackageDefinition): readonly string[] {
  return [...Object.values(entries), ...modules];
}
