import { type Command, Option } from 'commander';
import type { OnEnd } from '../command.js';
import type { CommandContext } from '../context.js';
import { collect, parseCount } from '../option-values.js';
import { addSolverOptions, FAILING, failing, timeoutOption } from '../policies/comparison-options.js';
import { LOG_FORMATS } from '../findings/log.js';

/** Adds the commands below `rls`. */
export function addRlsCommands(rls: Command, context: CommandContext, onEnd: OnEnd): void {
  rls
    .command('verify')
    .description('verify that a database enforces what the policies say: policies, grants, roles, views, columns')
    .argument('[dir]', 'policy folder; default is policies')
    .argument('[url]', 'URL of the database; default is DATABASE_URL, or the variables of psql')
    .option('--table <file>', 'file with the tables of the resources and their `rls`, YAML or JSON')
    .option('--kind <kind...>', 'only the tables of these kinds')
    .option('--login <role>', 'role that the application connects as, if the table file does not name it')
    .option(
      '--read-only',
      'create no objects, not even temporary ones; compares the comments of policies, for replicas',
    )
    .option(
      '--rows <number>',
      'also compare this number of rows of each table with check; needs a role that sees all rows',
      parseCount,
    )
    .option('--write', 'with --rows: try statements that change rows, and roll them back; not on a production database')
    .option('--principal <file>', 'with --rows: file with a principal to try, YAML or JSON; repeatable', collect)
    .option('--allow-unknown', 'succeed even if something is neither proved nor refuted')
    .addOption(
      new Option('-o, --output <format>', 'output format').choices(['text', 'json', ...LOG_FORMATS]).default('text'),
    )
    .action(async (directory, url, options) => {
      const { rlsVerifyCommand } = await import('./rls-verify.js');
      onEnd(await rlsVerifyCommand([directory, url], options, context));
    });
  addSolverOptions(
    rls
      .command('diff')
      .description('show how a change of policies or tables affects each statement on a table')
      .argument('<old>', 'folder, git revision, or range: `main..` compares main with the working tree')
      .argument('[new]', 'folder or git revision; leave out if the first argument is a range')
      .option('--dir <dir>', 'policy folder, in the working tree and in revisions', 'policies')
      .option('--table <file>', 'file with the tables of the resources and their `rls`, YAML or JSON')
      .option('--old-table <file>', 'table file of the old state; by default the one in its revision')
      .option('--kind <kind...>', 'only the tables of these kinds')
      .option(
        '--fail-on <results>',
        'results that fail the command: a list of widened, narrowed, undecided; or none',
        failing(FAILING),
        FAILING,
      )
      .addOption(
        new Option('-o, --output <format>', 'output format').choices(['text', 'json', ...LOG_FORMATS]).default('text'),
      )
      .addOption(timeoutOption()),
  ).action(async (old, new_, options) => {
    const { rlsDiffCommand } = await import('./rls-diff.js');
    onEnd(await rlsDiffCommand([old, new_], options, context));
  });
}
