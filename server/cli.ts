import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { loadConfig } from './config.js';
import { openLog } from './observe/log/open-log.js';
import { isWorkerProcess, runProgram, runWorkerProcess } from './process.js';
import { release } from './release.js';

/** The command behind dist/server.js: loads a compiled bundle and serves it. It never compiles. */
const program = new Command('server')
  .description('answers authorization checks from a compiled bundle of policies')
  .version(`${release.version} (${release.commit}, ${release.buildDate})`)
  .option('--config <file>', 'configuration file (YAML)', process.env['AUTHZ_CONFIG'])
  .option('--set <key=value>', 'override a key of the configuration; may be repeated', collect, [])
  .option('--bundle <file>', 'the compiled policies', fileURLToPath(new URL('policies.js', import.meta.url)))
  .allowExcessArguments(false)
  .exitOverride((usage) => process.exit(usage.exitCode === 0 ? 0 : USAGE_ERROR));

/** Exit codes, as those of authzc. */
const START_FAILURE = 1;
const USAGE_ERROR = 2;

if (isWorkerProcess()) await runWorkerProcess();
else {
  program.parse();
  await run(program.opts<Options>());
}

interface Options {
  readonly config?: string;
  readonly set: readonly string[];
  readonly bundle: string;
}

async function run(options: Options): Promise<void> {
  try {
    const { config, warnings } = loadConfig({ file: options.config, sets: options.set });
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
    await runProgram({ program: fileURLToPath(import.meta.url), config, bundleFile: options.bundle, log: openLog() });
  } catch (error) {
    process.stderr.write(`authz: error: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(START_FAILURE);
  }
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
