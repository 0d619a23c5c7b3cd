import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import { loadConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { makeCertificate } from '../support/certificate.js';
import { freePort } from '../support/free-port.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { certify } from './conformance/certify.js';
import { FIXTURE_POLICIES, FIXTURE_ROWS, FIXTURE_TABLES } from './conformance/fixture.js';
import { REQUIREMENTS } from './conformance/requirements.js';

/** The certification scenario of AuthZEN 1.0, for a server that searches the rows of a database. */
const test = suite('AuthZEN conformance with rows');
const cluster = await startCluster(await freePort());
if (typeof cluster === 'string') skip(import.meta.url, cluster);
else addTests(cluster);
test.run();

function addTests({ client, url = '', stop }: Cluster): void {
  const certificate = makeCertificate('authz');
  let folder = '';
  let server: RunningServer;
  test.before(async () => {
    await client.query(FIXTURE_ROWS);
    folder = mkdtempSync(join(tmpdir(), 'authz-authzen-'));
    const file = (name: string, text: string): string => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    };
    const tables = file('tables.yaml', FIXTURE_TABLES);
    const configuration = {
      server: {
        httpListenAddr: '127.0.0.1:0',
        grpcListenAddr: '127.0.0.1:0',
        tls: { cert: file('cert.pem', certificate.cert), key: file('key.pem', certificate.key), watch: false },
      },
      sources: {
        deadline: '30s',
        search: { timeout: '60s' },
        from: {
          people: { of: 'principal', sql: { url, tables, table: 'principal' }, search: true },
          records: { of: 'record', sql: { url, tables, table: 'record' }, search: true },
        },
      },
    };
    const { config } = loadConfig({ file: file('config.yaml', JSON.stringify(configuration)), environment: {} });
    server = await startServer(config, await loaded(compileTexts(FIXTURE_POLICIES, { facts: true })));
  });
  test.after(async () => {
    await server.close();
    await stop();
    rmSync(folder, { recursive: true });
  });

  for (const requirement of REQUIREMENTS.filter(({ hasRows }) => hasRows !== false))
    test(`${requirement.plan} ${requirement.test}: ${requirement.requirement}`, () =>
      certify({ address: server.httpAddress, certificate }, requirement));
}
