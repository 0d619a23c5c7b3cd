import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EFFORT } from '../support/effort.js';
import { send } from '../support/server/http-client.js';

const test = suite('hostile values in requests to a server with little memory');

/** The heap of the server, in MB: the server itself uses a third of it. */
const HEAP = 192;
/** Errors have fewer bytes than this. */
const MAX_ERROR = 100_000;
/** Size of a value in bytes: the message limit less the rest of the message. */
const SIZE = 4 * 1024 * 1024 - 2000;

let child: ChildProcess;
let http = '';
test.before(async () => {
  child = fork(fileURLToPath(new URL('server-child.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx', `--max-old-space-size=${HEAP}`],
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  const [message] = await once(child, 'message');
  http = (message as { readonly httpAddress: string }).httpAddress;
});
test.after(() => {
  child.kill('SIGKILL');
});

const filled = (text: string, size = SIZE): string => text.repeat(Math.floor(size / Buffer.byteLength(text)));
const listOf = (element: string): string => `[${filled(`${element},`)}${element}]`;
const objectOf = (key: (index: number) => string): string =>
  `{${Array.from({ length: 300_000 }, (_, index) => `"${key(index)}":1`).join(',')}}`;

/** JSON objects, most of them as large as a request may be, and the only statuses allowed for each. */
const VALUES: readonly (readonly [name: string, json: string, ...statuses: readonly number[]])[] = [
  ['a string', `{"v":"${filled('a')}"}`, 200],
  ['escapes', `{"v":"${filled('\\u0000')}"}`, 200],
  ['astral characters', `{"v":"${filled('😀')}"}`, 200],
  ['lone surrogates', `{"v":"${filled('\\ud800')}"}`, 200, 400],
  ['numbers', `{"v":${listOf('0')}}`, 429],
  ['lists', `{"v":${listOf('[]')}}`, 200, 429],
  ['maps', `{"v":${listOf('{}')}}`, 200, 429],
  ['nulls', `{"v":${listOf('null')}}`, 200],
  ['digits', `{"v":${filled('9')}}`, 400],
  ['digits after the point', `{"v":0.${filled('1')}}`, 200],
  ['an infinite number', '{"v":1e999}', 400],
  ['NaN', '{"v":NaN}', 400],
  ['lists that are nested as deep as may be', `{"v":${'['.repeat(9000)}${']'.repeat(9000)}}`, 200],
  ['a long key', `{"${filled('k')}":1}`, 200],
  ['many keys', objectOf((index) => `k${index}`), 200, 429],
  ['numbers as keys', objectOf((index) => `${index * 7}`), 200, 429],
  ['one key many times', `{${filled('"a":1,')}"a":1}`, 200, 400],
  [
    'keys of prototypes',
    '{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"hasOwnProperty":1,"toString":null}',
    200,
  ],
  ['prototypes', `{"v":${listOf('{"__proto__":1}')}}`, 200, 429],
  ['white space', `{"v":1${filled(' ')}}`, 200],
];

const principal = (attr: string): string => `"principal":{"id":"a","roles":["user"],"attr":${attr}}`;
const REQUESTS: readonly (readonly [path: string, body: (value: string) => string])[] = [
  [
    '/api/check/resources',
    (value) =>
      `{${principal('{}')},"resources":[{"actions":["view"],"resource":{"kind":"k","id":"1","attr":${value}}}]}`,
  ],
  [
    '/authz.svc.v1.AuthzService/CheckResources',
    (value) => `{${principal(value)},"resources":[{"actions":["view"],"resource":{"kind":"k","id":"1"}}]}`,
  ],
  ['/api/plan/resources', (value) => `{${principal('{}')},"action":"view","resource":{"kind":"k","attr":${value}}}`],
  [
    '/access/v1/evaluation',
    (value) =>
      `{"subject":{"type":"user","id":"a","properties":${value}},"resource":{"type":"k","id":"1"},"action":{"name":"view"}}`,
  ],
];

/** At quick, each value goes to every second path, in turn. */
const isTried = (value: number, path: number): boolean => EFFORT !== 'quick' || (value + path) % 2 === 0;

for (const [index, [name, value, ...statuses]] of VALUES.entries()) {
  test(`${name}: accepted or rejected in few bytes, and the server keeps running`, async () => {
    for (const [path, body] of REQUESTS.filter((_, at) => isTried(index, at))) {
      const { status, text } = await send(http, 'POST', path, body(value), { 'content-type': 'application/json' });
      assert.ok(statuses.includes(status), `${path}: ${status} ${text.slice(0, 200)}`);
      if (status !== 200) assert.ok(text.length < MAX_ERROR, `${path}: ${text.length} bytes`);
    }
    assert.is((await send(http, 'GET', '/_authz/health')).status, 200);
  });
}

test('bodies that do not match their headers are rejected', async () => {
  const body = REQUESTS[0]?.[1]('{}') ?? '';
  const bomb = gzipSync(Buffer.alloc(200_000_000, ' '));
  const malformed = Buffer.concat([Buffer.from('{"requestId":"'), Buffer.alloc(SIZE, 0xff), Buffer.from('"}')]);
  for (const [path] of REQUESTS) {
    const asked: readonly (readonly [Buffer | string, { readonly [name: string]: string }])[] = [
      [malformed, { 'content-type': 'application/json' }],
      [body + filled('x'), { 'content-type': 'application/json' }],
      [bomb, { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
      [bomb, { 'content-type': 'application/json', 'content-encoding': 'br' }],
    ];
    for (const [sent, headers] of asked) {
      const { status, text } = await send(http, 'POST', path, sent, headers);
      assert.ok(
        [400, 415, 501].includes(status),
        `${path} ${JSON.stringify(headers)}: ${status} ${text.slice(0, 200)}`,
      );
      assert.ok(text.length < MAX_ERROR);
    }
  }
  assert.is((await send(http, 'GET', '/_authz/health')).status, 200);
});

test('3,000 concurrent requests over one connection are answered in order', async () => {
  const body = REQUESTS[0]?.[1]('{}') ?? '';
  const request = `POST /api/check/resources HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const [host = '', port = ''] = http.split(':');
  const socket = connect(Number(port), host);
  let answers = 0;
  let text = '';
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (data) => {
      text += data.toString('latin1');
      answers += text.split('HTTP/1.1 200').length - 1;
      text = text.slice(Math.max(text.lastIndexOf('HTTP/1.1 200') + 12, text.length - 12));
      if (answers === 3000) resolve();
    });
    socket.on('close', () => reject(new Error(`${answers} answers`)));
    socket.on('error', reject);
    socket.write(request.repeat(3000));
  });
  socket.destroy();
  assert.is((await send(http, 'GET', '/_authz/health')).status, 200);
});

test.run();
