import type { CommandContext } from './context.js';
import { EXIT, printMessage } from './exit.js';
import { whyNotWritten } from './outputs/replace-files.js';

/**
 * Decides what follows when standard output or standard error of a command cannot be written. If its reader closed it
 * early, as `authzc inspect | head` does, the command ends as it would otherwise: one that writes files must not end in
 * the middle. After any other failure, such as a full disk, it fails, as its output is lost.
 */
export function handleLostOutput(context: CommandContext): void {
  const { stdout, stderr, exit } = context;
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') return;
      if (stream === stdout) printMessage(context, `cannot write to standard output: ${whyNotWritten(error)}`);
      exit(EXIT.failed);
    });
}
