import { runAuthzc } from './authzc-program.js';
import { delayOptimisation } from './delay-optimisation.js';
import { EXIT, printMessage } from './exit.js';
import { handleLostOutput } from './lost-output.js';
import { PROCESS_CONTEXT } from './process-context.js';

/** The command line of this process. */
const [, , ...words] = process.argv;
// A compilation has the process to itself.
if (words[0] === 'compile') delayOptimisation();
handleLostOutput(PROCESS_CONTEXT);
process.exitCode = hasFolder() ? await runAuthzc(words, PROCESS_CONTEXT) : EXIT.failed;

/** Whether the working directory is still there: without it, no path can be resolved. Prints a message if it is not. */
function hasFolder(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    printMessage(PROCESS_CONTEXT, 'the working directory was removed: change to another one');
    return false;
  }
}
