import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { makeProgram } from './command.js';
import { addServerCommands } from './commands/server-commands.js';
import { collect } from './option-values.js';
import { EXIT } from './exit.js';
import { SERVER_CONTEXT } from './process-context.js';
import { isWorkerProcess, limitGarbage, runWorkerProcess } from '../../server/process.js';
import { release } from '../../server/release.js';

/**
 * Runs the command line of dist/server.js, which serves a compiled bundle. It never compiles.
 * @param file the path of the program, which workers run too. The default bundle is beside it, or below the working
 * directory.
 */
export async function runServer(file: string): Promise<void> {
  const context = SERVER_CONTEXT;
  // Lines that cannot be written are dropped, as those of its log are.
  for (const stream of [context.stdout, context.stderr]) stream.on('error', () => {});
  const program = makeProgram('authz-server', context)
    .description('serve authorization decisions from a compiled bundle of policies')
    .version(`${release.version} (${release.commit}, ${release.buildDate})`)
    .exitOverride((usage) => context.exit(usage.exitCode === 0 ? EXIT.done : EXIT.usage));

  program
    .command('serve', { isDefault: true })
    .description('serve a bundle (default)')
    .option('--config <file>', 'configuration file (YAML)', context.env['AUTHZ_CONFIG'])
    .option('--set <key=value>', 'override a configuration key; repeatable', collect, [])
    .option(
      '--bundle <file>',
      `bundle file, if the configuration has no bundle.source (default: ${JSON.stringify(defaultBundle(dirname(file)))})`,
    )
    .option(
      '--log-level <level>',
      'minimum log level: debug, info, warn, error; AUTHZ_LOG_LEVEL takes precedence',
      level,
    )
    .allowExcessArguments(false)
    .action(async (options) => {
      const { serve } = await import('./commands/serve-bundle.js');
      await serve({ ...options, program: file, defaultBundle: defaultBundle(dirname(file)) }, context);
    });

  addServerCommands(program, context, (code) => {
    process.exitCode = code;
  });

  limitGarbage();
  if (isWorkerProcess()) await runWorkerProcess();
  else await program.parseAsync();
}

/** Where `npm run build` and images put it, or else where `authzc compile` does in a project. */
function defaultBundle(folder: string): string {
  const beside = join(folder, 'policies.js');
  return existsSync(beside) ? beside : join('dist', 'policies.js');
}

function level(written: string): string {
  if (['debug', 'info', 'warn', 'error'].includes(written.toLowerCase())) return written.toLowerCase();
  throw new InvalidArgumentError('Allowed choices are debug, info, warn, error.');
}
