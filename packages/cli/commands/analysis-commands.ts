import { type Command, Option } from 'commander';
import type { OnEnd } from '../command.js';
import type { CommandContext } from '../context.js';
import { addReviewCommands } from './review-commands.js';
import { addRlsCommands } from './rls-commands.js';
import { FACTS_FORMATS } from './facts-formats.js';
import { LOG_FORMATS } from '../findings/log.js';
import { parseCount } from '../option-values.js';
import { addComparisonOptions, ALL_FAILING, CHANGES, FAILING, failing } from '../policies/comparison-options.js';
import { addEngineFlags } from '../policies/engine-flags.js';
import { nowOption } from '../policies/now-option.js';
import { tenantsOption } from '../policies/tenants-option.js';

/** Adds the commands that answer questions about policies, or about a change of them. */
export function addAnalysisCommands(program: Command, context: CommandContext, onEnd: OnEnd): void {
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
    const { diffCommand } = await import('./diff.js');
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
      .option('--examples <number>', 'number of examples per change', parseCount, 3)
      .option('--least', 'list the facts that each decision depends on: without any one of them, it could be different')
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
    const { replayCommand } = await import('./replay.js');
    onEnd(await replayCommand(logs, options, context));
  });

  program
    .command('docs')
    .description('print the page of a diagnostic, or list all diagnostics')
    .argument('[code]', 'diagnostic code, such as variable/unused')
    .action(async (code) => {
      const { docsCommand } = await import('./docs.js');
      onEnd(docsCommand(code, context));
    });

  const rls = program
    .command('rls')
    .description('write policies for PostgreSQL: each principal sees and changes the rows that a check allows')
    .argument('[dir]', 'policy folder', 'policies')
    .option('--table <file>', 'file with the tables of the resources and their `rls`, YAML or JSON')
    .option('--kind <kind...>', 'only the tables of these kinds')
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['sql', 'supabase', 'prisma', 'drizzle', 'json'])
        .default('sql'),
    )
    .option('--out <path>', 'file to write, or the folder of several; by default standard output')
    .option('--name <name>', 'name of the migration, with -o supabase or -o prisma')
    .option('--check <path>', 'compare with this file and write nothing, for CI')
    .option('--drop', 'write statements that drop the policies instead, to run before the types of columns change')
    .action(async (directory, options) => {
      const { rlsCommand } = await import('./rls.js');
      onEnd(rlsCommand(directory, options, context));
    });
  addRlsCommands(rls, context, onEnd);

  program
    .command('matrix')
    .description('show an access matrix for each kind: roles by actions, with conditions')
    .argument('[dir]', 'policy folder', 'policies')
    .option('--kind <glob>', 'only these kinds')
    .option('--action <glob>', 'only these actions')
    .option('--role <glob>', 'only these roles')
    .option('--scope <scope>', 'only this scope; "" is the root')
    .option('--lenient-scope-search', 'search parent scopes if a scope has no policy')
    .option('--users <file>', 'file that declares the table of users, YAML or JSON: count users in each cell')
    .option('--database [url]', 'with --users: database to read; default is DATABASE_URL')
    .option('--data <file>', 'file of principals to count, YAML or JSON')
    .addOption(
      new Option('-o, --output <format>', 'output format')
        .choices(['pretty', 'markdown', 'html', 'json'])
        .default('pretty'),
    )
    .action(async (directory, options) => {
      const { matrixCommand } = await import('./matrix.js');
      onEnd(await matrixCommand(directory, options, context));
    });

  addEngineFlags(
    program
      .command('facts')
      .description('list what each decision can read of a request: attributes, claims, ids, the time')
      .argument('[dir]', 'policy folder', 'policies')
      .option('--kind <glob...>', 'only these kinds')
      .option('--action <glob...>', 'only these actions')
      .option('--role <glob...>', 'only these roles')
      .option('--scope <scope>', 'only this scope; "" is the root')
      .option('--policy-version <version>', 'only this version of the resource policies')
      .addOption(
        new Option(
          '--level <level>',
          'what counts as the decision: the effect, or also outputs, derived roles and violations',
        )
          .choices(['effect', 'response'])
          .default('effect'),
      )
      .addOption(new Option('-o, --output <format>', 'output format').choices(FACTS_FORMATS).default('text'))
      .option('--table <file>', 'with -o columns: file with the tables of the resources, YAML or JSON')
      .option('--lines', 'with -o text: list the lines that read each path')
      .option('--sources <file>', 'server configuration: list only the facts that none of its sources provides')
      .addOption(new Option('--write <file>', 'write the paths to this file, to commit it').conflicts('check'))
      .option('--check <file>', 'in CI: fail if decisions read other paths than this file lists'),
    {
      globals: 'file with the globals, YAML or JSON; they are not part of a request, so they do not matter',
      schemas: 'whether schemas are enforced, so that decisions depend on their properties; default as in --config',
    },
  ).action(async (directory, options) => {
    const { factsCommand } = await import('./facts.js');
    onEnd(factsCommand(directory, options, context));
  });

  addEngineFlags(
    program
      .command('who-can')
      .description('list the roles, or the users of a database, that may perform an action')
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
      .option('--users <file>', 'file that declares the table of users, YAML or JSON: list users instead of roles')
      .option('--data <file>', 'file of principals, YAML or JSON: list these instead of roles')
      .option('--database [url]', 'with --users: database to read; default is DATABASE_URL')
      .addOption(
        new Option('--dialect <dialect>', 'with --users: SQL dialect, by default that of the database').choices([
          'postgresql',
          'mysql',
          'sqlite',
        ]),
      )
      .option('--without <rule>', 'with --users or --data: the list as it would be without this rule')
      .option('--aux-data <file>', 'with --users or --data: file with the claims that all users have, YAML or JSON')
      .addOption(nowOption('with --users or --data: current time in conditions, such as 2025-01-31T00:00:00Z'))
      .addOption(tenantsOption())
      .addOption(
        new Option('-o, --output <format>', 'output format')
          .choices(['pretty', 'json', 'csv', 'sql'])
          .default('pretty'),
      ),
    {
      globals: 'with --users or --data: file with the globals, YAML or JSON',
      schemas: 'whether to deny requests that violate their schemas; default as in --config',
    },
  ).action(async (directory, options) => {
    if (options.users === undefined && options.data === undefined) {
      const { whoCanCommand } = await import('./who-can.js');
      onEnd(whoCanCommand(directory, options, context));
      return;
    }
    const { whoCanUsersCommand } = await import('./who-can-users.js');
    onEnd(await whoCanUsersCommand(directory, options, context));
  });

  addReviewCommands(program, context, onEnd);

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
    const { verifyCommand } = await import('./verify.js');
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
      const { inspectCommand } = await import('./inspect.js');
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
      const { usagesCommand } = await import('./usages.js');
      onEnd(await usagesCommand(directory, options, context));
    });
}
