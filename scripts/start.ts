import { compileCommand } from '../packages/cli/commands/compile.js';
import { EXIT } from '../packages/cli/exit.js';
import { PROCESS_CONTEXT } from '../packages/cli/process-context.js';
import { stopWithParent } from './stop-with-parent.js';

/** The one command of a newcomer: builds the programs, compiles policies/, serves the bundle. */
stopWithParent();
await import('./build.js');
const bundle = 'dist/policies.js';
const code = await compileCommand(
  'policies',
  { out: 'generated', bundle, emit: true, output: 'pretty' },
  PROCESS_CONTEXT,
);
// One process starts faster and is easier to follow. Flags after it can ask for more.
process.argv.splice(2, 0, '--set', 'server.workers=1');
if (code === EXIT.done) await import(new URL('../dist/server.js', import.meta.url).href);
else process.exitCode = code;
