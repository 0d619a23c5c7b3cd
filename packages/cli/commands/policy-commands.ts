import { Argument, type Command, Option } from 'commander';
import type { OnEnd } from '../command.js';
import type { CommandContext } from '../context.js';
import { LOG_FORMATS } from '../findings/log.js';
import { OUTPUT_FORMATS } from '../report.js';
import { addSolverOptions } from '../policies/comparison-options.js';
import { addCoverageOptions } from '../policies/coverage-options.js';
import { addMutationOptions } from '../policies/mutation-options.js';
import { addSuggestionOptions } from '../policies/suggestion-options.js';
import { addTableOptions } from '../policies/table-options.js';
import { addTestOptions } from '../policies/test-options.js';

/** Adds the commands that compile, test and format policies. */
export function addPolicyCommands(program: Command, context: CommandContext, onEnd: OnEnd): void {
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
        .option('--facts', 'include what `authz/facts` needs to decide while attributes are unknown')
        .option('--checks-only', 'leave out what plans and strict evaluation need; for browsers and edge runtimes')
        .option('--client <file>', 'also write what a browser may know: the kinds, actions and attributes of this file')
        .option('--client-out <file>', 'file of the client projection', 'dist/client.js')
        .option('--strict-types', 'report attributes that are missing from the JSON schemas or optional as errors')
        .option('--skip-tests', 'do not run the tests')
        .option('--allow-empty', 'accept a folder without policies; its bundle denies every request')
        .option('--cache-dir <dir>', 'cache folder; default is node_modules/.cache/authz if node_modules exists')
        .option('--no-cache', 'neither read nor write the cache'),
    ),
    'also report rules that cannot be expressed in SQL over these tables',
  ).action(async (directory, options) => {
    const { compileCommand } = await import('./compile.js');
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
    const { testCommand } = await import('./test.js');
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
      const { lintCommand } = await import('./lint.js');
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
      .option('--rls <file>', 'with --table: script of `authzc rls` that must be up to date')
      .option('--strict-types', 'report attributes that are missing from the JSON schemas or optional as errors'),
    'also report rules that cannot be expressed in SQL over these tables',
  ).action(async (directory, options) => {
    const { ciCommand } = await import('./ci.js');
    onEnd(await ciCommand(directory, options, context));
  });

  program
    .command('fmt')
    .description('format policies, tests and fixtures')
    .addArgument(
      new Argument('[path...]', 'files and folders; - formats standard input to standard output').default(
        ['policies'],
        '"policies"',
      ),
    )
    .option('--check', 'fail if a file is not formatted; writes nothing')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['list', ...LOG_FORMATS]).default('list'))
    .action(async (paths, options) => {
      const { fmtCommand } = await import('./fmt.js');
      onEnd(fmtCommand(paths, options, context));
    });
}
