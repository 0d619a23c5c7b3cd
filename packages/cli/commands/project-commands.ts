import { type Command, Option } from 'commander';
import type { OnEnd } from '../command.js';
import type { CommandContext } from '../context.js';
import { TEMPLATES } from '../project/template-names.js';

/** Adds the commands that begin with a project: it is made, or moved from Cerbos. */
export function addProjectCommands(program: Command, context: CommandContext, onEnd: OnEnd): void {
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
      const { initCommand } = await import('./init.js');
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
      const { migrateCommand } = await import('./migrate.js');
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
      const { migrateAccesscontrolCommand } = await import('./migrate-accesscontrol.js');
      onEnd(await migrateAccesscontrolCommand(file, options, context));
    });
}
