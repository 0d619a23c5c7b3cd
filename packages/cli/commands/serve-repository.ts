import { RejectedBundles } from '../../../server/bundle/rejected-bundles.js';
import { RemoteFeed } from '../../../server/bundle/remote-feed.js';
import type { Config } from '../../../server/config.js';
import { ConfigError, placed } from '../../../server/config/config-error.js';
import { parseDuration } from '../../../server/config/duration.js';
import { startServer } from '../../../server/main.js';
import type { Log } from '../../../server/observe/log/logger.js';
import { endOnSignal, openAudit, logPage, readyLine } from '../../../server/process.js';
import { sourceHealth } from '../../../server/service/services.js';
import { evaluateBundle } from '../../../server/swap/evaluate-bundle.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { GitOrigin } from '../git/git-origin.js';
import type { RemoteLimits } from '../git/remote.js';
import { parseRemote } from '../git/remote-folder.js';
import { folderBundler, servedParts } from '../policies/served-folder.js';

/** The command line options of `authzc serve --git`. */
export interface ServeRepositoryOptions {
  readonly git: string;
  /** How often the repository is asked: `60s`. */
  readonly interval: string;
  readonly allowEmpty?: boolean;
}

const SHORTEST = 1000;
const LIMITS: RemoteLimits = { timeout: 60_000, maxSize: 256 * 1024 * 1024 };

/**
 * `authzc serve --git`: compiles a folder of a repository in memory, again when its commit changes, and serves it. Returns
 * the exit code when it cannot start; otherwise it runs until a signal.
 */
export async function serveRepository(
  config: Config,
  { git, interval: written, allowEmpty }: ServeRepositoryOptions,
  log: Log,
  places: ReadonlyMap<string, string>,
  context: CommandContext,
): Promise<number> {
  const interval = parseDuration(written);
  if (interval === undefined || interval < SHORTEST)
    throw new ConfigError(`\`${written}\` must be a duration of 1s or more`, '--interval');
  const whenEmpty = allowEmpty === true ? 'warn' : 'refuse';
  const origin = await GitOrigin.open({
    remote: parseRemote(git),
    limits: LIMITS,
    environment: context.env,
    bundlerOf: (folder) => folderBundler(folder, { whenEmpty, ...servedParts(config) }, context),
  });
  const rejected = new RejectedBundles();
  const feed = new RemoteFeed({
    origin,
    poll: { interval, jitter: 20, longPoll: 0, maxBackoff: Math.max(interval, 300_000) },
    startTimeout: 0,
    trust: undefined,
    rejected,
    cache: undefined,
    log: log.logger('authz.bundle'),
  });
  try {
    const [first] = await feed.start();
    if (first === undefined) throw new Error('there is no bundle');
    const { text, name } = first.bundle;
    const server = await startServer(config, await evaluateBundle(text, name), {
      log,
      audit: await openAudit(config, log),
      reload: async () => (await feed.look())?.message,
      rejectedBundles: rejected.counts,
      source: { status: feed.status, health: () => sourceHealth(feed.status()) },
    });
    feed.follow(first, async (next) => {
      const bundle = await evaluateBundle(next.text, next.name);
      await server.swap(bundle);
      return bundle.policies.hash;
    });
    context.signals.on('SIGHUP', () => void feed.look());
    endOnSignal({ close: async () => void (await Promise.all([feed.stop(), server.close()])) });
    logPage(server, config, log);
    context.stdout.write(`${readyLine(server, config)}\n`);
    return EXIT.done;
  } catch (error) {
    await feed.stop();
    throw placed(error, places);
  }
}
