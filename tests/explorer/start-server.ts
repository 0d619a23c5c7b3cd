import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { loadConfig } from '../../server/config.js';
import { startServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { openAudit } from '../../server/process.js';
import { loaded, ROOT } from '../support/compiled.js';

/**
 * A server with the policies of this repository, which the examples of the schema use. Its audit log can be queried.
 */
export interface StartedServer {
  /** `http://127.0.0.1:41234`. */
  readonly address: string;
  readonly close: () => Promise<void>;
}

/** Admin credentials, required to read the audit log. */
export const ADMIN = `Basic ${Buffer.from('admin:open sesame').toString('base64')}`;

export async function startServed(sets: readonly string[] = []): Promise<StartedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-explorer-'));
  const { config } = loadConfig({ sets: [...SETS, `audit.local.storagePath=${folder}`, ...sets], environment: {} });
  const nowhere = openSync('/dev/null', 'w');
  const log = openLog({ output: nowhere, errors: nowhere, environment: {} });
  const audit = await openAudit(config, log);
  const server = await startServer(config, await loaded(compileFolder(join(ROOT, 'policies'), { explain: true })), {
    log,
    audit,
  });
  const close = async (): Promise<void> => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { address: `http://${server.httpAddress}`, close };
}

const SETS = [
  'server.httpListenAddr=127.0.0.1:0',
  'server.grpcListenAddr=127.0.0.1:0',
  'server.shutdownGrace=0s',
  'server.adminAPI.enabled=true',
  'server.adminAPI.adminCredentials.username=admin',
  `server.adminAPI.adminCredentials.passwordHash=${Buffer.from(hashSync('open sesame', 4)).toString('base64')}`,
  'server.explain.enabled=true',
  'audit.enabled=true',
  'audit.backend=local',
];
