import { loadSettings } from '../../../server/config.js';
import { printConfig } from '../../../server/config/print.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, printError } from '../exit.js';

/** `config print`: prints the effective configuration with the origin of each value. Returns the exit code. */
export function configPrint(
  options: { readonly config?: string; readonly set: readonly string[] },
  context: CommandContext,
): number {
  try {
    const settled = loadSettings({ file: options.config, sets: options.set, environment: context.env });
    for (const warning of settled.warnings) printNote(context, `warning: ${warning}`);
    context.stdout.write(printConfig(settled));
    return EXIT.done;
  } catch (error) {
    printError(error, context);
    return EXIT.failed;
  }
}
