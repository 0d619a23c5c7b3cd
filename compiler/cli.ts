#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { EXIT } from './cli/exit.js';
import { OUTPUT_FORMATS } from './cli/report.js';
import { version } from './version.js';

/** The command `authzc`: arguments, exit codes, terminal. What it does is in cli/. */
const program = new Command('authzc')
  .description('compiles authorization policies to TypeScript, and serves them')
  .version(version)
  .exitOverride()
  .showHelpAfterError('(authzc --help lists the commands)');

program
  .command('compile')
  .description('compile a folder of policies')
  .argument('[dir]', 'the folder of the policies', 'policies')
  .option('--out <dir>', 'the folder of the generated modules', 'generated')
  .option('--bundle <file>', 'the file of the bundle', 'dist/policies.js')
  .addOption(new Option('--check', 'fail when the generated modules are not what the policies give; write nothing').conflicts('emit'))
  .option('--no-emit', 'only report problems; write nothing')
  .addOption(new Option('-o, --output <format>', 'how to show problems').choices([...OUTPUT_FORMATS]).default('pretty'))
  .addOption(new Option('--fail-on <severity>', 'from which severity on a problem fails the compilation').choices(['error', 'warning']).default('error'))
  .option('--strict-types', 'refuse attributes that the JSON schemas do not know, or do not require and nothing guards')
  .action(async (directory, options) => {
    const { compileCommand } = await import('./cli/compile-command.js');
    process.exitCode = await compileCommand(directory, options);
  });

program
  .command('serve')
  .description('compile a folder of policies in memory and serve it; writes nothing')
  .argument('[dir]', 'the folder of the policies; storage.disk.directory of the configuration when absent')
  .option('--config <file>', 'the configuration file')
  .option('--set <key=value>', 'override a key of the configuration; may be repeated', collect, [])
  .option('--watch', 'compile again when a policy changes')
  .action(async (directory, options) => {
    const { serveCommand } = await import('./cli/serve-command.js');
    process.exitCode = await serveCommand(directory, options);
  });

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value];
}

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
