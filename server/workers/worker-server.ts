import { startServer } from '../main.js';
import type { Prepared } from '../main.js';
import { evaluateBundle } from '../swap/evaluate-bundle.js';
import type { Link } from './link.js';
import type { PrimaryTopics, WorkerTopics } from './topics.js';

/** Serves in a worker process what the primary process says, and answers its questions. */
export async function listenAsWorker(link: Link<PrimaryTopics, WorkerTopics>): Promise<void> {
  const { config, bundle } = await link.ask('begin', undefined);
  const server = await startServer(config, await evaluateBundle(bundle.text, bundle.file), { sharesSockets: true });

  let prepared: { readonly digest: string; readonly bundle: Prepared } | undefined;
  link.answer('prepare', async ({ text, file, digest }) => {
    const next = await evaluateBundle(text, file);
    prepared = { digest, bundle: await server.prepare(next) };
    return next.policies.hash;
  });
  link.answer('commit', (digest) => {
    if (prepared?.digest !== digest) throw new Error('another bundle was prepared');
    prepared.bundle.commit();
    prepared = undefined;
    return undefined;
  });
  link.answer('abort', () => {
    prepared = undefined;
    return undefined;
  });

  const stop = async (): Promise<undefined> => {
    await server.close();
    process.exit(0);
  };
  link.answer('stop', stop);
  process.on('SIGTERM', () => void stop());

  const { httpAddress, grpcAddress } = server;
  await link.ask('ready', { httpAddress, grpcAddress, digest: bundle.digest });
}
