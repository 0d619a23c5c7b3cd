import { runAuthzc } from './authzc-program.js';
import { delayOptimisation } from './delay-optimisation.js';
import { handleLostOutput } from './exit.js';
import { PROCESS_CONTEXT } from './process-context.js';

/** The command line of this process. */
const [, , ...words] = process.argv;
// A compilation has the process to itself.
if (words[0] === 'compile') delayOptimisation();
handleLostOutput(PROCESS_CONTEXT);
process.exitCode = await runAuthzc(words, PROCESS_CONTEXT);
