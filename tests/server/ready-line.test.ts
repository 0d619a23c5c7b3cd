import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../server/config.js';
import { readyLine } from '../../server/process.js';

const addresses = { httpAddress: '127.0.0.1:3592', grpcAddress: '127.0.0.1:3593' };

test('the first line has the addresses of the server, and whether they use TLS', () => {
  const { config } = loadConfig({ environment: {} });
  assert.is(readyLine(addresses, config), 'authz: REST and Connect on http://127.0.0.1:3592, gRPC on 127.0.0.1:3593');
  const secured = {
    ...config,
    server: { ...config.server, tls: { cert: 'cert.pem', key: 'key.pem', caCert: undefined, watch: false } },
  };
  assert.is(readyLine(addresses, secured), 'authz: REST and Connect on https://127.0.0.1:3592, gRPC on 127.0.0.1:3593');
});

test.run();
