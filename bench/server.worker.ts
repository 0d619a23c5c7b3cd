import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openAuditLog } from '../server/audit/audit-log.js';
import { readBundleFile } from '../server/bundle/read-bundle.js';
import { loadConfig } from '../server/config.js';
import { type Bundle, startServer } from '../server/main.js';
import { initialRollout } from '../server/rollout/rollout.js';
import { report } from './harness/child.js';
import { auditFileOf, ROOT } from './harness/paths.js';
import { quietLog } from './harness/quiet-log.js';
import type { ServerName } from './harness/server-child.js';

/*
 * A server in its own process, so that its CPU time can be measured alone: this server over a bundle, with what its name
 * says, or a minimal one that parses the same JSON and returns a constant. Reports its addresses,
 * then the microseconds of CPU for each message that it gets. Ends with its parent.
 */

/** The thread of candidates: of the program, as `npm run build` makes it. */
const SHADOW_THREAD = pathToFileURL(join(ROOT, 'dist', 'chunks', 'shadow-thread.js'));

const [what, path, broker] = process.argv.slice(2) as [ServerName, string, string];
await report(what === 'bare' ? await startBare() : await startOurs(what));
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  void report({ cpu: user + system });
});
process.on('disconnect', () => process.exit(0));

async function startOurs(name: Exclude<ServerName, 'bare'>): Promise<object> {
  const sets = ['server.httpListenAddr=127.0.0.1:0', 'server.grpcListenAddr=127.0.0.1:0', ...settingsOf(name)];
  const { config } = loadConfig({ sets, environment: {} });
  const { policies, traced } = (await import(path)) as Bundle;
  const isObserved = name === 'observed' || name === 'shadow';
  const { httpAddress, grpcAddress, prepareChange } = await startServer(
    config,
    { policies, ...(traced && { traced }) },
    {
      audit: await openAuditLog(config.audit, console.error),
      ...(isObserved && { log: quietLog() }),
      ...(name === 'shadow' && { shadowThread: SHADOW_THREAD }),
    },
  );
  if (name === 'shadow') {
    const candidate = await readBundleFile(path);
    const rollout = { ...initialRollout(candidate), candidate: candidate.digest };
    (await prepareChange({ rollout, texts: [candidate] })).commit();
  }
  return { httpAddress, grpcAddress };
}

/** The settings; files are next to the bundle. */
function settingsOf(name: Exclude<ServerName, 'bare'>): readonly string[] {
  const file = `audit.enabled=true,audit.backend=file,audit.file.path=${auditFileOf(path, name)}`;
  switch (name) {
    case 'ours':
    case 'observed':
      return [];
    case 'shadow':
      return [`bundle.rollout.candidate=${path}`, 'bundle.rollout.rate=1'];
    case 'audit file':
      return [file];
    case 'audit file read-set':
      return [file, 'audit.facts=read-set'];
    case 'audit file before reply':
      return [file, 'audit.delivery=before_reply'];
    case 'audit kafka':
      return [`audit.enabled=true,audit.backend=kafka,audit.kafka.topic=audit,audit.kafka.brokers={${broker}}`];
    case 'audit file chained':
      return [file, 'audit.chain.enabled=true'];
    case 'audit database':
      return [`audit.enabled=true,audit.backend=local,audit.local.storagePath=${path}.audit`];
  }
}

function startBare(): Promise<object> {
  const answer = readFileSync(path);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({ httpAddress: `127.0.0.1:${(server.address() as AddressInfo).port}`, grpcAddress: '' }),
    );
  });
}
