import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadSettings } from '../../server/config.js';
import { printConfig } from '../../server/config/print.js';
import { folderOf, launch, PROGRAMS, run, type Running, stop } from '../support/cli/programs.js';
import { until } from '../support/timeout.js';

const test = suite('secrets and masked values are in no output');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  schemas: {principalSchema: {ref: "authz:///p.json"}, resourceSchema: {ref: "authz:///r.json"}}
  rules:
    - {actions: [time], effect: EFFECT_ALLOW, roles: ["*"], condition: {match: {expr: timestamp(P.attr.ssn) < now()}}}
    - {actions: [upper], effect: EFFECT_ALLOW, roles: ["*"], condition: {match: {expr: timestamp(P.attr.ssn.upperAscii()) < now()}}}
    - {actions: [part], effect: EFFECT_ALLOW, roles: ["*"], condition: {match: {expr: 'duration("x" + P.attr.ssn.substring(3)) < duration("1s")'}}}
    - {actions: [key], effect: EFFECT_ALLOW, roles: ["*"], condition: {match: {expr: '{"a": 1}[P.attr.ssn] == 1'}}}
    - {actions: [ip], effect: EFFECT_ALLOW, roles: ["*"], condition: {match: {expr: 'R.attr.card.number.inIPAddrRange("10.0.0.0/8")'}}}
    - {actions: [claim], effect: EFFECT_ALLOW, roles: ["*"], condition: {match: {expr: timestamp(request.aux_data.jwt.sub) < now()}}}
    - {actions: [number], effect: EFFECT_ALLOW, roles: ["*"], condition: {match: {expr: '[1, 2][P.attr.pin] == 1'}}}
    - {actions: [dept], effect: EFFECT_ALLOW, roles: ["*"], condition: {match: {expr: P.attr.dept == "x"}}}
`;
const FILES = {
  'policies/doc.yaml': POLICY,
  'policies/_schemas/p.json': JSON.stringify({
    type: 'object',
    properties: { ssn: { type: 'string', format: 'date' }, pin: { type: 'integer', maximum: 10 } },
  }),
  'policies/_schemas/r.json': JSON.stringify({
    type: 'object',
    properties: { card: { type: 'object', properties: { number: { type: 'string', format: 'ipv4' } } } },
  }),
};
/** Of the request, at masked paths. */
const HIDDEN = { ssn: 'Canary-Ssn "x" 1', pin: 86420, number: 'canary.card.42', sub: 'canary-subject' };
const CANARY = /canary|86420/i;

const MASK =
  'audit.mask={principal.attr.ssn,principal.attr.pin,resource.attr.card.number,auxData.jwt.sub,peer.address,metadata.x-forwarded-for}';
const SETS = [
  'server.httpListenAddr=127.0.0.1:0,server.grpcListenAddr=127.0.0.1:0',
  'schema.enforcement=warn,auxData.jwt.disableVerification=true',
  'audit.enabled=true,audit.backend=file,audit.file.path=audit.log',
  MASK,
];

const folder = folderOf(FILES);
const running: Running[] = [];
test.after(() => {
  for (const { child } of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

for (const level of ['info', 'debug'] as const) {
  test(`what audit.mask hides is not in the log at level ${level}, nor in metrics`, async () => {
    rmSync(join(folder, 'audit.log'), { force: true });
    // Payloads are not logged by default.
    const payloads = `server.logRequestPayloads=${level === 'debug'}`;
    const sets = [...SETS, payloads].flatMap((each) => ['--set', each]);
    const server = launch(PROGRAMS.authzc, ['serve', ...sets], folder, { AUTHZ_LOG_LEVEL: level });
    running.push(server);
    const url = `http://${/http:\/\/(\S+?),/.exec(await lineOf(server, 'gRPC'))?.[1]}`;
    const claims = Buffer.from(JSON.stringify({ sub: HIDDEN.sub, exp: 4e9 })).toString('base64url');
    const token = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
    const principal = { id: 'a', roles: ['u'], attr: { ssn: HIDDEN.ssn, pin: HIDDEN.pin } };
    const attr = { card: { number: HIDDEN.number } };
    const auxData = { jwt: { token } };
    const actions = ['time', 'upper', 'part', 'key', 'ip', 'claim', 'number', 'dept'];
    const send = (path: string, body: string | object): Promise<Response> =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': 'canary.example.com' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
    const check = { principal, auxData, resources: [{ actions, resource: { kind: 'doc', id: '1', attr } }] };
    const answer = await (await send('/api/check/resources', check)).text();
    assert.match(answer, 'is not valid');
    for (const action of actions)
      await send('/api/plan/resources', { principal, auxData, action, resource: { kind: 'doc', attr } });
    // Bodies that are not valid at the place of a value that is hidden.
    const text = JSON.stringify(check);
    const broken = text.replace('Canary-Ssn', 'Canary-Ssn\\u00zz').replace('"id":"a"', '"id":{"a":"canary"}');
    for (const body of [
      text.slice(0, -40),
      text.slice(0, text.indexOf('Ssn') + 1),
      broken,
      `${text}canary`,
      '"canary"',
    ])
      assert.is((await send('/api/check/resources', body)).status, 400);
    const scraped = await (await fetch(`${url}/_authz/metrics`)).text();
    // The conditions are evaluated again after the replies, those of some calls when the server is busy.
    for (const line of MASKED)
      await until(
        async () => {
          if (server.printed().includes(line) || server.said().includes(line)) return true;
          await send('/api/check/resources', check);
          return false;
        },
        `the line with ${line}`,
        100,
      );
    const { stdout, stderr } = await stop(server);
    const said = stdout + stderr;
    assert.not.match(linesWith(said, CANARY), CANARY);
    assert.not.match(linesWith(scraped, CANARY), CANARY);
    assert.not.match(said, '"peer.address":"127');
  });
}

/** Parts of lines in the log about values that are hidden. */
const MASKED = [
  'P.attr[/pin]: must be <= *** but found ***',
  'timestamp(P.attr.ssn) < now()',
  '"error":"invalid IP address: ***"',
  '"error":"no such key: dept"',
];

/** Keys with the secrets that they can hold. */
const SECRETS: readonly (readonly string[])[] = [
  [
    'bundle.source=https://h/p.js?sig=canary&x=canary',
    'bundle.credentials.username=u,bundle.credentials.password=canary',
  ],
  ['bundle.source=https://h/p.js?canary#x=canary', 'bundle.credentials.token=canary'],
  ['bundle.proxy.url=http://canary:canary@proxy:1'],
  ['tenants.source=https://canary:canary@h/{tenant}?key=canary'],
  ['tenants.source=postgresql://canary:canary@h:1,i:2/db?password=canary'],
  ['tenants.source=postgresql://u:can/canary@h/db?sslmode=x&canary'],
  ['auxData.jwt.keySets[0].id=k,auxData.jwt.keySets[0].remote.url=https://canary:canary@h/k?canary'],
  [`auxData.jwt.keySets[0].id=k,auxData.jwt.keySets[0].local.data=${Buffer.from('canary').toString('base64')}`],
  ['engine.globals.db.password=canary,engine.globals.apiKey=canary,engine.globals.url=https://a:canary@h/?canary'],
  ['engine.globals.dsn=host=h password=canary user=x'],
  ['audit.file.additionalPaths={https://u:canary@h}'],
  // Mistakes are not quoted with what they have of a secret.
  ['bundle.source=https://u:canary@h/p.js'],
  ['bundle.source=canary://u:canary@h'.replace('canary:', 'ftp:')],
  ['server.httpListenAddr=http://u:canary@h:1'],
  ['audit.kafka.brokers={user:canary@h:9092}'],
  ['audit.nats.servers={nats://u:canary@h:4222}'],
  ['bundle.s3.endpoint=https://canary:canary@h'],
  ['bundle.credentials.password:canary'],
  ['bundle.credentials.username=u,bundle.credentials.password=a,canary'],
  ['server.workers=https://u:canary@h'],
  ['tenants.source=ftp://u:canary@h/{tenant}'],
];

test('config print and errors of the start have no secrets', () => {
  const escaped = (set: string): string => {
    const [, key = '', value = ''] = /^([^=]*=)(.*)$/s.exec(set) ?? [set, set];
    return set.includes(',') || value.startsWith('{') ? set : key + value.replace(/[,.[\]{}=\\]/g, (c) => `\\${c}`);
  };
  for (const sets of SECRETS) {
    assert.not.match(printed({ sets: sets.map(escaped) }), /canary|Y2FuYXJ5/, sets.join(' '));
  }
});

test('a file with secrets is printed without them, whatever is wrong with it', async () => {
  const file = join(folder, 'config.yaml');
  const config = `tenants: {source: "https://u:canary@h/{tenant}?t=canary"}\nbundle: {credentials: {username: u, password: canary}}\n`;
  for (const text of [
    config,
    `${config}x: [canary`,
    `${config}bundle: canary\n`,
    config.replace('password', 'pasword'),
  ]) {
    writeFileSync(file, text);
    assert.not.match(printed({ file }), 'canary', text);
  }
  for (const command of [
    ['config', 'print'],
    ['--bundle', 'none.js'],
  ]) {
    const { stdout, stderr } = await run(PROGRAMS.server, [...command, '--config', file], folder);
    assert.match(stdout + stderr, 'pasword');
    assert.not.match(stdout + stderr, 'canary');
  }
});

test.run();

function printed(sources: { readonly file?: string; readonly sets?: readonly string[] }): string {
  try {
    const settled = loadSettings({ ...sources, environment: {} });
    return [...settled.warnings, printConfig(settled)].join('\n');
  } catch (error) {
    return (error as Error).message;
  }
}

async function lineOf(server: Running, text: string): Promise<string> {
  const find = (): string | undefined =>
    (server.printed() + server.said()).split('\n').find((each) => each.includes(text));
  await until(
    () => find() !== undefined,
    () => `a line with ${text} in ${server.said()}`,
  );
  return find() as string;
}

function linesWith(text: string, pattern: RegExp): string {
  return text
    .split('\n')
    .filter((line) => pattern.test(line))
    .join('\n');
}
