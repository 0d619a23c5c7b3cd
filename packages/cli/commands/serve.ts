import { statSync } from 'node:fs';
import { type Config, ConfigError, type ConfigSources, type LoadedConfig, loadConfig } from '../../../server/config.js';
import { REFERENCE_ALIAS } from '../../../server/config/aliases.js';
import { placed } from '../../../server/config/config-error.js';
import { type Bundle, type RunningServer, startServer } from '../../../server/main.js';
import type { LocalAccess } from '../../../server/service/services.js';
import type { Log } from '../../../server/observe/log/logger.js';
import { openLog } from '../../../server/observe/log/open-log.js';
import { endOnSignal, openAudit, logPage, pageAddress, readyLine } from '../../../server/process.js';
import { readState, watchPaths } from '../../../server/watch-paths.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT } from '../exit.js';
import { explaining, isOpenToThisMachine, localAccess } from '../policies/local-access.js';
import { type FolderCompiler, folderCompiler, servedParts } from '../policies/served-folder.js';

/** The command line options of `authzc serve`. */
export interface ServeOptions {
  readonly config?: string;
  readonly set: readonly string[];
  /** The port of both listeners, in place of those of the configuration. */
  readonly port?: number;
  readonly watch?: boolean;
  /** Log level; by default, calls are logged on a terminal only. */
  readonly logLevel?: string;
  /** Whether a folder without policies is served. */
  readonly allowEmpty?: boolean;
  /** `URL#ref:path`: the policies are in a repository. */
  readonly git?: string;
  /** How often the repository is asked. */
  readonly interval: string;
}

/**
 * `authzc serve`: compiles a folder in memory and serves it as dist/server.js would serve its bundle. Returns the exit
 * code when it cannot start; otherwise it runs until a signal.
 */
export async function serveCommand(
  directory: string | undefined,
  options: ServeOptions,
  context: CommandContext,
): Promise<number> {
  const { env } = context;
  const file = options.config ?? env['AUTHZ_CONFIG'];
  const loaded = loadConfig({ file, sets: options.set, environment: env });
  return serveConfigured(directory, options, atPort(loaded, options.port), context);
}

/**
 * `authzc server`: the same for the command lines and files of the reference PDP. The server also has the names of that
 * PDP, unless the configuration names others; without a configuration, it watches `policies`, as that PDP does.
 */
export async function referenceServerCommand(
  directory: string | undefined,
  options: ServeOptions,
  context: CommandContext,
): Promise<number> {
  const { env } = context;
  const file = options.config ?? env['AUTHZ_CONFIG'] ?? env['CERBOS_CONFIG'];
  const loaded = atPort(loadReferenceConfig({ file, sets: options.set, environment: env }), options.port);
  const { server } = loaded.config;
  const aliases = loaded.places.has('server.aliases') ? server.aliases : [REFERENCE_ALIAS];
  return serveConfigured(
    directory,
    { ...options, watch: options.watch ?? (file === undefined && options.git === undefined), allowEmpty: true },
    { ...loaded, config: { ...loaded.config, server: { ...server, aliases } } },
    context,
  );
}

/** Keys of that PDP that have no meaning here are errors. */
function loadReferenceConfig(sources: ConfigSources): LoadedConfig {
  try {
    return loadConfig(sources);
  } catch (error) {
    if (!(error instanceof ConfigError) || sources.file === undefined) throw error;
    const advice = '`authzc migrate` translates a Cerbos configuration, and lists all such keys';
    throw new ConfigError(`${error.problem}; ${advice}`, error.place, error.others);
  }
}

/**
 * The configuration with both listeners at one port: gRPC is at the address of HTTP, even if its own has another host,
 * unless the command line sets that.
 *
 * @param places where the keys are set; those of a command line begin with `--set`.
 */
export function atPort(loaded: LoadedConfig, port: number | undefined, places = loaded.places): LoadedConfig {
  if (port === undefined) return loaded;
  const { config } = loaded;
  const { httpListenAddr: http, grpcListenAddr: grpc } = config.server;
  const httpListenAddr = moved(http, port);
  const isSet = places.get('server.grpcListenAddr')?.startsWith('--set') === true;
  const shared = http.kind === 'tcp' && grpc.kind === 'tcp' ? httpListenAddr : moved(grpc, port);
  const server = { httpListenAddr, grpcListenAddr: isSet ? grpc : shared };
  return { ...loaded, config: { ...config, server: { ...config.server, ...server } } };
}

/** A Unix socket has no port. */
function moved(address: Address, port: number): Address {
  return address.kind === 'tcp' ? { ...address, port } : address;
}

type Address = Config['server']['httpListenAddr'];

/**
 * Serves a folder, or a repository.
 * @param options `isDev`: a person works on the policies, which may not compile yet.
 * @param afterCompile called when policies have compiled, one call after another.
 */
export async function serveConfigured(
  directory: string | undefined,
  options: ServeOptions & { readonly isDev?: boolean },
  loaded: LoadedConfig,
  context: CommandContext,
  afterCompile: () => Promise<void> = async () => {},
): Promise<number> {
  const { warnings, places } = loaded;
  const isOpen = options.git === undefined && isOpenToThisMachine(loaded);
  const config = isOpen ? explaining(loaded.config) : loaded.config;
  for (const warning of warnings) printNote(context, `warning: ${warning}`);

  // A program reads the line that the server is ready; a person also wants to see the calls.
  const level = options.logLevel ?? (context.stdout.isTTY === true ? 'info' : 'warn');
  const log = openLog({ level, environment: context.env });
  if (options.git !== undefined) {
    if (directory !== undefined || options.watch === true)
      throw new ConfigError('`--git` contradicts a folder and `--watch`', 'command line');
    const { serveRepository } = await import('./serve-repository.js');
    return serveRepository(config, { ...options, git: options.git }, log, places, context);
  }

  const folder = directory ?? config.policyDirectory ?? 'policies';
  refuseBundle(folder);
  const whenEmpty = options.allowEmpty === true ? 'warn' : 'refuse';
  // `authzc dev` runs the tests, which print warnings above their results.
  const warns = options.isDev !== true;
  const compiler = folderCompiler(folder, { whenEmpty, ...servedParts(config), warns }, context);
  let since = await readState([folder]);
  let compiled = await compiler();
  while (compiled === undefined && options.isDev === true) {
    since = await nextState(folder, since);
    compiled = await compiler();
  }
  if (compiled === undefined) return EXIT.refused;

  const local = isOpen ? localAccess(folder) : undefined;
  const server = await started(config, compiled, log, local).catch((error: unknown) => {
    throw placed(error, places);
  });
  endOnSignal(server);
  log
    .logger('authz.server')
    .info(
      isOpen
        ? 'programs on this machine see the policies and explanations without credentials; `server.explain.enabled: false` turns this off'
        : 'policies and explanations are shown to the admin only (`server.explain.enabled`); `authzc dev` shows them to programs on this machine without credentials',
    );
  // `authzc dev` prints the address on standard output.
  if (options.isDev !== true) logPage(server, config, log);
  await afterCompile();
  if (options.watch === true || config.watchPolicies)
    recompileOnChange(folder, since, compiler, server, afterCompile, context);
  const page = options.isDev === true ? pageAddress(server, config) : undefined;
  if (page !== undefined) context.stdout.write(`authz: playground and API explorer at ${page}\n`);
  // Printed last: a reader of the line may change a policy or stop the server at once.
  context.stdout.write(`${readyLine(server, config)}\n`);
  return EXIT.done;
}

/** `authz-server` serves bundles. */
function refuseBundle(folder: string): void {
  if (/\.(m?js|authzbundle)$/.test(folder) && statSync(folder, { throwIfNoEntry: false })?.isFile() === true)
    throw new Error(
      `\`${folder}\` is a bundle, not a folder of policies; \`authz-server --bundle ${folder}\` serves it`,
    );
}

async function started(
  config: Config,
  compiled: Bundle,
  log: Log,
  local: LocalAccess | undefined,
): Promise<RunningServer> {
  return startServer(config, compiled, { log, local, audit: await openAudit(config, log) });
}

/** Waits until a folder changes. Returns its state then. */
async function nextState(folder: string, since: string): Promise<string> {
  await new Promise<void>((resolve) => {
    const watch = watchPaths(
      [folder],
      () => {
        watch.close();
        resolve();
      },
      { since },
    );
  });
  return readState([folder]);
}

/**
 * Recompiles and swaps the served policies on each change. While they do not compile, the server keeps the last good
 * ones.
 */
function recompileOnChange(
  folder: string,
  since: string,
  compiler: FolderCompiler,
  server: RunningServer,
  afterCompile: () => Promise<void>,
  context: CommandContext,
): void {
  const recompile = async (): Promise<void> => {
    try {
      const compiled = await compiler();
      if (compiled !== undefined) await server.swap(compiled);
      printNote(
        context,
        compiled === undefined ? 'authz: still serving the last good policies' : 'authz: policies recompiled',
      );
      if (compiled !== undefined) await afterCompile();
    } catch (error) {
      printNote(
        context,
        `authz: ${error instanceof Error ? error.message : String(error)}; still serving the last good policies`,
      );
    }
  };
  watchPaths([folder], recompile, { since });
}
