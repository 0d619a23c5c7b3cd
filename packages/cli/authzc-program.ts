import { Argument, type Command, CommanderError, Option } from 'commander';
import { type OnEnd, programOf } from './command.js';
import { type CommandContext, printNote } from './context.js';
import { addExamples } from './examples.js';
import { addBundleCommands } from './commands/bundle-commands.js';
import { addServerCommands } from './commands/server-commands.js';
import { collect, countOf } from './option-values.js';
import { EXIT, failureMessage, problemsIn } from './exit.js';
import { LOG_FORMATS } from './findings/log.js';
import { OUTPUT_FORMATS } from './report.js';
import {
  addComparisonOptions,
  addSolverOptions,
  ALL_FAILING,
  CHANGES,
  FAILING,
  failing,
} from './policies/comparison-options.js';
import { addCoverageOptions } from './policies/coverage-options.js';
import { nowOption } from './policies/now-option.js';
import { addMutationOptions } from './policies/mutation-options.js';
import { addEngineFlags } from './policies/engine-flags.js';
import { addSuggestionOptions } from './policies/suggestion-options.js';
import { addServeOptions } from './policies/serve-options.js';
import { addTableOptions } from './policies/table-options.js';
import { tenantsOption } from './policies/tenants-option.js';
import { addTestOptions } from './policies/test-options.js';
import { TEMPLATES } from './project/template-names.js';
import { version } from '../../compiler/version.js';

/**
 * Runs `authzc`, in this process. Returns the exit code; a server, or a session with an editor or an agent, runs on.
 *
 * @param words the arguments.
 */
export async function runAuthzc(words: readonly string[], context: CommandContext): Promise<number> {
  let code: number = EXIT.done;
  const program = createProgram(context, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, context);
  }
}

/** The commands of `authzc` and their flags. Each command is a file in packages/cli/commands. */
function createProgram(context: CommandContext, onEnd: OnEnd): Command {
  const program = programOf('authzc', context)
    .description('compile authorization policies to TypeScript, and serve them')
    .version(version)
    .exitOverride()
    // Arguments after the program of `run` belong to that program.
    .enablePositionalOptions()
    .showHelpAfterError('(authzc --help lists the commands)');

  program
    .command('init')
    .description('create a project, or add policies to an existing one; never overwrites files')
    .argument('[dir]', 'project folder', '.')
    .addOption(
      new Option(
        '--template <name>',
        'sample application; default is ts in a new project and none in an existing one',
      ).choices(Object.keys(TEMPLATES)),
    )
    .option('--policies <dir>', 'use these policies instead of a sample; copies a folder from outside the project')
    .option('--packages <dir>', 'install the packages from the archives in this folder instead of the registry')
    .option('--dry-run', 'show the changes without making them')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (directory, options) => {
      const { initCommand } = await import('./commands/init.js');
      onEnd(await initCommand(directory, options, context));
    });

  const migrate = program
    .command('migrate')
    .description(
      'plan the migration of a repository from Cerbos: policies, configuration, container and clients; --write applies it',
    )
    .argument('[dir]', 'repository folder', '.')
    .option('--config <file>', 'server configuration; found by its content by default')
    .option('--compose <file>', 'compose file; default is the files with the usual names')
    .option('--write', 'write the migrated policies, schemas, tests and configuration')
    .option('--server <url>', 'Cerbos server to compare decisions with; default is the one in the configuration')
    .option('--no-server', 'do not compare decisions with a server')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(async (directory, options) => {
      const { migrateCommand } = await import('./commands/migrate.js');
      onEnd(await migrateCommand(directory, options, context));
    });
  migrate
    .command('accesscontrol')
    .description('translate grants of the npm package accesscontrol to policies; --write writes them')
    .argument('<grants>', 'JSON file with grants: the result of getGrants(), getGrantsList() or snapshot()')
    .option('--owner <attribute>', 'attribute of resources that contains the id of the owner', 'ownerId')
    .option('--out <dir>', 'policy folder', 'policies')
    .option('--write', 'write the policies; never overwrites files')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(async (file, options) => {
      const { migrateAccesscontrolCommand } = await import('./commands/migrate-accesscontrol.js');
      onEnd(await migrateAccesscontrolCommand(file, options, context));
    });

  addTableOptions(
    addTestOptions(
      program
        .command('compile')
        .description('compile policies and run their tests')
        .argument('[dir]', 'policy folder', 'policies')
        .option('--out <dir>', 'folder of the generated modules', 'generated')
        .option('--bundle <file>', 'bundle file', 'dist/policies.js')
        .option('--no-bundle', 'write only the generated modules, for an application that imports them')
        .addOption(
          new Option('--check', 'fail if the generated modules are out of date; writes nothing').conflicts('emit'),
        )
        .option('--no-emit', 'report problems without writing files; runs tests only with --tests')
        .addOption(new Option('-o, --output <format>', 'output format').choices([...OUTPUT_FORMATS]).default('pretty'))
        .addOption(
          new Option('--fail-on <severity>', 'minimum severity that fails the build')
            .choices(['error', 'warning'])
            .default('error'),
        )
        .option('--explain', 'include the data that explain needs: the conditions as they were written')
        .option('--checks-only', 'leave out what plans and strict evaluation need; for browsers and edge runtimes')
        .option('--strict-types', 'report attributes that are missing from the JSON schemas or optional as errors')
        .option('--skip-tests', 'do not run the tests')
        .option('--allow-empty', 'accept a folder without policies; its bundle denies every request')
        .option('--cache-dir <dir>', 'cache folder; default is node_modules/.cache/authz if node_modules exists')
        .option('--no-cache', 'neither read nor write the cache'),
    ),
    'also report rules that cannot be expressed in SQL over these tables',
  ).action(async (directory, options) => {
    const { compileCommand } = await import('./commands/compile.js');
    onEnd(await compileCommand(directory, options, context));
  });

  addSolverOptions(
    addSuggestionOptions(
      addMutationOptions(
        addCoverageOptions(
          addTestOptions(
            program
              .command('test')
              .description('run policy tests: *_test.yaml files, with fixtures in testdata')
              .argument('[dir]', 'policy folder', 'policies')
              .addOption(
                new Option('-o, --output <format>', 'output format')
                  .choices(['tree', 'list', 'json', ...LOG_FORMATS])
                  .default('tree'),
              )
              .addOption(
                new Option(
                  '--enforce-schemas',
                  'deny requests whose attributes violate their schemas (default)',
                ).conflicts('ignoreSchemas'),
              )
              .option('--no-color', 'disable colors')
              .option('--pass-with-no-tests', 'succeed if the folder has no tests')
              .addOption(
                new Option('--watch', 'rerun affected tests after each change; Ctrl-C stops').conflicts([
                  'mutate',
                  'mutateOutput',
                  'mutateDir',
                  'minScore',
                  'mutants',
                  'seed',
                  'rule',
                ]),
              ),
          ),
        ),
      ),
    ),
  ).action(async (directory, options) => {
    const { testCommand } = await import('./commands/test.js');
    onEnd(await testCommand(directory, options, context));
  });

  program
    .command('lint')
    .description('report problems in policies; --fix applies safe fixes')
    .argument('[dir]', 'policy folder', 'policies')
    .option('--fix', 'apply safe fixes: those that keep the meaning, or whose intent is unambiguous')
    .addOption(new Option('-o, --output <format>', 'output format').choices([...OUTPUT_FORMATS]).default('pretty'))
    .addOption(
      new Option('--fail-on <severity>', 'minimum severity that fails the command')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .option('--strict-types', 'report attributes that are missing from the JSON schemas or optional as errors')
    .action(async (directory, options) => {
      const { lintCommand } = await import('./commands/lint.js');
      onEnd(lintCommand(directory, options, context));
    });

  addTableOptions(
    program
      .command('ci')
      .description('run every check that a change must pass: formatting, generated code, tests, invariants')
      .argument('[dir]', 'policy folder', 'policies')
      .option('--out <dir>', 'folder of the generated modules', 'generated')
      .addOption(
        new Option('-o, --output <format>', 'output format; all but pretty are one document for all checks')
          .choices(['pretty', ...LOG_FORMATS])
          .default('pretty'),
      )
      .addOption(
        new Option('--fail-on <severity>', 'minimum severity that fails the command')
          .choices(['error', 'warning'])
          .default('warning'),
      )
      .option('--strict-types', 'report attributes that are missing from the JSON schemas or optional as errors'),
    'also report rules that cannot be expressed in SQL over these tables',
  ).action(async (directory, options) => {
    const { ciCommand } = await import('./commands/ci.js');
    onEnd(await ciCommand(directory, options, context));
  });

  program
    .command('fmt')
    .description('format policies, tests and fixtures')
    .argument('[path...]', 'files and folders; - formats standard input to standard output', ['policies'])
    .option('--check', 'fail if a file is not formatted; writes nothing')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['list', ...LOG_FORMATS]).default('list'))
    .action(async (paths, options) => {
      const { fmtCommand } = await import('./commands/fmt.js');
      onEnd(fmtCommand(paths, options, context));
    });

  addTableOptions(
    program
      .command('plan')
      .description('print a filter for the resources on which a principal may perform all actions')
      .argument('[dir]', 'policy folder', 'policies')
      .requiredOption(
        '--principal <file>',
        'file with the principal, YAML or JSON: id, roles, attr, scope, policyVersion; - reads standard input',
      )
      .requiredOption('--kind <kind>', 'resource kind')
      .requiredOption('--action <action>', 'action; repeatable: all of them must be allowed', collect)
      .option('--scope <scope>', 'scope of the resources')
      .option('--policy-version <version>', 'policy version')
      .option('--attr <file>', 'file with attributes that all resources share, YAML or JSON')
      .option('--aux-data <file>', 'file with token claims, assumed to be verified, YAML or JSON: jwt, jwts')
      .addOption(tenantsOption())
      .option('--lenient-scope-search', 'engine option')
      .addOption(nowOption())
      .option('--reference-shapes', 'print the filter in the shape that Cerbos returns')
      .addOption(missingOption())
      .addOption(
        new Option('-o, --output <format>', 'output format').choices(['tree', 'text', 'json', 'sql']).default('tree'),
      ),
    'with -o sql: file with the tables of the resources, YAML or JSON',
  ).action(async (directory, options) => {
    const { planCommand } = await import('./commands/plan.js');
    onEnd(await planCommand(directory, options, context));
  });

  program
    .command('check')
    .description('decide whether a principal may perform actions on a resource')
    .argument('[dir]', 'policy folder', 'policies')
    .requiredOption(
      '--principal <file>',
      'file with the principal, YAML or JSON: id, roles, attr, scope, policyVersion; - reads standard input',
    )
    .requiredOption('--resource <file>', 'file with the resource, YAML or JSON: kind, id, attr, scope, policyVersion')
    .requiredOption('--action <action>', 'action; repeatable', collect)
    .option('--aux-data <file>', 'file with token claims, assumed to be verified, YAML or JSON: jwt, jwts')
    .addOption(tenantsOption())
    .option('--lenient-scope-search', 'engine option')
    .addOption(nowOption())
    .option('--explain', 'explain why each action is allowed or denied')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(async (directory, options) => {
      const { checkCommand } = await import('./commands/check.js');
      onEnd(await checkCommand(directory, options, context));
    });

  program
    .command('explain')
    .description(
      'explain a decision: which rules matched, how their conditions evaluated, and the smallest change that flips it',
    )
    .argument('[dir]', 'policy folder', 'policies')
    .requiredOption(
      '--principal <file>',
      'file with the principal, YAML or JSON: id, roles, attr, scope, policyVersion; - reads standard input',
    )
    .requiredOption('--resource <file>', 'file with the resource, YAML or JSON: kind, id, attr, scope, policyVersion')
    .requiredOption('--action <action>', 'action')
    .option('--aux-data <file>', 'file with token claims, assumed to be verified, YAML or JSON: jwt, jwts')
    .addOption(tenantsOption())
    .option('--lenient-scope-search', 'engine option')
    .addOption(nowOption())
    .option('--near <number>', 'maximum number of change sets to show', countOf, 3)
    .addOption(new Option('--keep <part>', 'part of the request to leave unchanged').choices(['principal', 'resource']))
    .option('--full', 'do not shorten long values')
    .option('--strict-evaluation', 'use strict evaluation: a condition that cannot be evaluated denies the request')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['pretty', 'json']).default('pretty'))
    .action(async (directory, options) => {
      const { explainCommand } = await import('./commands/explain.js');
      onEnd(await explainCommand(directory, options, context));
    });

  addComparisonOptions(
    program
      .command('diff')
      .description('show what a change allows or denies: with a proof, or an example request for each difference')
      .argument('<old>', 'folder, git revision, or range: `main..` compares main with the working tree')
      .argument('[new]', 'folder or git revision; leave out if the first argument is a range')
      .option('--dir <dir>', 'policy folder, in the working tree and in revisions', 'policies')
      .addOption(
        new Option('-o, --output <format>', 'output format')
          .choices(['pretty', 'list', 'json', 'markdown'])
          .default('pretty'),
      )
      .option(
        '--fail-on <results>',
        'results that fail the command: a list of widened, narrowed, undecided, also-changed; or none',
        failing(ALL_FAILING),
        FAILING,
      ),
  ).action(async (old, new_, options) => {
    const { diffCommand } = await import('./commands/diff.js');
    onEnd(await diffCommand(old, new_, options, context));
  });

  addEngineFlags(
    program
      .command('replay')
      .description('replay the requests of audit logs against other policies, and show the decisions that change')
      .argument('<log...>', 'JSON lines files (.gz: compressed) or databases; - reads standard input')
      .requiredOption('--against <set>', 'policy folder, or git revision: REV or REV:FOLDER')
      .option('--kind <glob>', 'only these resource kinds')
      .option('--action <glob>', 'only these actions')
      .option('--since <time>', 'only entries at or after this time, such as 2025-01-31T00:00:00Z')
      .option('--until <time>', 'only entries before this time')
      .addOption(tenantsOption())
      .option('--examples <number>', 'number of examples per change', countOf, 3)
      .option(
        '--fail-on <changes>',
        'results that fail the command: a list of widened, narrowed; or none',
        failing(CHANGES),
        CHANGES,
      )
      .addOption(new Option('-o, --output <format>', 'output format').choices(['pretty', 'json']).default('pretty')),
    {
      globals: 'file with the globals, YAML or JSON',
      schemas: 'whether to deny requests that violate their schemas; default as in --config',
    },
  ).action(async (logs, options) => {
    const { replayCommand } = await import('./commands/replay.js');
    onEnd(await replayCommand(logs, options, context));
  });

  program
    .command('docs')
    .description('print the page of a diagnostic, or list all diagnostics')
    .argument('[code]', 'diagnostic code, such as variable/unused')
    .action(async (code) => {
      const { docsCommand } = await import('./commands/docs.js');
      onEnd(docsCommand(code, context));
    });

  program
    .command('matrix')
    .description('show an access matrix for each kind: roles by actions, with conditions')
    .argument('[dir]', 'policy folder', 'policies')
    .option('--kind <glob>', 'only these kinds')
    .option('--action <glob>', 'only these actions')
    .option('--role <glob>', 'only these roles')
    .option('--scope <scope>', 'only this scope; "" is the root')
    .option('--lenient-scope-search', 'engine option')
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['pretty', 'markdown', 'html', 'json'])
        .default('pretty'),
    )
    .action(async (directory, options) => {
      const { matrixCommand } = await import('./commands/matrix.js');
      onEnd(matrixCommand(directory, options, context));
    });

  program
    .command('who-can')
    .description('list the roles and principals that may perform an action, with conditions')
    .argument('[dir]', 'policy folder', 'policies')
    .option('--kind <kind>', 'resource kind')
    .requiredOption('--action <action>', 'action')
    .option('--id <id>', 'resource id, to evaluate conditions on it')
    .addOption(
      new Option(
        '--resource <file>',
        'file with the resource, YAML or JSON, to evaluate conditions on its id and attributes',
      ).conflicts(['kind', 'id', 'scope']),
    )
    .option('--scope <scope>', 'only this scope; "" is the root')
    .option('--lenient-scope-search', 'engine option')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['pretty', 'json']).default('pretty'))
    .action(async (directory, options) => {
      const { whoCanCommand } = await import('./commands/who-can.js');
      onEnd(whoCanCommand(directory, options, context));
    });

  addComparisonOptions(
    program
      .command('verify')
      .description('prove or refute the invariants of the policies')
      .argument('[dir]', 'policy folder', 'policies')
      .addOption(
        new Option('-o, --output <format>', 'output format')
          .choices(['pretty', 'list', 'json', 'markdown', ...LOG_FORMATS])
          .default('pretty'),
      )
      .option('--allow-undecided', 'succeed even if statements are undecided'),
  ).action(async (directory, options) => {
    const { verifyCommand } = await import('./commands/verify.js');
    onEnd(await verifyCommand(directory, options, context));
  });

  program
    .command('inspect')
    .description(
      'list the actions, attributes, derived roles, variables and constants that policies use, even if they do not compile',
    )
    .argument('[dir]', 'policy folder', 'policies')
    .argument('[ids...]', 'policy ids, such as resource.album.vdefault; default is all policies')
    .option(
      '--name-regexp <regexp>',
      'only policies whose resource, principal, role or derived roles match this regular expression',
    )
    .option('--version-regexp <regexp>', 'only versions that match this regular expression')
    .option('--scope-regexp <regexp>', 'only scopes that match this regular expression')
    .option('--include-disabled', 'include disabled policies')
    .option('--no-headers', 'with -o text: print only the values')
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['text', 'json', 'prettyjson', 'yaml'])
        .default('text'),
    )
    .action(async (directory, ids, options) => {
      const { inspectCommand } = await import('./commands/inspect.js');
      onEnd(inspectCommand(directory, ids, options, context));
    });

  program
    .command('usages')
    .description(
      'check how an application uses its policies: unknown or unused kinds and actions, routes without a guard',
    )
    .argument('[dir]', 'application folder, with its tsconfig.json', '.')
    .option('--policies <dir>', 'policy folder', 'policies')
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['pretty', 'list', 'json', ...LOG_FORMATS])
        .default('pretty'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'minimum severity that fails the command')
        .choices(['error', 'warning', 'none'])
        .default('error'),
    )
    .action(async (directory, options) => {
      const { usagesCommand } = await import('./commands/usages.js');
      onEnd(await usagesCommand(directory, options, context));
    });

  program
    .command('repl')
    .description('evaluate CEL expressions and policy conditions interactively')
    .option('--history <file>', 'save the history of terminal sessions to a file')
    .addOption(nowOption())
    .action(async (options) => {
      const { replCommand } = await import('./commands/repl.js');
      onEnd(await replCommand(options, context));
    });

  addServeOptions(
    program
      .command('dev')
      .description('serve policies on this machine and run their tests, again after each change, with a playground'),
  ).action(async (directory, options) => {
    const { devCommand } = await import('./commands/dev.js');
    onEnd(await devCommand(directory, options, context));
  });

  addServeOptions(
    program.command('serve').description('compile policies in memory and serve them; writes nothing'),
  ).action(async (directory, options) => {
    const { serveCommand } = await import('./commands/serve.js');
    onEnd(await serveCommand(directory, options, context));
  });

  addServeOptions(
    program
      .command('server')
      .description('serve policies under the Cerbos API names as well, for Cerbos SDKs and tools'),
  ).action(async (directory, options) => {
    const { referenceServerCommand } = await import('./commands/serve.js');
    onEnd(await referenceServerCommand(directory, options, context));
  });

  program
    .command('run')
    .description('serve policies while a program runs; passes the addresses in AUTHZ_HTTP and AUTHZ_GRPC')
    .argument('<program...>', 'program and arguments')
    .option('--config <file>', 'configuration file; default is .authz.yaml if it exists')
    .option('--set <key=value>', 'override a configuration key; repeatable', collect, [])
    .addOption(
      new Option('--log-level <level>', 'minimum log level of the server')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('error'),
    )
    .option('--timeout <duration>', 'time limit for the start of the server', '30s')
    .passThroughOptions()
    .action(async (words, options) => {
      const { runCommand } = await import('./commands/run.js');
      onEnd(await runCommand(words, options, context));
    });

  program
    .command('lsp')
    .description('start the language server: diagnostics, fixes, completion and navigation in editors')
    .argument('[dir]', 'policy folder; default is policies in the folder that the editor opened')
    .option('--stdio', 'communicate over standard input and output (always)')
    .action(async (directory) => {
      const { lspCommand } = await import('./commands/lsp.js');
      lspCommand(directory, context);
    });

  program
    .command('mcp')
    .description('start an MCP server with read-only tools: compile, check, explain, plan, test, diff')
    .argument('[dir]', 'policy folder', 'policies')
    .action(async (directory) => {
      const { mcpCommand } = await import('./commands/mcp.js');
      mcpCommand(directory, context);
    });

  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell) => {
      const { completionCommand } = await import('./commands/completion.js');
      onEnd(completionCommand(shell, program, context));
    });

  addBundleCommands(program, context, onEnd);
  addServerCommands(program, context, onEnd)
    .audit.command('verify')
    .description('verify the hash chains of audit logs: finds edited, dropped, inserted and reordered entries')
    .argument('<log...>', 'log files (.gz: compressed) or databases of the `local` backend; - reads standard input')
    .option('--key <file>', 'require checkpoints signed by this Ed25519 public key (PEM); repeatable', collect, [])
    .option(
      '--checkpoint <file>',
      'file with entries that the logs must contain: a state file, or the JSON output of an earlier verification; repeatable',
      collect,
      [],
    )
    .option('--partial', 'accept logs that begin in the middle of a chain because older logs were deleted')
    .option('--reformatted', 'accept entries that a program has parsed and reserialized')
    .addOption(new Option('-o, --output <format>', 'format').choices(['pretty', 'json']).default('pretty'))
    .action(async (logs, options) => {
      const { auditVerify } = await import('./commands/audit-verify.js');
      onEnd(await auditVerify(logs, options, context));
    });
  addExamples(program);
  return program;
}

/** Commander has printed errors in the arguments; any other error is printed here, on one line. */
function exitCodeOf(error: unknown, context: CommandContext): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  for (const each of problemsIn(error)) printNote(context, `authzc: ${failureMessage(each)}`);
  return EXIT.failed;
}

/** `null` is the former word. */
function missingOption(): Option {
  const option = new Option('--missing <word>', 'how the filter expresses that an attribute is missing').default('has');
  const parse = option.choices(['has', 'nulls']).parseArg;
  return option.argParser((word, before: unknown) => parse?.(word === 'null' ? 'nulls' : word, before));
}
