import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { grpcClient } from '../grpc.js';
import { proxyVariable } from './proxy.js';

const test = suite('proxies of gRPC clients');

const PROXY = { http_proxy: 'http://127.0.0.1:9' };
const REMOTE = [
  'pdp.internal:3593',
  'dns:///pdp.internal:3593',
  '10.0.0.1:3593',
  '[2001:db8::1]:3593',
  '127.example:1',
];
const LOCAL = [
  '127.0.0.1:3593',
  '127.8.9.10:1',
  'localhost:3593',
  'LOCALHOST:3593',
  'pdp.localhost:3593',
  'dns:localhost:3593',
  'dns:///127.0.0.1:3593',
  'dns://1.1.1.1/localhost:3593',
  'ipv4:127.0.0.1:3593',
  'ipv6:[::1]:3593',
  '[::1]:3593',
  '[0:0:0:0:0:0:0:1]:3593',
  '[::ffff:127.0.0.1]:3593',
  'localhost',
  '::1',
  'unix:/run/authz.sock',
];

test('are for servers on other machines', () => {
  for (const address of REMOTE) assert.is(proxyVariable(address, PROXY), 'http_proxy', address);
  for (const address of LOCAL) assert.is(proxyVariable(address, PROXY), undefined, address);
  for (const address of [...REMOTE, ...LOCAL])
    assert.is(proxyVariable(address, { http_proxy: '' }), undefined, address);
  assert.is(proxyVariable('a:1', { ...PROXY, https_proxy: 'x', grpc_proxy: 'y' }), 'grpc_proxy');
});

test('are not for servers that no_proxy names, in upper case as well', () => {
  for (const variable of ['no_grpc_proxy', 'no_proxy', 'NO_PROXY'])
    for (const list of ['pdp.internal', 'a, .internal ,b', '*.internal', '*', 'pdp.internal:3593', 'INTERNAL'])
      assert.is(proxyVariable('pdp.internal:3593', { ...PROXY, [variable]: list }), undefined, `${variable}=${list}`);
  for (const list of ['', ',', 'nal', 'dp.internal', 'other.internal', 'internal.example'])
    assert.is(proxyVariable('pdp.internal:3593', { ...PROXY, no_proxy: list }), 'http_proxy', list);
});

test('that cannot connect are named, and no message says undefined', async () => {
  const proxy: Server = createServer((socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const before = process.env['http_proxy'];
  const catchMessage = async (address: string): Promise<string> => {
    const client = grpcClient({ address, timeout: 60_000 });
    const request = { principal: { id: 'a', roles: ['u'] }, resource: { kind: 'doc', id: '1' }, action: 'view' };
    const message = await client.isAllowed(request).then(String, (error: Error) => error.message);
    await client.close();
    return message;
  };
  try {
    process.env['http_proxy'] = `http://127.0.0.1:${port}`;
    assert.match(
      await catchMessage('pdp.invalid:3593'),
      /^cannot connect to `pdp\.invalid:3593` through the proxy of `http_proxy`(?!.*undefined)/,
    );
    assert.match(
      await catchMessage('127.0.0.1:1'),
      /^cannot connect to `127\.0\.0\.1:1`: .*ECONNREFUSED(?!.*undefined)/,
    );
  } finally {
    if (before === undefined) delete process.env['http_proxy'];
    else process.env['http_proxy'] = before;
    proxy.close();
  }
});

test.run();
