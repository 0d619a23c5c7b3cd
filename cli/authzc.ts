#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { addServerCommands, collect } from './commands/server-commands.js';
import { EXIT } from './exit.js';
import { OUTPUT_FORMATS } from './report.js';
import { addTestOptions } from './policies/test-options.js';
import { version } from '../compiler/version.js';

/** The command `authzc`: arguments, exit codes, terminal. What it does is in cli/. */
const program = new Command('authzc')
  .description('compiles authorization policies to TypeScript, and serves them')
  .version(version)
  .exitOverride()
  // What follows the program of `run` is the program's.
  .enablePositionalOptions()
  .showHelpAfterError('(authzc --help lists the commands)');

program
  .command('init')
  .description('make a project: policies, schemas, a test, CI; overwrites nothing')
  .argument('[dir]', 'the folder of the project', '.')
  .action(async (directory) => {
    const { initCommand } = await import('./commands/init.js');
    process.exitCode = await initCommand(directory);
  });

addTestOptions(
  program
    .command('compile')
    .description('compile a folder of policies, and run the tests in it')
    .argument('[dir]', 'the folder of the policies', 'policies')
    .option('--out <dir>', 'the folder of the generated modules', 'generated')
    .option('--bundle <file>', 'the file of the bundle', 'dist/policies.js')
    .addOption(
      new Option('--check', 'fail when the generated modules are not what the policies give; write nothing').conflicts(
        'emit',
      ),
    )
    .option('--no-emit', 'only report problems; write nothing, and run tests only where --tests names them')
    .addOption(
      new Option('-o, --output <format>', 'how to show problems').choices([...OUTPUT_FORMATS]).default('pretty'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'from which severity on a problem fails the compilation')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .option('--checks-only', 'leave out what plans and strict evaluation need: for browsers and the edge')
    .option(
      '--strict-types',
      'refuse attributes that the JSON schemas do not know, or do not require and nothing guards',
    )
    .option('--skip-tests', 'leave the tests alone')
    .option('--allow-empty', 'compile a folder without policies: its bundle denies everything'),
).action(async (directory, options) => {
  const { compileCommand } = await import('./commands/compile.js');
  process.exitCode = await compileCommand(directory, options);
});

addTestOptions(
  program
    .command('test')
    .description('run the tests of a folder of policies: its files *_test.yaml, with their fixtures in testdata')
    .argument('[dir]', 'the folder of the policies', 'policies')
    .addOption(
      new Option('-o, --output <format>', 'how to show problems of policies, and results')
        .choices(['tree', 'list', 'json'])
        .default('tree'),
    )
    .addOption(
      new Option('--enforce-schemas', 'deny where attributes do not satisfy their schemas').conflicts('ignoreSchemas'),
    )
    .option('--no-color', 'write without colours')
    .option('--pass-with-no-tests', 'succeed when the folder has no tests'),
).action(async (directory, options) => {
  const { testCommand } = await import('./commands/test.js');
  process.exitCode = await testCommand(directory, options);
});

program
  .command('plan')
  .description('print which resources of a kind a principal may act on, as a filter')
  .argument('[dir]', 'the folder of the policies', 'policies')
  .requiredOption(
    '--principal <file>',
    'who asks, YAML or JSON: id, roles, attr, scope, policyVersion; - is standard input',
  )
  .requiredOption('--kind <kind>', 'the kind of the resources')
  .requiredOption(
    '--action <action>',
    'an action; repeat it for filters of several actions, all of which must be allowed',
    collect,
  )
  .option('--scope <scope>', 'the scope of the resources')
  .option('--policy-version <version>', 'the version of the policies')
  .option('--attr <file>', 'attributes that all the resources have, YAML or JSON')
  .option('--aux-data <file>', 'claims of tokens, taken to be verified, YAML or JSON: jwt, jwts')
  .option('--reference-shapes', 'write the filter as the reference does')
  .addOption(
    new Option('-o, --output <format>', 'how to show the filter').choices(['tree', 'text', 'json']).default('tree'),
  )
  .action(async (directory, options) => {
    const { planCommand } = await import('./commands/plan.js');
    process.exitCode = await planCommand(directory, options);
  });

program
  .command('check')
  .description('decide whether a principal may act on one resource')
  .argument('[dir]', 'the folder of the policies', 'policies')
  .requiredOption(
    '--principal <file>',
    'who asks, YAML or JSON: id, roles, attr, scope, policyVersion; - is standard input',
  )
  .requiredOption('--resource <file>', 'the resource, YAML or JSON: kind, id, attr, scope, policyVersion')
  .requiredOption('--action <action>', 'an action; may be repeated', collect)
  .option('--aux-data <file>', 'claims of tokens, taken to be verified, YAML or JSON: jwt, jwts')
  .addOption(new Option('-o, --output <format>', 'how to show the decisions').choices(['text', 'json']).default('text'))
  .action(async (directory, options) => {
    const { checkCommand } = await import('./commands/check.js');
    process.exitCode = await checkCommand(directory, options);
  });

program
  .command('inspect')
  .description(
    'list what policies mention: actions, attributes, derived roles, variables, constants; they need not compile',
  )
  .argument('[dir]', 'the folder of the policies', 'policies')
  .argument('[ids...]', 'the ids of the policies to show, such as resource.album.vdefault; all when there are none')
  .option('--name-regexp <regexp>', 'only policies whose resource, principal, role or set has such a name')
  .option('--version-regexp <regexp>', 'only policies of such versions')
  .option('--scope-regexp <regexp>', 'only policies of such scopes')
  .option('--include-disabled', 'disabled policies too')
  .option('--no-headers', 'as text, the values alone')
  .addOption(
    new Option('-o, --output <format>', 'how to show them')
      .choices(['text', 'json', 'prettyjson', 'yaml'])
      .default('text'),
  )
  .action(async (directory, ids, options) => {
    const { inspectCommand } = await import('./commands/inspect.js');
    process.exitCode = inspectCommand(directory, ids, options);
  });

program
  .command('repl')
  .description('evaluate CEL expressions and the conditions of a policy as they are entered')
  .option('--history <file>', 'keep what is entered in a terminal for the next time')
  .action(async (options) => {
    const { replCommand } = await import('./commands/repl.js');
    process.exitCode = await replCommand(options);
  });

program
  .command('serve')
  .description('compile a folder of policies in memory and serve it; writes nothing')
  .argument('[dir]', 'the folder of the policies; storage.disk.directory of the configuration when absent')
  .option('--config <file>', 'the configuration file')
  .option('--set <key=value>', 'override a key of the configuration; may be repeated', collect, [])
  .option('--watch', 'compile again when a policy changes')
  .option('--allow-empty', 'serve a folder without policies: every request is denied')
  .action(async (directory, options) => {
    const { serveCommand } = await import('./commands/serve.js');
    process.exitCode = await serveCommand(directory, options);
  });

program
  .command('run')
  .description('serve a folder of policies while a program runs, which finds the server in AUTHZ_HTTP and AUTHZ_GRPC')
  .argument('<program...>', 'the program and its arguments')
  .option('--config <file>', 'the configuration file; .authz.yaml when there is one')
  .option('--set <key=value>', 'override a key of the configuration; may be repeated', collect, [])
  .addOption(
    new Option('--log-level <level>', 'what the server logs')
      .choices(['debug', 'info', 'warn', 'error'])
      .default('error'),
  )
  .option('--timeout <duration>', 'how long the server may take to start', '30s')
  .passThroughOptions()
  .action(async (words, options) => {
    const { runCommand } = await import('./commands/run.js');
    process.exitCode = await runCommand(words, options);
  });

addServerCommands(program);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

/** Commander has said what is wrong with the arguments; anything else is said here, in one line. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  console.error(`authzc: ${error instanceof Error ? error.message : String(error)}`);
  return EXIT.failed;
}
