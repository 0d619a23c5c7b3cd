import { loadSettings } from '../../server/config.js';
import { printConfig } from '../../server/config/print.js';
import { EXIT, printError } from '../exit.js';

/** `config print`: prints the effective configuration with the origin of each value. Returns the exit code. */
export function configPrint(options: { readonly config?: string; readonly set: readonly string[] }): number {
  try {
    const settled = loadSettings({ file: options.config, sets: options.set });
    for (const warning of settled.warnings) process.stderr.write(`warning: ${warning}\n`);
    process.stdout.write(printConfig(settled));
    return EXIT.done;
  } catch (error) {
    printError(error);
    return EXIT.failed;
  }
}
