/** The one-way streets of ARCHITECTURE.md, "Boundaries". Type imports count. */
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
      from: { path: '^compiler/(ast|cel|ir|diagnostics)/', pathNot: TESTS },
      to: { path: `^compiler/(${STAGES}|cli)(/|\\.ts)|^runtime/|^server/` },
    },
    {
      name: 'compiler-stands-alone',
      comment: 'only the command line knows the server',
      severity: 'error',
      from: { path: '^compiler/', pathNot: `^compiler/cli/(serve-command|server-commands)\\.ts$|${TESTS}` },
      to: { path: '^server/|^generated/' },
    },
    {
      name: 'runtime-stands-alone',
      severity: 'error',
      from: { path: '^runtime/', pathNot: TESTS },
      to: { path: '^(compiler|server|generated|proto|scripts|tests)/' },
    },
    {
      name: 'runtime-has-no-platform',
      comment: 'it runs in browsers and at the edge; re2js is its one package',
      severity: 'error',
      from: { path: '^runtime/', pathNot: TESTS },
      to: { dependencyTypes: ['core', 'npm'], pathNot: '^node_modules/re2js/' },
    },
    { name: 'cel-is-the-floor', severity: 'error', from: { path: '^runtime/cel/', pathNot: TESTS }, to: { path: '^runtime/(residual|policy|engine)/' } },
    { name: 'policy-knows-no-engine', severity: 'error', from: { path: '^runtime/policy/', pathNot: TESTS }, to: { path: '^runtime/engine/' } },
    {
      name: 'the-compiler-runs-no-engine',
      comment: 'folding and validating use runtime/cel, dispatch uses the globs of runtime/policy',
      severity: 'error',
      from: { path: '^compiler/', pathNot: `^compiler/cli/|${TESTS}` },
      to: { path: '^runtime/engine/' },
    },
    { name: 'generated-is-called-by-the-engine', severity: 'error', from: { path: '^generated/' }, to: { path: '^(runtime/engine|compiler|server)/' } },
    { name: 'transports-do-not-decide', severity: 'error', from: { path: '^server/transport/', pathNot: TESTS }, to: { path: '^runtime/engine/|^generated/' } },
    { name: 'the-service-knows-no-transport', severity: 'error', from: { path: '^server/service/', pathNot: TESTS }, to: { path: '^server/transport/' } },
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
    { name: 'audit-knows-no-transport', severity: 'error', from: { path: '^server/audit/', pathNot: TESTS }, to: { path: '^server/(transport|workers|swap|observe)/' } },
    { name: 'sqlite-is-for-the-local-audit-log', severity: 'error', from: { pathNot: `^server/audit/local/|^tests/|${TESTS}` }, to: { path: '^node_modules/node-sqlite3-wasm/' } },
    { name: 'kafka-is-for-audit', severity: 'error', from: { pathNot: `^server/audit/kafka/|^tests/|${TESTS}` }, to: { path: '^node_modules/@platformatic/' } },
    { name: 'bcrypt-is-for-the-admin', severity: 'error', from: { pathNot: `^server/audit/|${TESTS}` }, to: { path: '^node_modules/bcryptjs/' } },
    { name: 'ts-morph-is-for-emit', severity: 'error', from: { pathNot: `^compiler/emit/|${TESTS}` }, to: { path: '^node_modules/ts-morph/' } },
    { name: 'esbuild-is-for-bundle', severity: 'error', from: { pathNot: '^compiler/bundle/|^scripts/' }, to: { path: '^node_modules/esbuild/' } },
    { name: 'yaml-is-for-reading', severity: 'error', from: { pathNot: `^compiler/parse/|^server/config/|${TESTS}` }, to: { path: '^node_modules/yaml/' } },
    { name: 'the-disk-is-for-load', severity: 'error', from: { path: `^compiler/(?!load/|cli)`, pathNot: TESTS }, to: { path: '^(node:)?fs' } },
    { name: 'no-test-support-in-the-product', severity: 'error', from: { path: '^(compiler|runtime|server)/', pathNot: TESTS }, to: { path: '^tests/|^bench/' } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules/\\.cache)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'], extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'] },
  },
};
