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
    .description('create a project, or add policies to one; files that exist stay as they are')
    .argument('[dir]', 'the folder of the project', '.')
    .addOption(
      new Option(
        '--template <name>',
        'the sample application; default is ts in a new project, none in another',
      ).choices(Object.keys(TEMPLATES)),
    )
    .option('--policies <dir>', 'use these policies instead of a sample; a folder outside of the project is copied')
    .option('--packages <dir>', 'install the packages from the archives in this folder, instead of the registry')
    .option('--dry-run', 'show the changes, and make none')
    .option('-y, --yes', 'ask nothing')
    .action(async (directory, options) => {
      const { initCommand } = await import('./commands/init.js');
      onEnd(await initCommand(directory, options, context));
    });

  program
    .command('migrate')
    .description(
      'plan how a repository moves from the reference PDP: policies, configuration, container, clients; --write does it',
    )
    .argument('[dir]', 'the folder of the repository', '.')
    .option('--config <file>', 'the configuration of the server; default is what looks like one')
    .option('--compose <file>', 'the compose file; default is those with the usual names')
    .option('--write', 'write the files: policies, schemas, tests, configuration')
    .option(
      '--server <url>',
      'a server of the reference PDP to compare decisions with; default is the one that the configuration describes',
    )
    .option('--no-server', 'ask no server')
    .addOption(new Option('-o, --output <format>', 'format of the report').choices(['text', 'json']).default('text'))
    .action(async (directory, options) => {
      const { migrateCommand } = await import('./commands/migrate.js');
      onEnd(await migrateCommand(directory, options, context));
    });

  addTableOptions(
    addTestOptions(
      program
        .command('compile')
        .description('compile a folder of policies and run its tests')
        .argument('[dir]', 'the folder of the policies', 'policies')
        .option('--out <dir>', 'the folder of the generated modules', 'generated')
        .option('--bundle <file>', 'the bundle file', 'dist/policies.js')
        .addOption(
          new Option('--check', 'write nothing and fail if the generated modules are out of date').conflicts('emit'),
        )
        .option('--no-emit', 'write nothing; only report problems, and run tests only if --tests names them')
        .addOption(
          new Option('-o, --output <format>', 'format of problems').choices([...OUTPUT_FORMATS]).default('pretty'),
        )
        .addOption(
          new Option('--fail-on <severity>', 'minimum severity that fails the build')
            .choices(['error', 'warning'])
            .default('error'),
        )
        .option('--explain', 'add what explains decisions: the conditions as they were written')
        .option('--checks-only', 'leave out what plans and strict evaluation need, for browsers and the edge')
        .option(
          '--strict-types',
          'report attributes that are not in the JSON schemas, or that may be missing, as errors',
        )
        .option('--skip-tests', 'do not run the tests')
        .option('--allow-empty', 'compile a folder without policies; its bundle denies everything')
        .option(
          '--cache-dir <dir>',
          'the folder of the cache; default is node_modules/.cache/authz if node_modules exists',
        )
        .option('--no-cache', 'compile everything again, and do not write to the cache'),
    ),
    'also report the rules that have no SQL condition over these tables',
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
              .description(
                'run the tests of a folder of policies: its *_test.yaml files, with their fixtures in testdata',
              )
              .argument('[dir]', 'the folder of the policies', 'policies')
              .addOption(
                new Option('-o, --output <format>', 'format of compile problems and results')
                  .choices(['tree', 'list', 'json', ...LOG_FORMATS])
                  .default('tree'),
              )
              .addOption(
                new Option(
                  '--enforce-schemas',
                  'deny requests whose attributes violate their schemas, which is the default',
                ).conflicts('ignoreSchemas'),
              )
              .option('--no-color', 'print without colours')
              .option('--pass-with-no-tests', 'succeed if the folder has no tests')
              .addOption(
                new Option(
                  '--watch',
                  'after each change, run the tests again that it can affect; ends with Ctrl-C',
                ).conflicts(['mutate', 'mutateOutput', 'mutateDir', 'minScore', 'mutants', 'seed', 'rule']),
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
    .description('report problems of a folder of policies, and fix those that have a safe fix')
    .argument('[dir]', 'the folder of the policies', 'policies')
    .option('--fix', 'apply the fixes after which the policies mean the same, or what nothing else can be meant by')
    .addOption(new Option('-o, --output <format>', 'format of problems').choices([...OUTPUT_FORMATS]).default('pretty'))
    .addOption(
      new Option('--fail-on <severity>', 'minimum severity that fails').choices(['error', 'warning']).default('error'),
    )
    .option('--strict-types', 'report attributes that are not in the JSON schemas, or that may be missing, as errors')
    .action(async (directory, options) => {
      const { lintCommand } = await import('./commands/lint.js');
      onEnd(lintCommand(directory, options, context));
    });

  addTableOptions(
    program
      .command('ci')
      .description('check all that must hold before a change lands: style, generated code, tests, invariants')
      .argument('[dir]', 'the folder of the policies', 'policies')
      .option('--out <dir>', 'the folder of the generated modules', 'generated')
      .addOption(
        new Option('-o, --output <format>', 'for people, or one document for all checks')
          .choices(['pretty', ...LOG_FORMATS])
          .default('pretty'),
      )
      .addOption(
        new Option('--fail-on <severity>', 'minimum severity of problems that fail')
          .choices(['error', 'warning'])
          .default('warning'),
      )
      .option(
        '--strict-types',
        'report attributes that are not in the JSON schemas, or that may be missing, as errors',
      ),
    'also report the rules that have no SQL condition over these tables',
  ).action(async (directory, options) => {
    const { ciCommand } = await import('./commands/ci.js');
    onEnd(await ciCommand(directory, options, context));
  });

  program
    .command('fmt')
    .description('write policies, tests and fixtures in one style; comments and meaning stay')
    .argument('[path...]', 'files and folders; - reads standard input and prints', ['policies'])
    .option('--check', 'write nothing and fail if a file is not in this style')
    .addOption(
      new Option('-o, --output <format>', 'format of the files that are not in it, and of problems')
        .choices(['list', ...LOG_FORMATS])
        .default('list'),
    )
    .action(async (paths, options) => {
      const { fmtCommand } = await import('./commands/fmt.js');
      onEnd(fmtCommand(paths, options, context));
    });

  addTableOptions(
    program
      .command('plan')
      .description('print a filter that selects the resources of a kind on which a principal may perform the actions')
      .argument('[dir]', 'the folder of the policies', 'policies')
      .requiredOption(
        '--principal <file>',
        'the principal, as YAML or JSON: id, roles, attr, scope, policyVersion; - reads standard input',
      )
      .requiredOption('--kind <kind>', 'the kind of the resources')
      .requiredOption(
        '--action <action>',
        'an action; repeatable: the filter selects resources on which all of them are allowed',
        collect,
      )
      .option('--scope <scope>', 'the scope of the resources')
      .option('--policy-version <version>', 'the version of the policies')
      .option('--attr <file>', 'attributes that all the resources have, as YAML or JSON')
      .option('--aux-data <file>', 'claims of tokens, assumed to be verified, as YAML or JSON: jwt, jwts')
      .addOption(tenantsOption())
      .option('--lenient-scope-search', 'decide as an engine with this option')
      .addOption(nowOption())
      .option('--reference-shapes', 'write the filter in the form of the reference PDP')
      .addOption(missingOption())
      .addOption(
        new Option('-o, --output <format>', 'format of the filter')
          .choices(['tree', 'text', 'json', 'sql'])
          .default('tree'),
      ),
    'with -o sql: the tables of resources, as YAML or JSON',
  ).action(async (directory, options) => {
    const { planCommand } = await import('./commands/plan.js');
    onEnd(await planCommand(directory, options, context));
  });

  program
    .command('check')
    .description('decide whether a principal may perform actions on one resource')
    .argument('[dir]', 'the folder of the policies', 'policies')
    .requiredOption(
      '--principal <file>',
      'the principal, as YAML or JSON: id, roles, attr, scope, policyVersion; - reads standard input',
    )
    .requiredOption('--resource <file>', 'the resource, as YAML or JSON: kind, id, attr, scope, policyVersion')
    .requiredOption('--action <action>', 'an action; repeatable', collect)
    .option('--aux-data <file>', 'claims of tokens, assumed to be verified, as YAML or JSON: jwt, jwts')
    .addOption(tenantsOption())
    .option('--lenient-scope-search', 'decide as an engine with this option')
    .addOption(nowOption())
    .option('--explain', 'show why each action is allowed or denied')
    .addOption(new Option('-o, --output <format>', 'format of the decisions').choices(['text', 'json']).default('text'))
    .action(async (directory, options) => {
      const { checkCommand } = await import('./commands/check.js');
      onEnd(await checkCommand(directory, options, context));
    });

  program
    .command('explain')
    .description(
      'explain a decision: the rules asked, the values of their conditions, and the least change that turns it',
    )
    .argument('[dir]', 'the folder of the policies', 'policies')
    .requiredOption(
      '--principal <file>',
      'the principal, as YAML or JSON: id, roles, attr, scope, policyVersion; - reads standard input',
    )
    .requiredOption('--resource <file>', 'the resource, as YAML or JSON: kind, id, attr, scope, policyVersion')
    .requiredOption('--action <action>', 'the action')
    .option('--aux-data <file>', 'claims of tokens, assumed to be verified, as YAML or JSON: jwt, jwts')
    .addOption(tenantsOption())
    .option('--lenient-scope-search', 'decide as an engine with this option')
    .addOption(nowOption())
    .option('--near <number>', 'the number of sets of changes to show', countOf, 3)
    .addOption(
      new Option('--keep <part>', 'a part of the request that does not change').choices(['principal', 'resource']),
    )
    .option('--full', 'show long values whole')
    .option('--strict-evaluation', 'decide in strict evaluation: a condition that cannot be evaluated denies')
    .addOption(
      new Option('-o, --output <format>', 'format of the explanation').choices(['pretty', 'json']).default('pretty'),
    )
    .action(async (directory, options) => {
      const { explainCommand } = await import('./commands/explain.js');
      onEnd(await explainCommand(directory, options, context));
    });

  addComparisonOptions(
    program
      .command('diff')
      .description('show who may do more or less with one set of policies than with another: proved, or with a request')
      .argument('<old>', 'a folder, a git revision, or a range: `main..` compares main with the files here')
      .argument('[new]', 'a folder or a git revision, unless the first argument is a range')
      .option('--dir <dir>', 'the folder of the policies, here and in revisions', 'policies')
      .addOption(
        new Option('-o, --output <format>', 'format of the report')
          .choices(['pretty', 'list', 'json', 'markdown'])
          .default('pretty'),
      )
      .option(
        '--fail-on <results>',
        'what fails: a list of widened, narrowed, undecided, also-changed; or none',
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
      .description('decide the requests of audit logs with other policies, and show the decisions that change')
      .argument('<log...>', 'files of JSON lines, also gzipped as .gz, or databases; - reads standard input')
      .requiredOption('--against <set>', 'the folder of the policies, or a git revision: REV or REV:FOLDER')
      .option('--kind <glob>', 'only resources of these kinds')
      .option('--action <glob>', 'only these actions')
      .option('--since <time>', 'only entries of this time or later, such as 2025-01-31T00:00:00Z')
      .option('--until <time>', 'only entries before this time')
      .addOption(tenantsOption())
      .option('--examples <number>', 'the number of examples of each change', countOf, 3)
      .option('--fail-on <changes>', 'what fails: a list of widened, narrowed; or none', failing(CHANGES), CHANGES)
      .addOption(
        new Option('-o, --output <format>', 'format of the report').choices(['pretty', 'json']).default('pretty'),
      ),
    {
      globals: 'the globals, as YAML or JSON',
      schemas: 'whether requests that violate their schemas are denied; default as in --config',
    },
  ).action(async (logs, options) => {
    const { replayCommand } = await import('./commands/replay.js');
    onEnd(await replayCommand(logs, options, context));
  });

  program
    .command('docs')
    .description('print the page of a diagnostic, or the list of all')
    .argument('[code]', 'the code, such as variable/unused')
    .action(async (code) => {
      const { docsCommand } = await import('./commands/docs.js');
      onEnd(docsCommand(code, context));
    });

  program
    .command('matrix')
    .description('show who may do what: roles by actions for each kind, with the conditions')
    .argument('[dir]', 'the folder of the policies', 'policies')
    .option('--kind <glob>', 'only these kinds')
    .option('--action <glob>', 'only these actions')
    .option('--role <glob>', 'only these roles')
    .option('--scope <scope>', 'only this scope; the root is an empty string')
    .option('--lenient-scope-search', 'decide as an engine with this option')
    .addOption(
      new Option('-o, --output <format>', 'format of the tables')
        .choices(['pretty', 'markdown', 'html', 'json'])
        .default('pretty'),
    )
    .action(async (directory, options) => {
      const { matrixCommand } = await import('./commands/matrix.js');
      onEnd(matrixCommand(directory, options, context));
    });

  program
    .command('who-can')
    .description('list the roles and principals that may do an action, and under which condition')
    .argument('[dir]', 'the folder of the policies', 'policies')
    .option('--kind <kind>', 'the kind of the resources')
    .requiredOption('--action <action>', 'the action')
    .option('--id <id>', 'the id of the resource: conditions about it are evaluated')
    .addOption(
      new Option(
        '--resource <file>',
        'the resource in YAML or JSON: conditions about its id and attributes are evaluated',
      ).conflicts(['kind', 'id', 'scope']),
    )
    .option('--scope <scope>', 'only this scope; the root is an empty string')
    .option('--lenient-scope-search', 'decide as an engine with this option')
    .addOption(new Option('-o, --output <format>', 'format of the list').choices(['pretty', 'json']).default('pretty'))
    .action(async (directory, options) => {
      const { whoCanCommand } = await import('./commands/who-can.js');
      onEnd(whoCanCommand(directory, options, context));
    });

  addComparisonOptions(
    program
      .command('verify')
      .description('prove or refute the statements of `invariants` documents about the policies')
      .argument('[dir]', 'the folder of the policies', 'policies')
      .addOption(
        new Option('-o, --output <format>', 'format of the report')
          .choices(['pretty', 'list', 'json', 'markdown', ...LOG_FORMATS])
          .default('pretty'),
      )
      .option('--allow-undecided', 'succeed although statements are not decided'),
  ).action(async (directory, options) => {
    const { verifyCommand } = await import('./commands/verify.js');
    onEnd(await verifyCommand(directory, options, context));
  });

  program
    .command('inspect')
    .description(
      'list what policies use: actions, attributes, derived roles, variables, constants; they need not compile',
    )
    .argument('[dir]', 'the folder of the policies', 'policies')
    .argument('[ids...]', 'ids of policies, such as resource.album.vdefault; default is all policies')
    .option('--name-regexp <regexp>', 'only policies whose resource, principal, role or set has a matching name')
    .option('--version-regexp <regexp>', 'only matching versions')
    .option('--scope-regexp <regexp>', 'only matching scopes')
    .option('--include-disabled', 'include disabled policies')
    .option('--no-headers', 'with text: print only the values')
    .addOption(
      new Option('-o, --output <format>', 'format of the list')
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
      'check what an application asks its policies: unknown kinds and actions, unused ones, routes without a guard',
    )
    .argument('[dir]', 'the folder of the application, with its tsconfig.json', '.')
    .option('--policies <dir>', 'the folder of the policies', 'policies')
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['pretty', 'list', 'json', ...LOG_FORMATS])
        .default('pretty'),
    )
    .addOption(
      new Option('--fail-on <severity>', 'minimum severity that fails')
        .choices(['error', 'warning', 'none'])
        .default('error'),
    )
    .action(async (directory, options) => {
      const { usagesCommand } = await import('./commands/usages.js');
      onEnd(await usagesCommand(directory, options, context));
    });

  program
    .command('repl')
    .description('evaluate CEL expressions and the conditions of a policy interactively')
    .option('--history <file>', 'keep the history of a terminal session in a file')
    .addOption(nowOption())
    .action(async (options) => {
      const { replCommand } = await import('./commands/repl.js');
      onEnd(await replCommand(options, context));
    });

  addServeOptions(
    program.command('serve').description('compile a folder of policies in memory and serve it; writes nothing'),
  ).action(async (directory, options) => {
    const { serveCommand } = await import('./commands/serve.js');
    onEnd(await serveCommand(directory, options, context));
  });

  addServeOptions(
    program
      .command('server')
      .description(
        'serve a folder of policies under the names of the reference PDP, too, for its command lines and SDKs',
      ),
  ).action(async (directory, options) => {
    const { referenceServerCommand } = await import('./commands/serve.js');
    onEnd(await referenceServerCommand(directory, options, context));
  });

  program
    .command('run')
    .description('serve a folder of policies while a program runs; AUTHZ_HTTP and AUTHZ_GRPC tell it the addresses')
    .argument('<program...>', 'the program and its arguments')
    .option('--config <file>', 'the configuration file; default is .authz.yaml if it exists')
    .option('--set <key=value>', 'override a key of the configuration; repeatable', collect, [])
    .addOption(
      new Option('--log-level <level>', 'minimum level of the log of the server')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('error'),
    )
    .option('--timeout <duration>', 'how long the server may take to start', '30s')
    .passThroughOptions()
    .action(async (words, options) => {
      const { runCommand } = await import('./commands/run.js');
      onEnd(await runCommand(words, options, context));
    });

  program
    .command('lsp')
    .description('serve an editor: diagnostics, fixes, completion and navigation for policies')
    .argument('[dir]', 'the folder of the policies; default is policies in the folder that the editor has open')
    .option('--stdio', 'communicate over standard input and output, which is the only way')
    .action(async (directory) => {
      const { lspCommand } = await import('./commands/lsp.js');
      lspCommand(directory, context);
    });

  program
    .command('mcp')
    .description('serve agents: compile, check, explain, plan, test and diff as tools that change nothing')
    .argument('[dir]', 'the folder of the policies', 'policies')
    .action(async (directory) => {
      const { mcpCommand } = await import('./commands/mcp.js');
      mcpCommand(directory, context);
    });

  program
    .command('completion')
    .description('print a script that completes commands, flags and their values in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell) => {
      const { completionCommand } = await import('./commands/completion.js');
      onEnd(completionCommand(shell, program, context));
    });

  addBundleCommands(program, context, onEnd);
  addServerCommands(program, context, onEnd)
    .audit.command('verify')
    .description('verify the hash chains of audit logs: finds edited, dropped, inserted and reordered entries')
    .argument('<log...>', 'files (.gz: compressed), databases of the backend `local`, or - for standard input')
    .option('--key <file>', 'Ed25519 public key (PEM) that must have signed the checkpoints; repeatable', collect, [])
    .option(
      '--checkpoint <file>',
      'entries that the logs must have: a state file, or the JSON output of an earlier verification; repeatable',
      collect,
      [],
    )
    .option('--partial', 'accept logs that begin after the start of a chain, as older ones were deleted')
    .option('--reformatted', 'accept entries that a program has read and written again')
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
  const option = new Option('--missing <word>', 'how the filter says that an attribute is missing').default('has');
  const parse = option.choices(['has', 'nulls']).parseArg;
  return option.argParser((word, before: unknown) => parse?.(word === 'null' ? 'nulls' : word, before));
}
