import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openOrigin } from '../../server/bundle/open-feed.js';
import type { Fetched, Origin, OriginError } from '../../server/bundle/origin.js';
import { makeCertificate } from '../support/certificate.js';
import { bundleConfig } from '../support/sources/config.js';
import {
  type Daemon,
  missing,
  NGINX,
  startFileServer,
  startForwardProxy,
  TINYPROXY,
} from '../support/sources/daemons.js';
import { skip } from '../support/skip.js';

const test = suite('bundles from nginx');
const absent = missing(NGINX, TINYPROXY);

if (absent.length > 0) skip(import.meta.url, `not installed: ${absent.join(', ')}`);
else defineTests();

test.run();

function defineTests(): void {
  const folder = mkdtempSync(join(tmpdir(), 'authz-files-'));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const ca = makeCertificate('authority');
  const clientAuthority = makeCertificate('clients');
  const client = makeCertificate('client', clientAuthority);
  const user = { name: 'reader', password: 'pass: word' };
  let plain: Daemon;
  let secure: Daemon;
  let proxy: Daemon & { readonly url: string };
  const opened: Origin[] = [];

  test.before(async () => {
    file('policies.js', 'one');
    [plain, secure, proxy] = await Promise.all([
      startFileServer({ files: folder, user }),
      startFileServer({ files: folder, certificate: makeCertificate('localhost', ca), clients: clientAuthority }),
      startForwardProxy(),
    ]);
  });

  test.after(async () => {
    await Promise.all(opened.map((origin) => origin.close()));
    await Promise.all([plain, secure, proxy].map((daemon) => daemon.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  const fetchFrom = async (
    source: string,
    keys: { readonly [key: string]: string },
    known?: string,
  ): Promise<Fetched> => {
    const origin = await openOrigin(bundleConfig(source, keys));
    opened.push(origin);
    return origin.fetch(known, new AbortController().signal);
  };
  const reasonOf = (fetching: Promise<Fetched>): Promise<string> =>
    fetching.then(
      ({ kind }) => kind,
      (error: OriginError) => error.reason,
    );
  const textOf = (fetched: Fetched): string =>
    fetched.kind === 'fetched' ? Buffer.from(fetched.bytes).toString() : fetched.kind;
  const basic = { 'credentials.username': user.name, 'credentials.password': user.password };

  test('a file is fetched once for each version, with basic authentication', async () => {
    const source = `http://127.0.0.1:${plain.port}/policies.js`;
    assert.is(await reasonOf(fetchFrom(source, {})), 'credentials');
    assert.is(await reasonOf(fetchFrom(source, { ...basic, 'credentials.password': 'wrong' })), 'credentials');
    const first = await fetchFrom(source, basic);
    assert.is(textOf(first), 'one');
    const version = first.kind === 'fetched' ? first.version : '';
    assert.is(textOf(await fetchFrom(source, basic, version)), 'unchanged');
    file('policies.js', 'other');
    assert.is(textOf(await fetchFrom(source, basic, version)), 'other');
    assert.is(await reasonOf(fetchFrom(`http://127.0.0.1:${plain.port}/none.js`, basic)), 'status');
    file('policies.js', 'one');
  });

  test('a password is read from its file for each request', async () => {
    const password = file('password', 'wrong\n');
    const keys = { 'credentials.username': user.name, 'credentials.passwordFile': password };
    const origin = await openOrigin(bundleConfig(`http://127.0.0.1:${plain.port}/policies.js`, keys));
    opened.push(origin);
    const fetching = (): Promise<string> => reasonOf(origin.fetch(undefined, new AbortController().signal));
    assert.is(await fetching(), 'credentials');
    writeFileSync(password, `${user.password}\n`);
    assert.is(await fetching(), 'fetched');
    rmSync(password);
    assert.is(await fetching(), 'credentials');
  });

  test('a private authority and a client certificate', async () => {
    const source = `https://localhost:${secure.port}/policies.js`;
    const tls = {
      'tls.ca': file('ca.pem', ca.cert),
      'tls.cert': file('client.pem', client.cert),
      'tls.key': file('client.key', client.key),
    };
    assert.is(textOf(await fetchFrom(source, tls)), 'one');
    assert.is(await reasonOf(fetchFrom(source, {})), 'tls');
    const { 'tls.ca': authority } = tls;
    assert.is(await reasonOf(fetchFrom(source, { 'tls.ca': authority })), 'status');
    assert.is(await reasonOf(fetchFrom(source, { ...tls, 'tls.ca': tls['tls.cert'] })), 'tls');
    assert.is(await reasonOf(fetchFrom(`https://127.0.0.1:${plain.port}/policies.js`, tls)), 'tls');
  });

  test('through a proxy with credentials, unless the host is an exception', async () => {
    const tls = {
      'tls.ca': file('ca.pem', ca.cert),
      'tls.cert': file('client.pem', client.cert),
      'tls.key': file('client.key', client.key),
    };
    const secureSource = `https://localhost:${secure.port}/policies.js`;
    const plainSource = `http://127.0.0.1:${plain.port}/policies.js`;
    const through = { 'proxy.url': proxy.url };
    assert.is(textOf(await fetchFrom(secureSource, { ...tls, ...through })), 'one');
    assert.is(textOf(await fetchFrom(plainSource, { ...basic, ...through })), 'one');
    const wrong = { 'proxy.url': `http://proxy:wrong@127.0.0.1:${proxy.port}` };
    assert.is(await reasonOf(fetchFrom(secureSource, { ...tls, ...wrong })), 'unreachable');
    assert.is(await reasonOf(fetchFrom(plainSource, { ...basic, ...wrong })), 'credentials');
    const away = { 'proxy.url': 'http://127.0.0.1:1' };
    assert.is(await reasonOf(fetchFrom(plainSource, { ...basic, ...away })), 'unreachable');
    const origin = await openOrigin({
      ...bundleConfig(plainSource, basic),
      proxy: { url: 'http://127.0.0.1:1', exceptions: ['127.0.0.1'] },
    });
    opened.push(origin);
    assert.is(textOf(await origin.fetch(undefined, new AbortController().signal)), 'one');
  });

  test('a proxy of the environment', async () => {
    const source = `http://127.0.0.1:${plain.port}/policies.js`;
    const config = { ...bundleConfig(source, basic), proxy: { url: undefined, exceptions: undefined } };
    for (const [name, value, expected] of [
      ['HTTP_PROXY', proxy.url, 'fetched'],
      ['HTTP_PROXY', 'http://127.0.0.1:1', 'unreachable'],
    ] as const) {
      process.env[name] = value;
      try {
        const origin = await openOrigin(config);
        opened.push(origin);
        assert.is(await reasonOf(origin.fetch(undefined, new AbortController().signal)), expected);
      } finally {
        delete process.env[name];
      }
    }
  });
}
