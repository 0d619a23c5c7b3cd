import { hashPassword, LONGEST_PASSWORD } from '../../../server/admin/password-hash.js';
import type { CommandContext } from '../context.js';
import { EXIT, printMessage } from '../exit.js';

/** The command line options of `authzc admin hash`. */
export interface AdminHashOptions {
  readonly username: string;
}

/**
 * `authzc admin hash`: reads a password and prints the keys of the configuration that make it the one of the admin.
 * Returns the exit code.
 */
export async function adminHash({ username }: AdminHashOptions, context: CommandContext): Promise<number> {
  const password = context.stdin.isTTY === true ? await askPassword(context) : readPassword(context);
  if (password === undefined) return EXIT.failed;
  const length = Buffer.byteLength(password);
  if (length === 0 || length > LONGEST_PASSWORD) {
    const problem = length === 0 ? 'the password is empty' : `the password has ${length} bytes`;
    printMessage(context, `${problem}; it must have 1 to ${LONGEST_PASSWORD}, for bcrypt`);
    return EXIT.usage;
  }
  const passwordHash = await hashPassword(password);
  context.stdout.write(
    [
      'server:',
      '  adminAPI:',
      '    enabled: true',
      '    adminCredentials:',
      `      username: ${JSON.stringify(username)}`,
      `      passwordHash: ${passwordHash}`,
      '',
    ].join('\n'),
  );
  return EXIT.done;
}

/** The first line of standard input. */
function readPassword({ readInput }: CommandContext): string {
  return readInput().toString('utf8').split(/\r?\n/, 1)[0] ?? '';
}

/** Undefined if the person cancels. */
async function askPassword({ stdin, stderr }: CommandContext): Promise<string | undefined> {
  const { isCancel, password } = await import('@clack/prompts');
  // Standard output is for the configuration.
  const answer = await password({ message: 'Password of the admin', input: stdin, output: stderr });
  return isCancel(answer) ? undefined : answer;
}
