import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import { type RunningServer, startServer } from '../../server/main.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { makeCertificate } from '../support/certificate.js';
import { certify } from './conformance/certify.js';
import { FIXTURE_POLICIES } from './conformance/fixture.js';
import { REQUIREMENTS } from './conformance/requirements.js';
import { loopbackConfig } from '../support/server/start.js';

/** The certification scenario of AuthZEN 1.0, for a server without rows to search. */
const test = suite('AuthZEN conformance');
const certificate = makeCertificate('authz');
let folder = '';
let server: RunningServer;

test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'authz-authzen-'));
  writeFileSync(join(folder, 'cert.pem'), certificate.cert);
  writeFileSync(join(folder, 'key.pem'), certificate.key);
  const config = loopbackConfig(
    `server.tls.cert=${join(folder, 'cert.pem')}`,
    `server.tls.key=${join(folder, 'key.pem')}`,
    'server.tls.watch=false',
  );
  server = await startServer(config, await loaded(compileTexts(FIXTURE_POLICIES)));
});
test.after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

for (const requirement of REQUIREMENTS.filter(({ hasRows }) => hasRows !== true))
  test(`${requirement.plan} ${requirement.test}: ${requirement.requirement}`, () =>
    certify({ address: server.httpAddress, certificate }, requirement));

test.run();
