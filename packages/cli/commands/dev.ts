import { existsSync } from 'node:fs';
import { loadConfig } from '../../../server/config.js';
import type { CommandContext } from '../context.js';
import { printMessage } from '../exit.js';
import { WatchedTests } from '../policies/watched-tests.js';
import { atPort, type ServeOptions, serveConfigured } from './serve.js';
import { testOnce } from './test.js';

/** The configuration file of a project. */
const USUAL_FILE = '.authz.yaml';

/** The addresses of a server for one developer, unless the configuration has others. */
const ADDRESSES = { 'server.httpListenAddr': '127.0.0.1:3592', 'server.grpcListenAddr': '127.0.0.1:3593' };

/**
 * `authzc dev`: serves a folder on this machine, with explanations and the playground, and runs its tests; both again
 * after each change. It waits while the policies do not compile. Returns the exit code when it cannot start; otherwise it
 * runs until a signal.
 */
export async function devCommand(
  directory: string | undefined,
  options: ServeOptions,
  context: CommandContext,
): Promise<number> {
  const { env } = context;
  const file = options.config ?? env['AUTHZ_CONFIG'] ?? (existsSync(USUAL_FILE) ? USUAL_FILE : undefined);
  const load = (sets: readonly string[]) => loadConfig({ file, sets, environment: env });
  const { places } = load(options.set);
  const local = Object.entries(ADDRESSES).flatMap(([key, address]) => (places.has(key) ? [] : `${key}=${address}`));
  const loaded = atPort(load([...local, ...options.set]), options.port, places);
  const folder = directory ?? loaded.config.policyDirectory ?? 'policies';
  const watched = new WatchedTests(false, context);
  const runTests = async (): Promise<void> => {
    watched.begin();
    try {
      await testOnce(folder, { output: 'tree', color: true, passWithNoTests: true }, context, watched);
    } catch (error) {
      printMessage(context, `${error instanceof Error ? error.message : String(error)}`);
    }
  };
  return serveConfigured(folder, { ...options, watch: true, allowEmpty: true, isDev: true }, loaded, context, runTests);
}
