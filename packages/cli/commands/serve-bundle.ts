import { ConfigError, loadConfig } from '../../../server/config.js';
import { placed } from '../../../server/config/config-error.js';
import { openLog } from '../../../server/observe/log/open-log.js';
import { runProgram } from '../../../server/process.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, printError } from '../exit.js';

/** The command line options of `serve`, and the file of the program, which workers run too. */
export interface ServeOptions {
  readonly program: string;
  readonly config?: string;
  readonly set: readonly string[];
  readonly bundle?: string;
  /** The bundle file if neither an option nor the configuration names a bundle. */
  readonly defaultBundle: string;
  readonly logLevel?: string;
}

/** Serves until a signal; ends the process with one line when it cannot start (docs/spec/server.md#start-failures). */
export async function serve(options: ServeOptions, context: CommandContext): Promise<void> {
  let places: ReadonlyMap<string, string> = new Map();
  try {
    const { config, warnings, ...loaded } = loadConfig({
      file: options.config,
      sets: options.set,
      environment: context.env,
    });
    places = loaded.places;
    for (const warning of warnings) printNote(context, `warning: ${warning}`);
    if (options.bundle !== undefined && config.bundle.source !== undefined)
      throw new ConfigError('`--bundle` contradicts `bundle.source`: use one of them', 'command line');
    await runProgram({
      program: options.program,
      config,
      bundleFile: options.bundle ?? options.defaultBundle,
      log: openLog({ level: options.logLevel, environment: context.env }),
    });
  } catch (error) {
    printError(placed(error, places), context);
    context.exit(EXIT.failed);
  }
}
