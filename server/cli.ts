import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { ConfigError, loadConfig } from './config.js';
import { type Bundle, startServer } from './main.js';
import { readyLine, stopOnSignal } from './process.js';
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

program.parse();
await run(program.opts<Options>());

interface Options {
  readonly config?: string;
  readonly set: readonly string[];
  readonly bundle: string;
}

async function run(options: Options): Promise<void> {
  try {
    const { config, warnings } = loadConfig({ file: options.config, sets: options.set });
    for (const warning of warnings) console.error(`warning: ${warning}`);
    const bundle = await loadBundle(options.bundle);
    const server = await startServer(config, bundle);
    stopOnSignal(server);
    // Last, for whoever reads the line may tell the server to stop at once.
    console.log(readyLine(server));
  } catch (error) {
    console.error(`authz: error: ${messageOf(error)}`);
    process.exit(START_FAILURE);
  }
}

async function loadBundle(file: string): Promise<Bundle> {
  if (!existsSync(file)) throw new ConfigError('no such bundle; `authzc compile --bundle` makes one', file);
  const exported = (await import(pathToFileURL(file).href)) as Partial<Bundle>;
  if (exported.policies === undefined) throw new ConfigError('is no compiled bundle: it exports no `policies`', file);
  return exported as Bundle;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}
