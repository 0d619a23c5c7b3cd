import { compileCommand } from '../compiler/cli/compile-command.js';
import { EXIT } from '../compiler/cli/exit.js';

/** The one command of a newcomer: builds the programs, compiles policies/, serves the bundle. */
stopWithParent();
await import('./build.js');
const bundle = 'dist/policies.js';
const code = await compileCommand('policies', { out: 'generated', bundle, emit: true, output: 'pretty' });
// One process: easier to watch, and started sooner. Whoever wants more says so after it.
process.argv.splice(2, 0, '--set', 'server.workers=1');
if (code === EXIT.done) await import(new URL('../dist/server.js', import.meta.url).href);
else process.exitCode = code;

/** npm and the shell between do not pass signals on: when they are gone, this process stops as if it had been told to. */
function stopWithParent(): void {
  const parent = process.ppid;
  const stopOrphan = (): void => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM');
  };
  setInterval(stopOrphan, 250).unref();
}
