/**
 * The one-way streets inside the packages (ARCHITECTURE.md, "Boundaries"), and which of them may load a dependency. Type
 * imports count. Those between packages are the `dependencies` and `exports` of their package.json.
 */
const STAGES = 'load|parse|link|validate|schema|attributes|lower|optimise|emit|bundle';
const TESTS = '\\.test\\.ts$';

module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'stages-do-not-know-each-other',
      comment: 'what passes between two stages is declared in ast, cel or ir',
      severity: 'error',
      from: { path: `^compiler/(${STAGES})/`, pathNot: TESTS },
      to: { path: `^compiler/(${STAGES})/`, pathNot: '^compiler/$1/' },
    },
    {
      name: 'vocabularies-know-no-stage',
      severity: 'error',
      from: { path: '^compiler/(ast|ir|diagnostics)/', pathNot: TESTS },
      to: { path: `^compiler/(${STAGES})(/|\\.ts)|^runtime/` },
    },
    {
      name: 'runtime-has-no-platform',
      comment: 'it runs in browsers and at the edge; re2js is its one package',
      severity: 'error',
      from: { path: '^(runtime|packages/(cel|json-schema))/', pathNot: TESTS },
      to: { dependencyTypes: ['core', 'npm'], pathNot: '^node_modules/re2js/' },
    },
    {
      name: 'primitives-know-no-message',
      severity: 'error',
      from: { path: '^proto/wire/', pathNot: TESTS },
      to: { path: '^proto/(gen|generator)/' },
    },
    {
      name: 'generated-messages-know-no-generator',
      severity: 'error',
      from: { path: '^proto/gen/' },
      to: { path: '^proto/generator/' },
    },
    {
      name: 'policy-knows-no-engine',
      severity: 'error',
      from: { path: '^runtime/policy/', pathNot: TESTS },
      to: { path: '^runtime/engine/' },
    },
    {
      name: 'the-compiler-runs-no-engine',
      comment: 'folding and validating use packages/cel/runtime, dispatch uses the globs of runtime/policy',
      severity: 'error',
      from: { path: '^compiler/', pathNot: TESTS },
      to: { path: '^runtime/engine/' },
    },
    {
      name: 'find-knows-neither-check-nor-plan',
      comment: 'docs/decisions/engine-and-generated-code.md#0020',
      severity: 'error',
      from: { path: '^runtime/engine/find/', pathNot: TESTS },
      to: { path: '^runtime/engine/', pathNot: '^runtime/engine/(find/|(requests|input)\\.ts$)' },
    },
    {
      name: 'check-and-plan-do-not-know-each-other',
      severity: 'error',
      from: { path: '^runtime/engine/(decide|plan)/', pathNot: TESTS },
      to: { path: '^runtime/engine/', pathNot: '^runtime/engine/($1/|find/|(requests|input)\\.ts$)' },
    },
    {
      name: 'requests-know-no-engine',
      severity: 'error',
      from: { path: '^runtime/engine/requests\\.ts$' },
      to: { path: '^runtime/engine/' },
    },
    {
      name: 'the-engine-has-two-entries',
      comment: 'applications import index.ts, bundles parts.ts',
      severity: 'error',
      from: { pathNot: `^runtime/engine/|^tests/|${TESTS}` },
      to: { path: '^runtime/engine/', pathNot: '^runtime/engine/(index|parts)\\.ts$' },
    },
    {
      name: 'generated-is-called-by-the-engine',
      severity: 'error',
      from: { path: '^generated/' },
      to: { path: '^(runtime/engine/(?!parts\\.ts$)|compiler/|server/)' },
    },
    {
      name: 'the-server-program-compiles-nothing',
      comment: 'dist/server.js carries of the compiler only what escapes control characters',
      severity: 'error',
      from: { path: '^packages/cli/server\\.ts$' },
      to: { path: '^compiler/', pathNot: '^compiler/diagnostics/visible\\.ts$', reachable: true },
    },
    {
      name: 'transports-do-not-decide',
      severity: 'error',
      from: { path: '^server/transport/', pathNot: TESTS },
      to: { path: '^runtime/engine/|^generated/' },
    },
    {
      name: 'the-service-knows-no-transport',
      severity: 'error',
      from: { path: '^server/service/', pathNot: TESTS },
      to: { path: '^server/transport/' },
    },
    {
      name: 'the-watchers-know-no-transport',
      comment: 'metrics, log and traces are told of calls; they reach for nothing',
      severity: 'error',
      from: { path: '^server/observe/', pathNot: TESTS },
      to: { path: '^server/(transport|audit|workers|swap)/|^server/main\\.ts$|^runtime/|^compiler/' },
    },
    {
      name: 'telemetry-is-for-observe',
      severity: 'error',
      from: { pathNot: `^server/observe/|${TESTS}` },
      to: { path: '^node_modules/(pino|prom-client|@opentelemetry)/' },
    },
    {
      name: 'audit-knows-no-transport',
      severity: 'error',
      from: { path: '^server/audit/', pathNot: TESTS },
      to: { path: '^server/(admin|transport|workers|swap|observe)/' },
    },
    {
      name: 'sqlite-is-for-the-local-audit-log',
      severity: 'error',
      from: { pathNot: `^server/audit/local/|^packages/cli/tables/sqlite|^examples/|^tests/|${TESTS}` },
      to: { path: '^node_modules/node-sqlite3-wasm/' },
    },
    {
      name: 'kafka-is-for-audit',
      severity: 'error',
      from: { pathNot: `^server/audit/kafka/|^tests/|${TESTS}` },
      to: { path: '^node_modules/@platformatic/' },
    },
    {
      name: 'nats-is-for-audit',
      severity: 'error',
      from: { pathNot: `^server/audit/nats/|^tests/|${TESTS}` },
      to: { path: '^node_modules/@nats-io/' },
    },
    {
      name: 's3-knows-no-user',
      comment:
        'bundles are read with it, audit entries are written with it; it keeps the rules of all requests that the server sends',
      severity: 'error',
      from: { path: '^server/s3/', pathNot: TESTS },
      to: { path: '^server/(?!s3/|outgoing/|read-error\\.ts$|config/plain-http\\.ts$)' },
    },
    {
      name: 'bundles-know-no-process',
      comment: 'what serves a bundle is handed to them',
      severity: 'error',
      from: { path: '^server/bundle/', pathNot: TESTS },
      to: { path: '^server/(audit|admin|transport|workers)/|^server/(main|process)\\.ts$' },
    },
    {
      name: 'undici-is-for-outgoing-requests',
      severity: 'error',
      from: { pathNot: `^server/outgoing/|^tests/|${TESTS}` },
      to: { path: '^node_modules/undici/' },
    },
    {
      name: 'tenants-know-no-transport',
      severity: 'error',
      from: { path: '^server/tenants/', pathNot: TESTS },
      to: { path: '^server/(admin|audit|transport|workers|observe)/' },
    },
    {
      name: 'the-service-knows-no-watcher-and-no-admin',
      comment: 'it states the interfaces that they implement',
      severity: 'error',
      from: { path: '^server/service/', pathNot: TESTS },
      to: { path: '^server/(audit|admin|observe|tenants)/' },
    },
    {
      name: 'configuration-is-below-its-readers',
      severity: 'error',
      from: { path: '^server/config(/|\\.ts$)', pathNot: TESTS },
      to: { path: '^server/(audit|admin|bundle|service|observe|tenants|transport|workers|swap)/' },
    },
    {
      name: 'valibot-is-for-the-configuration',
      severity: 'error',
      from: { pathNot: `^server/config/|${TESTS}` },
      to: { path: '^node_modules/valibot/' },
    },
    {
      name: 'bcrypt-is-for-the-admin',
      severity: 'error',
      from: { pathNot: `^server/admin/|${TESTS}` },
      to: { path: '^node_modules/bcryptjs/' },
    },
    {
      name: 'esbuild-is-for-bundle',
      severity: 'error',
      from: { pathNot: `^bench/harness/|^compiler/bundle/|^scripts/|^tests/|${TESTS}` },
      to: { path: '^node_modules/esbuild/' },
    },
    {
      name: 'yaml-is-bounded',
      comment: 'packages/yaml-input/index.ts has of the package what does not recurse as deeply as a text is nested',
      severity: 'error',
      from: { pathNot: `^packages/yaml-input/|^tests/|${TESTS}` },
      to: { path: '^node_modules/yaml/' },
    },
    {
      name: 'the-disk-is-for-load',
      severity: 'error',
      from: { path: '^compiler/(?!load/)', pathNot: TESTS },
      to: { path: '^(node:)?fs' },
    },
    {
      name: 'the-client-has-no-platform',
      comment:
        'but for gRPC, which has an entry of its own; type imports of the codec of bytes count, so only that entry has them',
      severity: 'error',
      from: { path: '^packages/client/', pathNot: `^packages/client/grpc|${TESTS}` },
      to: { dependencyTypes: ['core', 'npm'] },
    },
    {
      name: 'browsers-load-no-grpc',
      severity: 'error',
      from: { path: '^packages/client/', pathNot: `^packages/client/grpc|${TESTS}` },
      to: { path: '^packages/client/grpc|^^proto/wire/(reader|writer|value|size|json-scan)|^proto/gen/wire/' },
    },
    {
      name: 'codemirror-is-for-the-page',
      severity: 'error',
      from: { pathNot: '^packages/playground/playground/' },
      to: { path: '^node_modules/(@codemirror|@lezer)/' },
    },
    {
      name: 'a-framework-is-for-its-middleware',
      comment: 'an application installs one of them',
      severity: 'error',
      from: { path: '^packages/middleware/([^/]+)\\.ts$', pathNot: TESTS },
      to: { path: '^packages/middleware/', pathNot: '^packages/middleware/($1-[a-z-]+|guard)\\.ts$' },
    },
    {
      name: 'a-library-is-for-its-adapter',
      comment: 'an application installs one of them',
      severity: 'error',
      from: { path: '^packages/adapters/([^/]+)\\.ts$', pathNot: TESTS },
      to: {
        path: '^packages/adapters/',
        pathNot:
          '^packages/adapters/($1-[a-z-]+|absence|attribute-values|attributes|capabilities|closures|column-types|computed-tests|condition|column-source|deferred-tables|hexadecimal|masks|mikro-orm-schemas|overlaps|sequelize-schemas|spellings|sql-exports|store|translation)\\.ts$',
      },
    },
    {
      name: 'only-its-command-needs-the-editor',
      comment:
        'no other command, and no package that programs import, loads a language server; a chunk of the page does',
      severity: 'error',
      from: {
        pathNot:
          '^packages/editor/|^packages/cli/commands/lsp\\.ts$|^packages/playground/playground/language\\.ts$|^tests/',
      },
      to: { path: '^packages/editor/|^node_modules/vscode-' },
    },
    {
      name: 'only-its-command-reads-applications',
      comment: 'ts-morph is an optional peer, of which other commands load nothing',
      severity: 'error',
      from: { pathNot: '^packages/usages/|^packages/cli/(commands|findings)/usages\\.ts$|^(scripts|tests)/' },
      to: { path: '^packages/usages/|^node_modules/ts-morph/' },
    },
    {
      name: 'usages-know-policies-as-written',
      severity: 'error',
      from: { path: '^packages/usages/', pathNot: TESTS },
      to: { path: '^compiler/(?!ast/|diagnostics/|package-names\\.ts$)' },
    },
    {
      name: 'examples-are-users',
      comment: 'they import the package, by its own names, and what was generated for them',
      severity: 'error',
      from: { path: '^examples/', pathNot: '/generated/|^examples/templates/' },
      to: {
        path: '^(compiler|runtime|server|proto|packages|generated|scripts|tests|bench)/',
        pathNot: '^packages/client/(index|grpc)\\.ts$|^packages/adapters/kysely\\.ts$|^runtime/residual/filters\\.ts$',
      },
    },
    {
      name: 'the-product-knows-no-user',
      comment: 'the page shows the policies of this repository, and the site contains the page',
      severity: 'error',
      from: { path: '^(compiler|runtime|server|proto|packages)/', pathNot: `^packages/(site|playground)/|${TESTS}` },
      to: { path: '^(generated|policies|scripts|tests|bench|examples)/' },
    },
    {
      name: 'fflate-is-for-archives',
      severity: 'error',
      from: { pathNot: `^packages/bundle/|${TESTS}` },
      to: { path: '^node_modules/fflate/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules/\\.cache)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
