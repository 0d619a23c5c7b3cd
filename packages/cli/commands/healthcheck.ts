import { parseDuration } from '../../../server/config/duration.js';
import { askGrpc, askHttp, type HealthAnswer, openConnection } from '../health/ask.js';
import type { CommandContext } from '../context.js';
import { EXIT, printError, UsageError } from '../exit.js';
import { type HealthTarget, type TargetOptions, makeTarget } from '../health/target.js';

/** The command line options of `healthcheck`. */
export interface HealthcheckOptions extends TargetOptions {
  readonly timeout: string;
}

/**
 * `healthcheck` (docs/spec/server.md#command-line): asks a server by gRPC or HTTP whether it serves, and prints its
 * answer. Returns the exit code: it serves, it does not or cannot be asked, wrong arguments.
 */
export async function healthcheck(options: HealthcheckOptions, context: CommandContext): Promise<number> {
  try {
    const timeout = parseDuration(options.timeout);
    if (timeout === undefined || timeout <= 0)
      throw new UsageError(`\`--timeout\` must be a duration such as \`2s\`, not \`${options.timeout}\``);
    const target = makeTarget(options, context.env);
    const { serving, text } = await ask(target, options.kind, timeout);
    context.stdout.write(`${text}\n`);
    return serving ? EXIT.done : EXIT.failed;
  } catch (error) {
    printError(unreached(error), context);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

/** A failure to connect in words; any other failure as it is. */
function unreached(error: unknown): unknown {
  const { code, address, port } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  if (code !== 'ECONNREFUSED' && code !== 'ENOENT') return error;
  const where = port === undefined ? address : `${address}:${port}`;
  return new Error(`no server listens at ${where}; \`--host-port\` names another address`);
}

/** Rejects if there is no response within the timeout (milliseconds). Closes the connection in any case. */
async function ask(target: HealthTarget, kind: 'grpc' | 'http', timeout: number): Promise<HealthAnswer> {
  const attempt = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${timeout} ms`)), timeout);
  });
  try {
    const socket = openConnection(target, kind === 'grpc' ? 'h2' : 'http/1.1', attempt.signal);
    return await Promise.race([socket.then(kind === 'grpc' ? askGrpc : askHttp), late]);
  } finally {
    clearTimeout(timer);
    attempt.abort();
  }
}
