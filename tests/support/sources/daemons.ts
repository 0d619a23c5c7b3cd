import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.js';
import type { TestCertificate } from '../certificate.js';
import { until } from '../timeout.js';

/** A server of the operating system that runs on loopback for a test. */
export interface Daemon {
  readonly port: number;
  /** Of its process; undefined while it does not run. */
  readonly pid: () => number | undefined;
  /** Ends it; `start` begins again on the same port. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  /** Ends it, and removes its files. */
  readonly close: () => Promise<void>;
}

export const NGINX = '/usr/sbin/nginx';
export const REGISTRY = '/usr/bin/docker-registry';
export const TINYPROXY = '/usr/bin/tinyproxy';
export const SSHD = '/usr/sbin/sshd';

/** The programs that are not installed. */
export function missing(...programs: readonly string[]): readonly string[] {
  return programs.filter((program) => !existsSync(program));
}

export interface FileServerOptions {
  /** What is served. */
  readonly files: string;
  readonly certificate?: TestCertificate;
  /** The authority of client certificates, which are then required. */
  readonly clients?: TestCertificate;
  readonly user?: { readonly name: string; readonly password: string };
}

/** Nginx with the files of a folder. */
export function startFileServer({ files, certificate, clients, user }: FileServerOptions): Promise<Daemon> {
  return startDaemon((folder, port) => {
    for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const tls =
      certificate === undefined
        ? ''
        : `ssl_certificate ${file('cert.pem', certificate.cert)};
           ssl_certificate_key ${file('key.pem', certificate.key)};`;
    const verifying =
      clients === undefined ? '' : `ssl_client_certificate ${file('ca.pem', clients.cert)}; ssl_verify_client on;`;
    const sha = (password: string): string => createHash('sha1').update(password).digest('base64');
    const basic =
      user === undefined
        ? ''
        : `auth_basic realm; auth_basic_user_file ${file('users', `${user.name}:{SHA}${sha(user.password)}\n`)};`;
    const config = file(
      'nginx.conf',
      `daemon off; user root; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
       events { worker_connections 4096; }
       http {
         access_log ${folder}/access.log;
         client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
         uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
         server { listen 127.0.0.1:${port} ${certificate === undefined ? '' : 'ssl'}; root ${files}; ${tls} ${verifying} ${basic} }
       }`,
    );
    return [NGINX, '-c', config, '-p', folder];
  });
}

/** A proxy, which asks for a user `proxy` with the password `pass word`. */
export function startForwardProxy(): Promise<Daemon & { readonly url: string }> {
  return startDaemon((folder, port) => {
    const config = join(folder, 'tinyproxy.conf');
    writeFileSync(
      config,
      `Port ${port}\nListen 127.0.0.1\nTimeout 60\nMaxClients 20\nAllow 127.0.0.1\nBasicAuth proxy pass\nLogFile "${folder}/log"\nLogLevel Connect\n`,
    );
    return [TINYPROXY, '-d', '-c', config];
  }).then((daemon) => ({ ...daemon, url: `http://proxy:pass@127.0.0.1:${daemon.port}` }));
}

/** An OCI registry; `auth` is the section of its configuration. */
export function startRegistry(auth: object | undefined = undefined): Promise<Daemon> {
  return startDaemon((folder, port) => {
    const config = join(folder, 'config.yml');
    // YAML contains JSON.
    writeFileSync(
      config,
      JSON.stringify({
        version: '0.1',
        log: { level: 'error', accesslog: { disabled: true } },
        storage: { filesystem: { rootdirectory: join(folder, 'data') } },
        http: { addr: `127.0.0.1:${port}` },
        ...(auth !== undefined && { auth }),
      }),
    );
    return [REGISTRY, 'serve', config];
  });
}

/** A server of SSH that knows one key, and what makes git use it. */
export interface SshServer extends Daemon {
  /** `ssh://user@127.0.0.1:port` */
  readonly url: string;
  /** The value of `GIT_SSH_COMMAND` of a client that has the key and knows the host. */
  readonly command: string;
  /** The same without the key of the host. */
  readonly commandOfStranger: string;
}

/** OpenSSH for the account that runs the tests. */
export async function startSsh(): Promise<SshServer> {
  const clients = mkdtempSync(join(tmpdir(), 'authz-ssh-'));
  const newKey = (file: string): string => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file]);
    return readFileSync(`${file}.pub`, 'utf8').trim();
  };
  const clientKey = newKey(join(clients, 'client'));
  const hostKey = newKey(join(clients, 'host'));
  // Only an sshd of root looks for it.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  const daemon = await startDaemon((folder, port) => {
    const authorized = join(folder, 'authorized_keys');
    writeFileSync(authorized, `${clientKey}\n`, { mode: 0o600 });
    const config = join(folder, 'sshd_config');
    writeFileSync(
      config,
      `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${join(clients, 'host')}\nPidFile none\nUsePAM no\nStrictModes no\n` +
        `AuthorizedKeysFile ${authorized}\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n` +
        'PermitRootLogin prohibit-password\n',
    );
    return [SSHD, '-D', '-e', '-f', config];
  });
  const known = join(clients, 'known_hosts');
  writeFileSync(known, `[127.0.0.1]:${daemon.port} ${hostKey}\n`);
  const commandOf = (hosts: string): string =>
    `ssh -F /dev/null -i ${join(clients, 'client')} -o IdentitiesOnly=yes -o UserKnownHostsFile=${hosts}`;
  return {
    ...daemon,
    url: `ssh://${userInfo().username}@127.0.0.1:${daemon.port}`,
    command: commandOf(known),
    commandOfStranger: commandOf('/dev/null'),
    close: async () => {
      await daemon.close();
      rmSync(clients, { recursive: true, force: true });
    },
  };
}

/** @param commandOf writes the configuration into a folder and returns the command. */
async function startDaemon(commandOf: (folder: string, port: number) => readonly string[]): Promise<Daemon> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-daemon-'));
  const port = await freePort();
  const [program = '', ...args] = commandOf(folder, port);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const started = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, OTEL_TRACES_EXPORTER: 'none' },
    });
    let said = '';
    started.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-4000);
    });
    child = started;
    await listening(port, () => started.exitCode !== null || started.signalCode !== null).catch(() => {
      throw new Error(`${program} did not start: ${said}`);
    });
  };
  const stop = async (): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGTERM');
    const timer = setTimeout(() => running.kill('SIGKILL'), 3000);
    await ended;
    clearTimeout(timer);
  };
  await start();
  return {
    port,
    pid: () => child?.pid,
    start,
    stop,
    close: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listening(port: number, hasEnded: () => boolean): Promise<void> {
  return until(() => {
    if (hasEnded()) throw new Error('ended');
    return new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => socket.destroy() && resolve(true)).once('error', () => resolve(false));
    });
  }, 'a program that listens');
}
