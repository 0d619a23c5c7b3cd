import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../timeout.js';
import { fillDataFolder } from './data-folder.js';

/** A private PostgreSQL in a temporary folder, reached by a socket in it. */
export interface Cluster {
  readonly client: Client;
  /** How other clients connect. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string };
  /** The address for libraries that know no sockets of the file system, if a port was asked for. */
  readonly url: string | undefined;
  stop(): Promise<void>;
}

/**
 * Starts a cluster. Returns the reason when PostgreSQL is not installed or cannot run.
 * @param port a free port of this machine, at which it also listens.
 */
export async function startCluster(port?: number): Promise<Cluster | string> {
  const bin = binaries();
  if (bin === undefined) return 'PostgreSQL is not installed';
  const account = process.getuid?.() === 0 ? accountOf('postgres') : undefined;
  if (process.getuid?.() === 0 && account === undefined)
    return 'PostgreSQL does not run as root, and there is no user postgres';
  const folder = mkdtempSync(join(tmpdir(), 'authz-postgresql-'));
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const data = join(folder, 'data');
  const as = account === undefined ? {} : account;
  try {
    const initdb = join(bin, 'initdb');
    const options = ['-D', data, '-U', 'authz', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
    fillDataFolder('postgresql', initdb, data, () =>
      execFileSync(initdb, options, { ...as, cwd: folder, stdio: 'pipe' }),
    );
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return `initdb fails: ${String((error as { stderr?: unknown }).stderr ?? error).trim()}`;
  }
  const settings = [
    'fsync=off',
    'full_page_writes=off',
    'synchronous_commit=off',
    'shared_buffers=16MB',
    ...(port === undefined ? ['listen_addresses='] : ['listen_addresses=127.0.0.1', `port=${port}`]),
    `unix_socket_directories=${folder}`,
    'max_connections=10',
  ];
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    ...as,
    cwd: folder,
    stdio: 'ignore',
  });
  const stop = async (): Promise<void> => {
    await ended(server);
    rmSync(folder, { recursive: true, force: true });
  };
  const client = await connected(folder, port, server);
  if (client === undefined) {
    await stop();
    return 'PostgreSQL does not answer';
  }
  return {
    client,
    connection: { host: folder, user: 'authz', database: 'postgres' },
    url: port === undefined ? undefined : `postgresql://authz@127.0.0.1:${port}/postgres`,
    async stop() {
      try {
        // A test that failed may have left a transaction.
        await client.query('ROLLBACK');
        await othersLeft(client);
        await client.end();
      } finally {
        await stop();
      }
    },
  };
}

const FOLDER = '/usr/lib/postgresql';

function binaries(): string | undefined {
  if (!existsSync(FOLDER)) return undefined;
  const versions = readdirSync(FOLDER).sort((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(FOLDER, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'postgres')) && existsSync(join(bin, 'initdb')));
}

/** A user of this machine by name. */
export function accountOf(name: string): { readonly uid: number; readonly gid: number } | undefined {
  try {
    const idOf = (flag: string): number =>
      Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
    return { uid: idOf('-u'), gid: idOf('-g') };
  } catch {
    return undefined;
  }
}

async function connected(folder: string, port: number | undefined, server: ChildProcess): Promise<Client | undefined> {
  let found: Client | undefined;
  await until(async () => {
    const client = new Client({ host: folder, port: port ?? 5432, user: 'authz', database: 'postgres' });
    found = await client.connect().then(
      () => client,
      () => undefined,
    );
    return found !== undefined || server.exitCode !== null;
  }, 'a connection to PostgreSQL');
  return found;
}

/**
 * Waits until the other clients are gone: the pool of node-postgres says that it has ended before its
 * connections are closed, and a connection that the server ends is an error that nobody listens for.
 */
async function othersLeft(client: Client): Promise<void> {
  const others = `SELECT count(*)::int AS others FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  await until(async () => {
    const { rows } = await client.query(others);
    return (rows as readonly { readonly others: number }[])[0]?.others === 0;
  }, 'the end of the other connections');
}

/** Shuts down the server that was started here, by its own process. */
async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const closed = new Promise((resolve) => server.once('close', resolve));
  server.kill('SIGINT');
  await closed;
}
