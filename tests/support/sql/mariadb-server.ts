import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, createConnection } from 'mysql2/promise';
import { fillDataFolder } from './data-folder.js';
import { accountOf } from './postgresql-cluster.js';
import { until } from '../timeout.js';

/** A private MariaDB server in a temporary folder, reached by a socket in it. */
export interface MariadbServer {
  readonly connection: Connection;
  /** Where other clients connect. */
  readonly socketPath: string;
  stop(): Promise<void>;
}

/** Starts a server; returns why there is none where it is not installed or cannot run. */
export async function startMariadb(): Promise<MariadbServer | string> {
  const [server, installer] = [BINARIES.find(existsSync), INSTALLERS.find(existsSync)];
  if (server === undefined || installer === undefined) return 'MariaDB is not installed';
  const account = process.getuid?.() === 0 ? accountOf('mysql') : undefined;
  if (process.getuid?.() === 0 && account === undefined)
    return 'MariaDB does not run as root, and there is no user mysql';
  const folder = mkdtempSync(join(tmpdir(), 'authz-mariadb-'));
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const as = account ?? {};
  const data = join(folder, 'data');
  const socketPath = join(folder, 'socket');
  try {
    const options = [
      '--no-defaults',
      `--datadir=${data}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      LOG_FILE,
    ];
    fillDataFolder('mariadb', installer, data, () =>
      execFileSync(installer, options, { ...as, cwd: folder, stdio: 'pipe' }),
    );
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    return `mariadb-install-db fails: ${String((error as { stderr?: unknown }).stderr ?? error).trim()}`;
  }
  const settings = ['--no-defaults', `--datadir=${data}`, `--socket=${socketPath}`, '--skip-networking', ...SETTINGS];
  const child = spawn(server, settings, { ...as, cwd: folder, stdio: 'ignore' });
  const stop = async (): Promise<void> => {
    await ended(child);
    rmSync(folder, { recursive: true, force: true });
  };
  const connection = await connected(socketPath, child);
  if (connection === undefined) {
    await stop();
    return 'MariaDB does not answer';
  }
  await connection.query('CREATE DATABASE authz CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci');
  await connection.query('USE authz');
  return {
    connection,
    socketPath,
    async stop() {
      await connection.end();
      await stop();
    },
  };
}

const BINARIES = ['/usr/sbin/mariadbd', '/usr/libexec/mariadbd', '/usr/local/bin/mariadbd'];
const INSTALLERS = ['/usr/bin/mariadb-install-db', '/usr/local/bin/mariadb-install-db'];
/** Of 96 MB otherwise, which would be copied. */
const LOG_FILE = '--innodb-log-file-size=8M';
const SETTINGS = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-buffer-pool-size=32M',
  LOG_FILE,
  '--character-set-server=utf8mb4',
];

async function connected(socketPath: string, server: ChildProcess): Promise<Connection | undefined> {
  let found: Connection | undefined;
  await until(async () => {
    found = await createConnection({ socketPath, user: 'root', charset: 'utf8mb4' }).catch(() => undefined);
    return found !== undefined || server.exitCode !== null;
  }, 'a connection to MariaDB');
  return found;
}

/** Shuts down the server that was started here, by its own process. */
async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const closed = new Promise((resolve) => server.once('close', resolve));
  server.kill('SIGTERM');
  await closed;
}
