import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { until } from '../timeout.js';
import { accountOf, type Cluster } from './postgresql-cluster.js';

/** PgBouncer before a cluster, with two connections to it. */
export async function startPooler(
  { connection, client }: Cluster,
  mode: string,
): Promise<{ readonly port: number; stop(): Promise<void> } | string> {
  const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path));
  if (program === undefined) return 'PgBouncer is not installed';
  const account = process.getuid?.() === 0 ? accountOf('postgres') : undefined;
  const { host } = connection;
  // It names its socket only.
  const port = mode === 'session' ? 6_433 : 6_432;
  const [configuration, users] = [join(host, `pgbouncer-${mode}.ini`), join(host, 'users.txt')];
  writeFileSync(users, '"login" ""\n');
  writeFileSync(
    configuration,
    `[databases]
postgres = host=${host} port=5432 dbname=postgres
[pgbouncer]
pool_mode = ${mode}
listen_port = ${port}
unix_socket_dir = ${host}
auth_type = trust
auth_file = ${users}
default_pool_size = 2
max_client_conn = 100
ignore_startup_parameters = extra_float_digits
server_reset_query = DISCARD ALL
`,
  );
  if (account !== undefined) for (const path of [users, configuration]) chownSync(path, account.uid, account.gid);
  const child = spawn(program, ['-q', configuration], { ...account, cwd: host, stdio: 'ignore' });
  await until(async () => {
    const trial = new Client({ ...connection, port, user: 'login' });
    const isThere = await trial.connect().then(
      () => true,
      () => false,
    );
    if (isThere) await trial.end();
    return isThere || child.exitCode !== null;
  }, 'a connection to PgBouncer');
  if (child.exitCode !== null) return `PgBouncer ends with ${child.exitCode}`;
  return {
    port,
    async stop() {
      await ended(child);
      await until(async () => {
        const { rows } = await client.query("SELECT FROM pg_stat_activity WHERE usename = 'login'");
        return rows.length === 0;
      }, 'the end of the connections of PgBouncer');
    },
  };
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
