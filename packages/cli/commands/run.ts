import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { constants } from 'node:os';
import { type Config, loadConfig } from '../../../server/config.js';
import { placed } from '../../../server/config/config-error.js';
import { parseDuration } from '../../../server/config/duration.js';
import { type Bundle, type RunningServer, startServer } from '../../../server/main.js';
import { type LogOptions, openLog } from '../../../server/observe/log/open-log.js';
import { openAudit } from '../../../server/process.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, printMessage, UsageError } from '../exit.js';
import { folderCompiler, servedParts } from '../policies/served-folder.js';
import { explainReadError } from '../../../server/read-error.js';

/** The command line options of `authzc run`. */
export interface RunOptions {
  readonly config?: string;
  readonly set: readonly string[];
  readonly logLevel?: string;
  readonly timeout: string;
}

/**
 * `authzc run`: serves a folder of policies while a program runs. AUTHZ_HTTP and AUTHZ_GRPC tell the program the
 * addresses (docs/spec/server.md#command-line). Returns the exit code of the program, 127 if it cannot be started, 1 or
 * 3 if there is nothing to serve.
 */
export async function runCommand(
  words: readonly string[],
  options: RunOptions,
  context: CommandContext,
): Promise<number> {
  const patience = parseDuration(options.timeout);
  if (patience === undefined || patience <= 0)
    throw new UsageError(`--timeout: \`${options.timeout}\` must be a duration such as \`30s\``);
  const { config, places, isDefault } = readConfig(options, context);
  const folder = config.policyDirectory ?? 'policies';
  if (isDefault) mkdirSync(folder, { recursive: true });
  const served = { whenEmpty: 'warn', ...servedParts(config) } as const;
  const compiled = await folderCompiler(folder, served, context)();
  if (compiled === undefined) return EXIT.refused;

  const server = await within(
    patience,
    started(config, compiled, { level: options.logLevel, environment: context.env }),
  ).catch((error: unknown) => {
    throw placed(error, places);
  });
  const program = startProgram(words, surroundings(server, config, context), context);
  const release = endWithSignals(program, context);
  try {
    return await program.ended;
  } finally {
    release();
    await server.close();
  }
}

/** The configuration file of a project. Without one, the server only listens on the loopback interface. */
const USUAL_FILE = '.authz.yaml';
const LOOPBACK = ['server.httpListenAddr=127.0.0.1:3592', 'server.grpcListenAddr=127.0.0.1:3593'];

function readConfig(
  { config: named, set }: RunOptions,
  context: CommandContext,
): Pick<ReturnType<typeof loadConfig>, 'config' | 'places'> & { readonly isDefault: boolean } {
  const file = named ?? (existsSync(USUAL_FILE) ? USUAL_FILE : undefined);
  const sets = file === undefined ? [...LOOPBACK, ...set] : set;
  const { config, warnings, places } = loadConfig({ file, sets, environment: context.env });
  for (const warning of warnings) printNote(context, `warning: ${warning}`);
  return { config, places, isDefault: file === undefined };
}

/** Standard output belongs to the program: unless a level is set, only errors are logged, to standard error. */
async function started(
  config: Config,
  compiled: Bundle,
  { level = 'error', environment }: Pick<LogOptions, 'level' | 'environment'>,
): Promise<RunningServer> {
  const log = openLog({ level, environment });
  return startServer(config, compiled, { log, audit: await openAudit(config, log) });
}

/** A server that starts after the timeout is closed at once. */
async function within(milliseconds: number, starting: Promise<RunningServer>): Promise<RunningServer> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error('the server did not start in time'));
      starting.then(
        (server) => server.close(),
        () => undefined,
      );
    }, milliseconds);
  });
  try {
    return await Promise.race([starting, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The environment of the program: AUTHZ_HTTP and AUTHZ_GRPC, and under an alias the variables of its name, such as
 * CERBOS_HTTP, which programs for that PDP read. Variables that the caller has set are not changed.
 */
function surroundings(
  { httpAddress, grpcAddress }: RunningServer,
  { server }: Config,
  { env }: CommandContext,
): NodeJS.ProcessEnv {
  const http = httpAddress.startsWith('unix:')
    ? httpAddress
    : `${server.tls === undefined ? 'http' : 'https'}://${reachable(httpAddress)}`;
  const names = ['authz', ...server.aliases.map((alias) => alias.package)].map((name) => name.toUpperCase());
  const addresses = names.flatMap((name) => [
    [`${name}_HTTP`, http],
    [`${name}_GRPC`, reachable(grpcAddress)],
  ]);
  return { ...(Object.fromEntries(addresses) as NodeJS.ProcessEnv), ...env };
}

/** A server that listens on all addresses is reached on the loopback interface. */
function reachable(address: string): string {
  return address.replace(/^(?:0\.0\.0\.0|\[?::\]?)(?=:\d+$)/, '127.0.0.1');
}

/**
 * Forwards signals to the program, whose exit ends the server; the second signal kills the program. Returns a function
 * that removes the handlers.
 */
function endWithSignals(program: StartedProgram, { signals }: CommandContext): () => void {
  let isEnding = false;
  const end = (signal: NodeJS.Signals): void => {
    program.kill(isEnding ? 'SIGKILL' : signal);
    isEnding = true;
  };
  signals.on('SIGINT', end);
  signals.on('SIGTERM', end);
  return () => {
    signals.off('SIGINT', end);
    signals.off('SIGTERM', end);
  };
}

/** A program that runs beside this one, on the same terminal. */
export interface StartedProgram {
  /**
   * Its exit code; as shells have it, 127 when it cannot be started, and 128 with the number of the signal that ended
   * it.
   */
  readonly ended: Promise<number>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Starts a program: its name and its arguments. No shell reads them. */
export function startProgram(
  [name = '', ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
  context: Pick<CommandContext, 'stderr'>,
): StartedProgram {
  const child = spawn(name, args, { env: environment, stdio: 'inherit' });
  const ended = new Promise<number>((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      // A signal that cannot be sent is an error too, and ends nothing.
      if (child.pid !== undefined) return;
      printMessage(
        context,
        `\`${name}\` cannot be started: ${error.code === 'ENOENT' ? 'command not found' : explainReadError(error)}`,
      );
      resolve(NOT_STARTED);
    });
    child.on('exit', (code, signal) => resolve(code ?? SIGNALLED + constants.signals[signal as NodeJS.Signals]));
  });
  return { ended, kill: (signal) => void child.kill(signal) };
}

const NOT_STARTED = 127;
const SIGNALLED = 128;
