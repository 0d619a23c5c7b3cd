import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { addServerCommands, collect } from './commands/server-commands.js';
import { EXIT } from './exit.js';
import { limitGarbage } from '../server/heap-growth.js';
import { isWorkerProcess, runWorkerProcess } from '../server/process.js';
import { release } from '../server/release.js';

/** The program dist/server.js: without a command it loads a compiled bundle and serves it. It never compiles. */
const program = new Command('server')
  .description('answers authorization checks from a compiled bundle of policies')
  .version(`${release.version} (${release.commit}, ${release.buildDate})`)
  .exitOverride((usage) => process.exit(usage.exitCode === 0 ? EXIT.done : EXIT.usage));

program
  .command('serve', { isDefault: true })
  .description('serve a bundle; what is done when no command is given')
  .option('--config <file>', 'configuration file (YAML)', process.env['AUTHZ_CONFIG'])
  .option('--set <key=value>', 'override a key of the configuration; may be repeated', collect, [])
  .option('--bundle <file>', 'the compiled policies', fileURLToPath(new URL('policies.js', import.meta.url)))
  .option('--log-level <level>', 'debug, info, warn or error; AUTHZ_LOG_LEVEL overrides it', level)
  .allowExcessArguments(false)
  .action(async (options) => {
    const { serve } = await import('./commands/serve-bundle.js');
    await serve({ ...options, program: fileURLToPath(import.meta.url) });
  });

addServerCommands(program);

limitGarbage();
if (isWorkerProcess()) await runWorkerProcess();
else await program.parseAsync();

function level(written: string): string {
  if (['debug', 'info', 'warn', 'error'].includes(written.toLowerCase())) return written.toLowerCase();
  throw new InvalidArgumentError('It is none of debug, info, warn, error.');
}
